import type { Bar } from '../../model/bar.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type {
  BarReading,
  GraphReading,
  SeriesReading,
  SignalReadings,
  SignalValues,
  StrategyFailure,
} from '../../ports/strategy-host.ts';
import type { Feed } from '../../signals/bar-series.ts';
import { barsOf } from '../../signals/bars.ts';
import { compileSignals, type SignalProgram } from '../../signals/program.ts';
import type { SplitAdjustment } from '../../signals/split-adjustment.ts';
import type { Strategy } from '../../strategy/define-strategy.ts';
import type { ParamDeclarations, ParamValues } from '../../strategy/params.ts';
import { readTargets } from '../../strategy/targets.ts';
import { readThrown } from '../workers/thrown.ts';
import { createSeriesHistory, type SeriesHistory } from './series-history.ts';
import { createSignalRun, type SignalRun } from './signal-run.ts';

/** What a strategy's signal graph is built on, and when shares of its symbols change. */
export interface SignalSetup {
  readonly feed: Feed;
  /** Absent, or without a symbol: no splits. */
  readonly splitAdjustments?: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>;
}

/** A strategy's signal graph, a run of it per symbol; throws what the author's own indicators throw. */
export interface SignalRuns {
  take(bars: readonly Bar[]): SignalReadings;
  values(symbol: SecuritySymbol, now: Millis): SignalValues;
  /** Every node of the graph for each symbol that was fed, as far as a page can show. */
  nodes(): GraphReading;
  /** The newest values of the series of one symbol; none of a symbol that was not fed. */
  series(symbol: SecuritySymbol): SeriesReading;
}

/** Most symbols and nodes that are read of a graph for a person to look at. */
export const SYMBOLS_SHOWN = 20;
export const NODES_SHOWN = 100;

/** Starts every symbol cold, at the first of its bars. */
export function signalRuns(
  program: SignalProgram,
  splitAdjustments: SignalSetup['splitAdjustments'] = new Map(),
): SignalRuns {
  const runs = new Map<SecuritySymbol, SignalRun>();
  const histories = new Map<SecuritySymbol, SeriesHistory>();
  const runOf = (symbol: SecuritySymbol): SignalRun => {
    const known = runs.get(symbol) ?? createSignalRun(program, splitAdjustments.get(symbol) ?? []);
    runs.set(symbol, known);
    return known;
  };
  const historyOf = (symbol: SecuritySymbol): SeriesHistory => {
    const known = histories.get(symbol) ?? createSeriesHistory(program);
    histories.set(symbol, known);
    return known;
  };
  const read = (bar: Bar): BarReading => {
    const run = runOf(bar.symbol);
    const reading = run.push(bar);
    historyOf(bar.symbol).add(bar.time, run.charted);
    return reading;
  };
  return {
    take: (bars) => ({ kind: 'readings', readings: bars.map(read) }),
    series: (symbol) => historyOf(symbol).read(),
    values: (symbol, now) => runOf(symbol).values(now),
    nodes: () => ({
      kind: 'nodes',
      symbols: [...runs]
        .slice(0, SYMBOLS_SHOWN)
        .map(([symbol, run]) => ({ symbol, nodes: run.nodes().slice(0, NODES_SHOWN) })),
    }),
  };
}

/**
 * Builds the signal graph that a strategy declares; one without signals has an empty graph. Throws what `signals` and `targets`
 * throw, and TypeError for targets of signals that there are not.
 */
export function programIn(
  strategy: Strategy,
  params: ParamValues<ParamDeclarations>,
  feed: Feed,
): SignalProgram {
  const program = compileSignals(strategy.signals?.({ bars: barsOf(feed), params }) ?? {});
  if (strategy.targets !== undefined) readTargets(strategy.targets({ params }), program.signals);
  return program;
}

/** The readings of the runs on bars, or why they cannot continue. */
export function takeBars(
  name: string,
  runs: SignalRuns,
  bars: readonly Bar[],
): SignalReadings | StrategyFailure {
  try {
    return runs.take(bars);
  } catch (thrown) {
    const { message, stack, place } = readThrown(thrown);
    return { kind: 'failed', message: `Strategy "${name}" threw in signals: ${message}${place}`, stack };
  }
}
