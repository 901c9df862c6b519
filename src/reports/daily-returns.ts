import type { DailyEquity } from '../events/curve/daily-equity.ts';
import { DAY_MS } from '../model/time.ts';
import { type Estimate, estimate, noEstimate } from './estimate.ts';

/** Trading days in a year; the US and the Hong Kong exchanges differ from it by a few. */
export const DAYS_PER_YEAR = 252;
/** Number of daily returns that volatility and Sharpe ratio require. */
export const LEAST_RETURNS = 30;
/** Longest median gap between samples that counts as daily: a weekend with a holiday. */
export const LONGEST_GAP_DAYS = 4;

/** Definition of the two figures, printed next to them. */
export const SHARPE_DEFINITION =
  'Sharpe: mean over standard deviation (n - 1) of daily returns, times the square root of 252, risk-free rate 0';
export const VOLATILITY_DEFINITION =
  'Volatility: standard deviation (n - 1) of daily returns, times the square root of 252';
export const DAILY_DEFINITION =
  'Daily returns are taken between the last equity of one trading day with a close and that of the next';

export const SORTINO_DEFINITION =
  'Sortino: mean of daily returns over the root of the mean square of those below 0 (others count as 0), times the square root of 252';

/** Volatility, Sharpe and Sortino ratio of daily returns, annualised. */
export interface ReturnFigures {
  readonly volatility: Estimate;
  readonly sharpe: Estimate;
  /** @see Sortino and Price, "Performance Measurement in a Downside Risk Framework", 1994 */
  readonly sortino: Estimate;
  /** Number of daily returns used. */
  readonly returns: number;
}

/** Computes the figures; `initial` is the equity before the first close. */
export function returnFigures(initial: number, daily: Pick<DailyEquity, 'time' | 'value'>): ReturnFigures {
  const values = [initial, ...daily.value];
  const returns = daily.value.map((value, index) => value / (values[index] as number) - 1);
  const none = (reason: string): ReturnFigures => {
    const there = noEstimate(reason);
    return { volatility: there, sharpe: there, sortino: there, returns: returns.length };
  };
  const reason = unusableDays(returns.length, daily.time, values);
  if (reason !== undefined) return none(reason);
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  const squares = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (returns.length - 1));
  const losses = returns.reduce((sum, value) => sum + Math.min(0, value) ** 2, 0);
  const downside = Math.sqrt(losses / returns.length);
  const year = Math.sqrt(DAYS_PER_YEAR);
  return {
    volatility: estimate(deviation * year),
    sharpe: deviation > 0 ? estimate((mean / deviation) * year) : noEstimate('equity did not move'),
    sortino: downside > 0 ? estimate((mean / downside) * year) : noEstimate('no day lost'),
    returns: returns.length,
  };
}

/**
 * Returns why daily returns give no figures: too few, closes that are not daily, or equity at or below 0; undefined
 * if they do.
 */
export function unusableDays(
  returns: number,
  time: readonly number[],
  equity: readonly number[],
): string | undefined {
  if (returns < LEAST_RETURNS) return `too few samples (${returns} of ${LEAST_RETURNS} days)`;
  if (medianGapDays(time) > LONGEST_GAP_DAYS) return 'closes are not daily';
  return equity.some((value) => value <= 0) ? 'equity fell to 0' : undefined;
}

/** Median gap between ascending times in days; 0 for fewer than two. */
export function medianGapDays(times: readonly number[]): number {
  const gaps = times.slice(1).map((time, index) => (time - (times[index] as number)) / DAY_MS);
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
}
