import type { DailyEquity } from '../events/curve/daily-equity.ts';
import type { CalendarDay } from '../model/time.ts';
import { DAYS_PER_YEAR, unusableDays } from './daily-returns.ts';

export interface DayReturn {
  readonly day: CalendarDay;
  /** Time of its last close. */
  readonly at: number;
  readonly share: number;
}

/** Counts of daily returns: bin `i` has returns from `from + i x width` on. */
export interface ReturnHistogram {
  readonly from: number;
  readonly width: number;
  readonly counts: readonly number[];
}

/** Figures over a rolling window of daily returns, one for each day from the first full window on. */
export interface RollingFigures {
  readonly window: number;
  readonly time: readonly number[];
  /** Annualised, like the figures of the whole run; null if equity did not move. */
  readonly sharpe: readonly (number | null)[];
  readonly volatility: readonly number[];
}

export interface CurveStatistics {
  /** Null if there is no day. */
  readonly bestDay: DayReturn | null;
  readonly worstDay: DayReturn | null;
  readonly histogram: ReturnHistogram | null;
  /** Null for runs with fewer days than a window. */
  readonly rolling: RollingFigures | null;
}

const BINS_MAX = 41;
/** Half a year of trading days. */
export const ROLLING_DAYS = 126;
/** Widths of histogram bins, as fractions. */
const WIDTHS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** Computes statistics of daily equity; `initial` is the equity before the first close. */
export function curveStatistics(initial: number, daily: DailyEquity): CurveStatistics {
  const values = [initial, ...daily.value];
  const returns = daily.value.map((value, index): DayReturn => {
    const before = values[index] as number;
    const [day, at] = [daily.day[index] as CalendarDay, daily.time[index] as number];
    return { day, at, share: before > 0 ? value / before - 1 : 0 };
  });
  const sorted = returns.toSorted((one, other) => one.share - other.share);
  return {
    bestDay: sorted.at(-1) ?? null,
    worstDay: sorted[0] ?? null,
    histogram: histogramOf(sorted.map(({ share }) => share)),
    rolling: unusableDays(returns.length, daily.time, daily.value) === undefined ? rollingOf(returns) : null,
  };
}

function histogramOf(sorted: readonly number[]): ReturnHistogram | null {
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined) return null;
  const width = WIDTHS.find((each) => (high - low) / each < BINS_MAX - 1) ?? 1;
  const first = Math.floor(low / width);
  const counts = Array.from({ length: Math.floor(high / width) - first + 1 }, () => 0);
  for (const share of sorted)
    counts[Math.floor(share / width) - first] = (counts[Math.floor(share / width) - first] ?? 0) + 1;
  return { from: first * width, width, counts };
}

function rollingOf(returns: readonly DayReturn[]): RollingFigures | null {
  if (returns.length < ROLLING_DAYS) return null;
  const [time, sharpe, volatility]: [number[], (number | null)[], number[]] = [[], [], []];
  for (let end = ROLLING_DAYS; end <= returns.length; end += 1) {
    const window = returns.slice(end - ROLLING_DAYS, end);
    const mean = window.reduce((sum, { share }) => sum + share, 0) / ROLLING_DAYS;
    const squares = window.reduce((sum, { share }) => sum + (share - mean) ** 2, 0);
    const deviation = Math.sqrt(squares / (ROLLING_DAYS - 1));
    time.push((window.at(-1) as DayReturn).at);
    sharpe.push(deviation > 0 ? (mean / deviation) * Math.sqrt(DAYS_PER_YEAR) : null);
    volatility.push(deviation * Math.sqrt(DAYS_PER_YEAR));
  }
  return { window: ROLLING_DAYS, time, sharpe, volatility };
}
