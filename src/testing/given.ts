import { intradayMs, type Period } from '../model/period.ts';
import { type SecuritySymbol, securitySymbol } from '../model/symbol.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import { type ParamDeclarations, type ParamValues, resolveParams } from '../strategy/params.ts';
import type { PlainData } from '../strategy/state.ts';
import type { Move } from './moves.ts';
import { runStage, type Stage, type StageSetting } from './stage.ts';
import { fillsIn, heldAfter, ordersIn, type StrategyOutcome, stateAfter } from './strategy-outcome.ts';

/** Market and parameters of a test; every field has a simple default. */
export interface Setting<P extends ParamDeclarations = ParamDeclarations> extends StageSetting {
  /** Parameters; absent ones have their defaults. */
  readonly params?: Partial<ParamValues<P>>;
  /** Symbols; default `ACME.US`. All must have one currency. */
  readonly symbols?: readonly string[];
  /** Period of the bars, up to a day; default a day. */
  readonly period?: Period;
}

/** A strategy in its setting, before any market moves. */
export interface Given {
  /** Runs the strategy through the moves in virtual time, with the engine of a backtest. */
  when(...moves: readonly Move[]): StrategyOutcome;
  /** The same with moves for each symbol. */
  whenEach(moves: Readonly<Record<string, readonly Move[]>>): StrategyOutcome;
}

/**
 * Puts a strategy into a setting without charges and with wide risk limits, so that only the strategy's behaviour
 * shows. Throws TypeError for parameters that it does not accept, and for periods longer than a day.
 */
export function given<P extends ParamDeclarations, S extends PlainData | undefined>(
  strategy: Strategy<P, S>,
  setting: Setting<P> = {},
): Given {
  const set = settingOf(strategy as unknown as Strategy, setting as Setting);
  const when = (movesOf: Stage['movesOf']): StrategyOutcome => outcomeOf({ ...set, movesOf });
  return {
    when: (...moves) => when(() => moves),
    whenEach: (moves) => when((symbol) => moves[symbol] ?? []),
  };
}

/** Returns the checked symbols, parameters and period of a setting. Throws TypeError as `given` does. */
export function settingOf(strategy: Strategy, setting: Setting): Omit<Stage, 'movesOf'> {
  const symbols = (setting.symbols ?? ['ACME.US']).map((text): SecuritySymbol => securitySymbol(text));
  const resolved = resolveParams(strategy.params, setting.params ?? {});
  if (resolved.kind === 'problems') {
    const [problem] = resolved.problems;
    throw new TypeError(
      `Cannot set parameter "${problem?.name}" to "${String(problem?.value)}", want ${problem?.wanted}`,
    );
  }
  const period = setting.period ?? '1d';
  if (period !== '1d' && intradayMs(period) === undefined) {
    throw new TypeError(`Cannot make bars of "${period}", want a period up to "1d"`);
  }
  return { strategy, params: resolved.values, symbols, period, setting };
}

function outcomeOf(stage: Stage): StrategyOutcome {
  const { events, record, error } = runStage(stage);
  const fills = fillsIn(events);
  return {
    orders: ordersIn(events),
    fills,
    position: (symbol) => heldAfter(fills, symbol ?? stage.symbols[0] ?? ''),
    state: stateAfter(events),
    equity: record?.equity.value.at(-1) ?? Number.NaN,
    error,
    record,
  };
}
