import { type CurveFigures, curveFigures } from '../events/curve/curve-figures.ts';
import { type CalendarDay, DAY_MS, type Millis, millis } from '../model/time.ts';
import { type CurveStatistics, curveStatistics } from './curve-statistics.ts';
import { DAYS_PER_YEAR, type ReturnFigures, returnFigures, unusableDays } from './daily-returns.ts';
import { type Estimate, estimate, noEstimate } from './estimate.ts';
import { monthlyReturns, type YearReturns } from './monthly.ts';
import { calmarOf, growthOf } from './performance.ts';

/** Equity at its start and at the ends of days, ascending, from any source; at least two values. */
export interface DailySeries {
  readonly days: readonly CalendarDay[];
  readonly time: readonly Millis[];
  readonly equity: readonly number[];
  /** A benchmark on the same days. */
  readonly benchmark?: readonly number[];
}

/** Figures of an equity series; shares are fractions. The series starts on the first day, which has no return. */
export interface Tearsheet extends ReturnFigures {
  readonly from: Millis;
  readonly to: Millis;
  readonly initialEquity: number;
  readonly finalEquity: number;
  readonly totalReturn: number;
  readonly cagr: Estimate;
  readonly maxDrawdown: CurveFigures['drawdown'];
  readonly drawdowns: CurveFigures['drawdowns'];
  readonly calmar: Estimate;
  readonly statistics: CurveStatistics;
  readonly years: readonly YearReturns[];
  readonly benchmark: BenchmarkFigures | null;
}

export interface BenchmarkFigures {
  readonly totalReturn: number;
  /** Slope of the series' daily returns on those of the benchmark. */
  readonly beta: Estimate;
  /** Annual return beyond beta times the benchmark: the intercept x 252. */
  readonly alpha: Estimate;
  readonly correlation: Estimate;
}

export const BENCHMARK_DEFINITION =
  'Beta and alpha: slope and yearly intercept (x 252) of daily returns on those of the benchmark, least squares, risk-free rate 0. The benchmark counts in its own currency; closes of another market are hours apart from those of the run, which lowers beta and correlation';

export function tearsheetOf({ days, time, equity, benchmark }: DailySeries): Tearsheet {
  const [first, last] = [time[0], time.at(-1)];
  const [initial, final] = [equity[0], equity.at(-1)];
  if (
    first === undefined ||
    last === undefined ||
    initial === undefined ||
    final === undefined ||
    time.length < 2
  )
    throw new RangeError('A tearsheet needs two days');
  const daily = { day: days.slice(1), time: time.slice(1), value: equity.slice(1) };
  const column = Float64Array.from(daily.value);
  const { drawdown, drawdowns } = curveFigures(
    first,
    initial,
    { time: Float64Array.from(daily.time), value: column, exposure: new Float64Array(column.length) },
    [],
  );
  const cagr = growthOf({ from: first, to: last, initial, final });
  return {
    from: first,
    to: last,
    initialEquity: initial,
    finalEquity: final,
    totalReturn: final / initial - 1,
    cagr,
    maxDrawdown: drawdown,
    calmar: calmarOf(cagr, drawdown.share),
    ...returnFigures(initial, daily),
    drawdowns,
    statistics: curveStatistics(initial, daily),
    years: monthlyReturns(initial, daily),
    benchmark: benchmark === undefined ? null : benchmarkFigures(time, equity, benchmark),
  };
}

/** Compares equity with a benchmark on the same days. Requires what volatility and Sharpe ratio require. */
export function benchmarkFigures(
  time: readonly number[],
  equity: readonly number[],
  benchmark: readonly number[],
): BenchmarkFigures {
  const totalReturn = (benchmark.at(-1) as number) / (benchmark[0] as number) - 1;
  const none = (reason: string): BenchmarkFigures => {
    const there = noEstimate(reason);
    return { totalReturn, beta: there, alpha: there, correlation: there };
  };
  const reason = unusableDays(equity.length - 1, time, equity);
  if (reason !== undefined) return none(reason);
  if (benchmark.some((value) => value <= 0)) return none('the benchmark fell to 0');
  const [own, other] = [returnsOf(equity), returnsOf(benchmark)];
  const [ownMean, otherMean] = [mean(own), mean(other)];
  const product = (
    one: readonly number[],
    oneMean: number,
    two: readonly number[],
    twoMean: number,
  ): number =>
    one.reduce((sum, value, index) => sum + (value - oneMean) * ((two[index] as number) - twoMean), 0);
  const [both, ownSquares, otherSquares] = [
    product(own, ownMean, other, otherMean),
    product(own, ownMean, own, ownMean),
    product(other, otherMean, other, otherMean),
  ];
  if (otherSquares === 0) return none('the benchmark did not move');
  const beta = both / otherSquares;
  return {
    totalReturn,
    beta: estimate(beta),
    alpha: estimate((ownMean - beta * otherMean) * DAYS_PER_YEAR),
    correlation:
      ownSquares > 0
        ? estimate(both / Math.sqrt(ownSquares * otherSquares))
        : noEstimate('equity did not move'),
  };
}

function returnsOf(values: readonly number[]): readonly number[] {
  return values.slice(1).map((value, index) => value / (values[index] as number) - 1);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The end of a calendar day in UTC, the timestamp of daily figures. */
export function dayEnd(day: string): Millis {
  return millis(Date.parse(`${day}T23:59:59Z`));
}

/**
 * The tearsheet as JSON: times as days, a figure that cannot be computed as null with its reason under `undefined`.
 */
export function tearsheetJson(sheet: Tearsheet) {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const { cagr, calmar, volatility, sharpe, sortino, benchmark, statistics, maxDrawdown, drawdowns } = sheet;
  const compared =
    benchmark === null
      ? {}
      : { beta: benchmark.beta, alpha: benchmark.alpha, correlation: benchmark.correlation };
  const estimates = { cagr, calmar, volatility, sharpe, sortino, ...compared };
  const figure = (value: Estimate): number | null => (value.kind === 'value' ? value.value : null);
  const { bestDay, worstDay, histogram } = statistics;
  return {
    from: day(sheet.from),
    to: day(sheet.to),
    initialEquity: sheet.initialEquity,
    finalEquity: sheet.finalEquity,
    totalReturn: sheet.totalReturn,
    cagr: figure(cagr),
    calmar: figure(calmar),
    volatility: figure(volatility),
    sharpe: figure(sharpe),
    sortino: figure(sortino),
    maxDrawdown: maxDrawdown.share,
    undefined: Object.fromEntries(
      Object.entries(estimates).flatMap(([name, value]) =>
        value.kind === 'value' ? [] : [[name, value.reason]],
      ),
    ),
    drawdowns: drawdowns.map(({ peakAt, troughAt, recoveredAt, share, durationMs }) => ({
      peak: day(peakAt),
      trough: day(troughAt),
      recovered: recoveredAt === undefined ? null : day(recoveredAt),
      share,
      days: Math.round(durationMs / DAY_MS),
    })),
    bestDay: bestDay && { day: bestDay.day, return: bestDay.share },
    worstDay: worstDay && { day: worstDay.day, return: worstDay.share },
    histogram,
    years: sheet.years.map(({ year, months, total }) => ({
      year,
      months: months.map((share) => share ?? null),
      total: total ?? null,
    })),
    benchmark: benchmark && {
      totalReturn: benchmark.totalReturn,
      beta: figure(benchmark.beta),
      alpha: figure(benchmark.alpha),
      correlation: figure(benchmark.correlation),
    },
  };
}
