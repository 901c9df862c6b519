import type { EquityCurve } from '../events/curve/curve-input.ts';
import { UNITS } from '../events/curve/fill-columns.ts';
import type { DetailedRecord, RunRecord } from '../events/run-record.ts';
import type { BookedFill } from '../model/fill.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import { assumptionsOf, expiredExitTexts } from './assumptions.ts';
import type { BacktestOptions } from './backtest-options.ts';
import { barTexts } from './bar-texts.ts';
import { chargeSums } from './express/charges.ts';
import { replayDecisions } from './express/decision-log.ts';
import { isEligible } from './express/eligibility.ts';
import { fillsOfColumns } from './express/fills-of-columns.ts';
import { type CompletedRun, runExpress } from './express/run-express.ts';
import { EXACT } from './express/units.ts';
import { insideBarText } from './inside-bar-texts.ts';
import { marginTexts } from './margin-texts.ts';
import { boundsOf } from './run-bounds.ts';
import { runInFull } from './run-in-full.ts';
import { openingEquity, programOf, type RunSetup } from './setup.ts';
import { simulatedOperatorTexts } from './simulated-operator.ts';

/**
 * Runs a backtest. Uses the express engine if no caller observes events and every order is supported; otherwise, or
 * to record decisions, the full engine. Each hook is called once per event in either case. Throws StrategyError if
 * the strategy throws.
 */
export function runBacktest(
  setup: RunSetup,
  options: BacktestOptions & { readonly decisions: true },
): DetailedRecord;
export function runBacktest(setup: RunSetup, options?: BacktestOptions): RunRecord;
export function runBacktest(setup: RunSetup, options: BacktestOptions = {}): RunRecord {
  const { onAlarm, onProgress, decisions, ...changes } = options;
  if (Object.keys(changes).length > 0 || !isEligible(setup)) return runInFull(setup, options);
  const express = runExpress(setup);
  if (express.kind === 'bailed-out' || decisions === true) {
    const replayed = { ...setup, strategy: replayDecisions(setup.strategy, express.decisions) };
    const full = runInFull(replayed, { ...options, unreturnedBefore: express.decisions.unreturned() });
    if (express.kind === 'completed') assertSameResult(express, full);
    return full;
  }
  if (onAlarm !== undefined) express.alarms.forEach(onAlarm);
  return expressRecord(setup, express);
}

function expressRecord(setup: RunSetup, run: CompletedRun): RunRecord {
  const { begin, curve, lastBars, fills, signals, orders, denials, isRounded } = run;
  let equityCurve: EquityCurve | undefined;
  const unreturned = run.decisions.unreturned();
  const equity = (): EquityCurve => {
    equityCurve ??= run.equity();
    return equityCurve;
  };
  let bookedFills: readonly BookedFill[] | undefined;
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
    // Sums over columns support neither short positions nor interest, so reports read such a run fill by fill.
    ...(run.actions.length === 0 && run.interest.booked.length === 0 && !run.wasShort
      ? {}
      : { bookedActions: run.actions }),
    get bookedInterest() {
      return run.interest.events();
    },
    denials: denials.denials(),
    get chargeSums() {
      return chargeSums(fills, setup.charges, setup.securities);
    },
    bounds: boundsOf(setup, lastBars, run.splits, curve.last),
    get fills() {
      bookedFills ??= fillsOfColumns(fills, run.sentAt, setup);
      return bookedFills;
    },
    exitColumns: run.exits,
    get assumptions() {
      return [
        ...marginTexts(setup, equity, []),
        ...insideBarText(setup, { ...run.decidedInside, orders: orders + denials.count }),
        ...assumptionsOf(setup),
        ...simulatedOperatorTexts(run),
        ...expiredExitTexts(run.renewedExits),
        ...barTexts(setup, () => programOf(setup).warmup),
        ...(isRounded ? [ROUNDED] : []),
      ];
    },
    ...(unreturned.length === 0 ? {} : { unreturned }),
    journal: undefined,
    gate: run.gate,
    ...omitUndefined({ stops: run.stops }),
  };
}

const ROUNDED = `Amounts above ${(EXACT / UNITS / 1e9).toFixed(0)} billion are kept to 16 digits`;

/** Throws if both engines ran with different results. */
function assertSameResult({ fills, curve, isRounded }: CompletedRun, full: DetailedRecord): void {
  const equity = full.equity.value.at(-1) ?? full.initialEquity;
  if (full.flow.fills === fills.length && (isRounded || equity === curve.final)) return;
  throw new Error(
    `The express engine made ${fills.length} fills and a final equity of ${curve.final}, the full engine ${full.flow.fills} and ${equity}`,
  );
}
