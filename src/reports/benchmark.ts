import { type Millis, utcDay } from '../model/time.ts';
import type { RunPage } from './run-page.ts';
import { type BenchmarkFigures, benchmarkFigures } from './tearsheet.ts';

/** Prices or another series to hold a run against. */
export interface BenchmarkSeries {
  /** What a report calls it, such as `SPX.US`. */
  readonly name: string;
  /** Ascending; each value is known from its instant on. */
  readonly time: readonly Millis[];
  readonly value: readonly number[];
}

/** A benchmark at the instants of a run. */
export interface Benchmark {
  readonly name: string;
  readonly figures: BenchmarkFigures;
  /** At each point of the equity line, as if the equity of its first point had been put into it. */
  readonly line: readonly number[];
}

/** A benchmark that does not cover the run that it is for. */
export class BenchmarkError extends Error {
  readonly code = 'benchmark';

  constructor(name: string, saw: string) {
    super(`Cannot use "${name}" as benchmark: ${saw}`);
    this.name = 'BenchmarkError';
  }
}

/** Longest time without a new value at the end of a run: a week with holidays. */
const STALE_MS = 10 * 86_400_000;

/**
 * Holds a run against a benchmark, by the returns between the last closes of days. At each close the benchmark has the newest value that is
 * known then. Throws BenchmarkError where it begins after the run, or ends before it.
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
  const figures = benchmarkFigures(
    days.map(({ value }) => value),
    valuesAt(
      series,
      days.map(({ at }) => at),
    ),
  );
  const line = valuesAt(series, curve.time);
  const [from = 1, equity = 1] = [line[0], curve.equity[0]];
  return { name, figures, line: line.map((value) => Number(((value / from) * equity).toPrecision(9))) };
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The newest value at each of some ascending instants. */
function valuesAt({ time, value }: BenchmarkSeries, instants: readonly number[]): readonly number[] {
  let index = 0;
  return instants.map((at) => {
    while ((time[index + 1] ?? Number.POSITIVE_INFINITY) <= at) index += 1;
    return value[index] as number;
  });
}
