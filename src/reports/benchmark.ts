import { type Millis, utcDay } from '../model/time.ts';
import { LONGEST_GAP_DAYS, medianGapDays } from './daily-returns.ts';
import type { RunPage } from './run-page.ts';
import { type BenchmarkFigures, benchmarkFigures } from './tearsheet.ts';

/** Prices or another series that a run is compared with. */
export interface BenchmarkSeries {
  /** Its name in the report, such as `SPX.US`. */
  readonly name: string;
  /** Ascending; each value is known from its time on. */
  readonly time: readonly Millis[];
  readonly value: readonly number[];
}

/** A benchmark at the times of a run's closes. */
export interface Benchmark {
  readonly name: string;
  readonly figures: BenchmarkFigures;
  /**
   * First day of the figures, for a saved run of which only the last days were kept; absent if they cover the whole
   * run.
   */
  readonly since?: string;
  /** Value at each point of the equity line of the run's first equity, invested in the benchmark. */
  readonly line: readonly number[];
}

/** A benchmark that does not cover its run, or has no daily values. */
export class BenchmarkError extends Error {
  readonly code = 'benchmark';

  constructor(name: string, found: string) {
    super(`Cannot use "${name}" as benchmark: ${found}`);
    this.name = 'BenchmarkError';
  }
}

/** Longest time without a new value at the end of a run: a week with holidays. */
const STALE_MS = 10 * 86_400_000;

/**
 * Compares a run with a benchmark by the returns between the last closes of days. At each close the benchmark has its
 * newest value known then. Throws BenchmarkError if it starts after the run, ends before it, or has values less often
 * than daily and than the run.
 */
export function benchmarkOf({ report, curve }: RunPage, series: BenchmarkSeries): Benchmark {
  const { name, time } = series;
  const days = report.equity.flatMap(([at, value]) =>
    typeof at === 'string' && typeof value === 'number' ? [{ at: Date.parse(at), value }] : [],
  );
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || days.length < 2)
    throw new BenchmarkError(name, 'the run has fewer than two days with a close');
  const [begins, ends] = [time[0], time.at(-1)];
  if (begins === undefined || ends === undefined) throw new BenchmarkError(name, 'it has no values');
  const start = Math.min(first.at, curve.time[0] ?? first.at);
  if (begins > start)
    throw new BenchmarkError(
      name,
      `it begins on ${utcDay(begins)}, after the first close of the run on ${day(start)}`,
    );
  if (ends < last.at - STALE_MS)
    throw new BenchmarkError(
      name,
      `it ends on ${utcDay(ends)}, before the last close of the run on ${day(last.at)}`,
    );
  const instants = days.map(({ at }) => at);
  refuseSparse(series, start, instants);
  const figures = benchmarkFigures(
    instants,
    days.map(({ value }) => value),
    valuesAt(series, instants),
  );
  const line = valuesAt(series, curve.time);
  const [from = 1, equity = 1] = [line[0], curve.equity[0]];
  return {
    name,
    figures,
    ...(report.omitted.equity > 0 ? { since: day(first.at) } : {}),
    line: line.map((value) => Number(((value / from) * equity).toPrecision(9))),
  };
}

/** Weekly or monthly values would make most daily returns of the benchmark 0. */
function refuseSparse({ name, time }: BenchmarkSeries, start: number, closes: readonly number[]): void {
  const end = closes.at(-1) ?? start;
  const known = time.findLastIndex((at) => at <= start);
  const gap = medianGapDays(time.slice(known).filter((at) => at <= end));
  if (gap <= Math.max(LONGEST_GAP_DAYS, medianGapDays(closes))) return;
  throw new BenchmarkError(
    name,
    `from ${day(start)} to ${day(end)} its values are ${gap.toFixed(0)} days apart (median), want one for each trading day; name a symbol with daily bars, or a CSV with a line for each trading day`,
  );
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Returns the newest value at each of some ascending times. */
function valuesAt({ time, value }: BenchmarkSeries, instants: readonly number[]): readonly number[] {
  let index = 0;
  return instants.map((at) => {
    while ((time[index + 1] ?? Number.POSITIVE_INFINITY) <= at) index += 1;
    return value[index] as number;
  });
}
