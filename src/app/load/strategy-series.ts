import { lastValueFrom } from 'rxjs';
import { splitAdjustments } from '../../backtest/due-actions.ts';
import { barsBegin, cutColumns, feedOf, sessionsOf, startOf } from '../../backtest/setup.ts';
import { createWorkerHost } from '../../hosts/strategy/worker.ts';
import { WorkerStartError } from '../../hosts/workers/rpc-worker.ts';
import { type BarColumns, barAt } from '../../model/bar.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { SeriesReading, SignalEvaluator } from '../../ports/strategy-host.ts';
import { toObservable } from '../../ports/to-observable.ts';
import type { IndicatorHistory } from '../../reports/price-history.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import type { AnyRun } from './load-run.ts';

/** Series of a run's strategies over its bars, for a report. */
export interface StrategySeries {
  /** The largest number of warm-up bars of a symbol. */
  readonly warmup: number;
  /** The series of a symbol at each of its bars; NaN at bars that no strategy received. */
  indicatorsOf(columns: Pick<BarColumns, 'symbol' | 'time'>): readonly IndicatorHistory[];
  /** Why series are missing, one sentence without a full stop each; empty if they are complete. */
  readonly missing: readonly string[];
}

/** A strategy of a run, its file, and the symbols that it sees. */
interface LoadedStrategy {
  /** Empty for a single strategy. */
  readonly name: string;
  readonly file: string;
  readonly params: AnyRun['setup']['params'];
  readonly symbols: readonly SecuritySymbol[];
}

/** Number of bars that a strategy receives before its series are read: it keeps the newest 300. */
const BARS_AT_ONCE = 250;
/** Maximum number of bars of all symbols; a report draws 900 of each. */
const BARS_MAX = 200_000;

/**
 * Passes the bars of a run to its strategies, each in a separate process as in the run, and reads their series. If a
 * strategy cannot be started or fails, its series are missing and the reason is stated.
 */
export async function strategySeries({
  setup,
  strategyFile,
  memberFiles,
}: Pick<AnyRun, 'setup' | 'strategyFile' | 'memberFiles'>): Promise<StrategySeries> {
  const symbols = setup.securities.map(({ symbol }) => symbol);
  const hosted: readonly LoadedStrategy[] = setup.members?.map((member, at) => ({
    ...member,
    file: memberFiles[at] ?? '',
  })) ?? [{ name: '', file: strategyFile, params: setup.params, symbols }];
  const start = startOf(symbols, setup.from);
  const bySymbol = new Map<SecuritySymbol, Series[]>();
  const missing: string[] = [];
  let [warmup, bars] = [0, 0];
  for (const { name, file, params, symbols: own } of hosted) {
    const label = name === '' ? 'the strategy' : `"${name}"`;
    try {
      const host = await createWorkerHost({
        ...{ file, params, symbols: own, clock: createSystemClock(), startsAt: start, seed: setup.seed },
        signals: {
          feed: feedOf(setup.period, own, sessionsOf(setup)),
          splitAdjustments: splitAdjustments(setup),
        },
      });
      try {
        warmup = Math.max(warmup, host.signals.warmup);
        for (const history of setup.history.filter(({ symbol }) => own.includes(symbol))) {
          const { columns } = cutColumns(history, barsBegin(history, setup.from), host.signals.warmup);
          if (bars + columns.length > BARS_MAX) {
            missing.push(
              `the series of ${label} in ${columns.symbol} are missing: at most ${BARS_MAX} bars are computed`,
            );
            continue;
          }
          bars += columns.length;
          const found = await seriesOf(host.signals, columns);
          if (typeof found === 'string') {
            missing.push(`the series of ${label} are missing: ${found}`);
            break;
          }
          const known = bySymbol.get(columns.symbol) ?? [];
          bySymbol.set(columns.symbol, known);
          known.push(
            ...found.map((each) => (name === '' ? each : { ...each, name: `${name}: ${each.name}` })),
          );
        }
      } finally {
        await host.close();
      }
    } catch (error) {
      if (!(error instanceof WorkerStartError)) throw error;
      missing.push(`the series of ${label} are missing: ${error.message}`);
    }
  }
  return {
    warmup,
    missing,
    indicatorsOf: ({ symbol, time }) =>
      (bySymbol.get(symbol) ?? []).map(({ name, isPrice, at }) => ({
        name,
        isPrice: isPrice ?? undefined,
        values: Float64Array.from(time, (open) => at.get(open) ?? Number.NaN),
      })),
  };
}

/** A series by the open times of its bars. */
interface Series {
  readonly name: string;
  readonly isPrice: boolean | null;
  readonly at: Map<number, number>;
}

/** The series of a symbol over all of its bars, or why there are none. */
async function seriesOf(
  signals: Pick<SignalEvaluator, 'evaluate' | 'series'>,
  columns: BarColumns,
): Promise<readonly Series[] | string> {
  const all = new Map<string, Series>();
  for (let begin = 0; begin < columns.length; begin += BARS_AT_ONCE) {
    const count = Math.min(BARS_AT_ONCE, columns.length - begin);
    const bars = Array.from({ length: count }, (_, index) => barAt(columns, begin + index));
    const taken = await lastValueFrom(toObservable(signals.evaluate(bars)));
    if (taken.kind === 'failed') return taken.message;
    const reading =
      signals.series === undefined
        ? undefined
        : await lastValueFrom(toObservable(signals.series(columns.symbol)));
    if (reading === undefined) return 'it gave none';
    if (reading.series.length === 0) return [];
    addReading(all, reading, bars[0]?.time);
  }
  return [...all.values()];
}

/** Adds the new bars of a reading, which repeats bars of earlier ones. */
function addReading(
  all: Map<string, Series>,
  { times, series }: SeriesReading,
  from: Millis = 0 as Millis,
): void {
  for (const { name, isPrice, values } of series) {
    const known = all.get(name) ?? { name, isPrice, at: new Map<number, number>() };
    all.set(name, known);
    for (const [index, time] of times.entries()) {
      const value = values[index] ?? null;
      if (time >= from && value !== null) known.at.set(time, value);
    }
  }
}
