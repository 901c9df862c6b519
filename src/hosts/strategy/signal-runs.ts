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

/** The input of a strategy's signal graph, and the splits of its symbols. */
export interface SignalSetup {
  readonly feed: Feed;
  /** No entry: no splits. */
  readonly splitAdjustments?: ReadonlyMap<SecuritySymbol, readonly SplitAdjustment[]>;
}

/** The signal graph of a strategy, with one run per symbol. Throws what an author's own indicators throw. */
export interface SignalRuns {
  evaluate(bars: readonly Bar[]): SignalReadings;
  values(symbol: SecuritySymbol, now: Millis): SignalValues;
  /** Returns the nodes of the graph for each symbol with bars, up to the display limits. */
  nodes(): GraphReading;
  /** Returns the newest values of the series of one symbol; empty before its first bar. */
  series(symbol: SecuritySymbol): SeriesReading;
}

/** Most symbols and nodes of a graph that are displayed. */
export const SYMBOLS_SHOWN = 20;
export const NODES_SHOWN = 100;

/** Creates the runs, each without history. */
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
    evaluate: (bars) => ({ kind: 'readings', readings: bars.map(read) }),
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
 * Compiles the signal graph of a strategy; empty without signals. Throws what `signals` and `targets` throw, and
 * TypeError for targets of unknown signals, and for a strategy that could only decide by signals and has none.
 */
export function programIn(
  strategy: Strategy,
  params: ParamValues<ParamDeclarations>,
  feed: Feed,
): SignalProgram {
  const program = compileSignals(strategy.signals?.({ bars: barsOf(feed), params }) ?? {});
  if (strategy.targets !== undefined) readTargets(strategy.targets({ params }), program.signals);
  else if (program.signals.length === 0 && decidesBySignals(strategy))
    throw new TypeError(
      'it decides in onSignal alone, which is never called: none of its signals is one such as crossover(...) or threshold(...)',
    );
  return program;
}

function decidesBySignals({ onSignal, onBar, onBars, onQuote, onTimer, onStart }: Strategy): boolean {
  const others = [onBar, onBars, onQuote, onTimer, onStart];
  return onSignal !== undefined && others.every((hook) => hook === undefined);
}

/** Returns the readings of bars, or the failure of the strategy. */
export function evaluateBars(
  name: string,
  runs: SignalRuns,
  bars: readonly Bar[],
): SignalReadings | StrategyFailure {
  try {
    return runs.evaluate(bars);
  } catch (thrown) {
    const { message, stack, place } = readThrown(thrown);
    return { kind: 'failed', message: `Strategy "${name}" threw in signals: ${message}${place}`, stack };
  }
}
