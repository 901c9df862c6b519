import { intradayMs, type Period } from '../model/period.ts';
import { type SecuritySymbol, securitySymbol } from '../model/symbol.ts';
import type { Strategy } from '../strategy/define-strategy.ts';
import { type ParamDeclarations, type ParamValues, resolveParams } from '../strategy/params.ts';
import type { PlainData } from '../strategy/state.ts';
import type { Move } from './moves.ts';
import { runStage, type Stage, type StageSetting } from './stage.ts';
import { fillsIn, heldAfter, ordersIn, type StrategyOutcome, stateAfter } from './strategy-outcome.ts';

/** Where a strategy is put; what is absent is the simplest there is. */
export interface Setting<P extends ParamDeclarations = ParamDeclarations> extends StageSetting {
  /** Parameters; one left out has its default. */
  readonly params?: Partial<ParamValues<P>>;
  /** What it trades, `ACME.US` alone unless others are named; all in one currency. */
  readonly symbols?: readonly string[];
  /** How much time one bar covers, up to a day; default a day. */
  readonly period?: Period;
}

/** A strategy in its setting, waiting for a market. */
export interface Given {
  /** Lets the market make its moves, in virtual time, through the same pipeline as a backtest. */
  when(...moves: readonly Move[]): StrategyOutcome;
  /** The same with moves for each symbol. */
  whenEach(moves: Readonly<Record<string, readonly Move[]>>): StrategyOutcome;
}

/**
 * Puts a strategy into a setting. Nothing is charged and the limits of the gate are wide, so that what is seen is the
 * strategy's own doing. Throws TypeError for parameters that it does not take, and for periods longer than a day.
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

/** A stage without moves: symbols, parameters and period checked. Throws TypeError as `given` does. */
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
