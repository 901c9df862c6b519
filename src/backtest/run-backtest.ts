import type { EquityCurve } from '../events/curve/equity-curve.ts';
import { UNITS } from '../events/curve/fill-columns.ts';
import type { Decision, RunRecord } from '../events/run-record.ts';
import { assumptionsOf, expiredExitTexts } from './assumptions.ts';
import type { BacktestOptions } from './backtest-options.ts';
import { barTexts } from './bar-texts.ts';
import { chargeSums } from './express/charges.ts';
import { replayDecisions } from './express/decision-log.ts';
import { isEligible } from './express/eligibility.ts';
import { type Arrived, runExpress } from './express/run-express.ts';
import { EXACT } from './express/units.ts';
import { marginTexts } from './margin-texts.ts';
import { boundsOf } from './run-bounds.ts';
import { runInFull } from './run-in-full.ts';
import { openingEquity, programOf, type RunSetup } from './setup.ts';

/**
 * Runs one strategy over its past in virtual time. Where no caller observes its events and every order is supported, plain numbers
 * carry the run, and the full engine computes its decisions on first access; otherwise the full engine runs at once. Either way
 * each hook is called once per event.
 * Throws StrategyError when the strategy throws.
 */
export function runBacktest(setup: RunSetup, options: BacktestOptions = {}): RunRecord {
  const { onAlarm, onProgress, ...changes } = options;
  if (Object.keys(changes).length > 0 || !isEligible(setup)) return runInFull(setup, options);
  const express = runExpress(setup);
  const answered = { ...setup, strategy: replayDecisions(setup.strategy, express.decisions) };
  if (express.kind === 'left')
    return runInFull(answered, { ...options, unreturnedBefore: express.decisions.unreturned() });
  if (onAlarm !== undefined) express.alarms.forEach(onAlarm);
  return expressRecord(answered, express);
}

function expressRecord(setup: RunSetup, run: Arrived): RunRecord {
  const { begin, curve, lastBars, fills, signals, orders, denials, isRounded } = run;
  let made: EquityCurve | undefined;
  const unreturned = run.decisions.unreturned();
  const equity = (): EquityCurve => {
    made ??= run.equity();
    return made;
  };
  let decisions: readonly Decision[] | undefined;
  return {
    mode: 'backtest',
    strategy: setup.strategy.name,
    config: setup.config,
    securities: setup.securities,
    currency: setup.currency,
    from: begin,
    to: curve.last,
    initialEquity: openingEquity(setup),
    get equity() {
      return equity();
    },
    curve,
    flow: {
      quotes: 0,
      bars: run.bars,
      signals,
      intents: orders + denials.count,
      denied: denials.count,
      orders,
      fills: fills.length,
    },
    fillColumns: fills,
    denials: denials.denials(),
    get chargeSums() {
      return chargeSums(fills, setup.charges, setup.securities);
    },
    bounds: boundsOf(setup, lastBars, NO_CHANGES, begin),
    get decisions() {
      decisions ??= toldInFull(setup, fills.length);
      return decisions;
    },
    get assumptions() {
      return [
        ...marginTexts(setup, equity, []),
        ...assumptionsOf(setup),
        ...expiredExitTexts(run.renewedExits),
        ...barTexts(setup, () => programOf(setup).warmup),
        ...(isRounded ? [ROUNDED] : []),
      ];
    },
    ...(unreturned.length === 0 ? {} : { unreturned }),
    journal: undefined,
  };
}

const NO_CHANGES = new Map<never, never>();

const ROUNDED = `Amounts above ${(EXACT / UNITS / 1e9).toFixed(0)} billion are kept to 16 digits`;

function toldInFull(setup: RunSetup, fills: number): readonly Decision[] {
  const { decisions, flow } = runInFull(setup);
  if (flow.fills !== fills)
    throw new Error(`Plain numbers made ${fills} fills of this run, the full engine ${flow.fills}`);
  return decisions;
}
