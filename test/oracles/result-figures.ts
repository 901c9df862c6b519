import { DAY_MS } from '#src/model/time.ts';

/** The figures of a run by the oracles' definitions; shares are fractions. */
export interface ResultFigures {
  readonly final_equity: number;
  readonly total_return: number;
  readonly max_drawdown: number;
  readonly max_drawdown_cash: number;
  readonly sharpe_252: number;
  readonly daily_returns: number;
}

/** Computes the figures of an equity curve; `times` are the stamps of its bars in epoch milliseconds. */
export function resultFigures(cash: number, times: Float64Array, equity: readonly number[]): ResultFigures {
  const last = equity.at(-1) ?? cash;
  let [peak, share, fall] = [Number.NEGATIVE_INFINITY, 0, 0];
  for (const value of equity) {
    peak = Math.max(peak, value);
    share = Math.max(share, 1 - value / peak);
    fall = Math.max(fall, peak - value);
  }
  const returns = dailyReturns(times, equity);
  return {
    final_equity: last,
    total_return: last / cash - 1,
    max_drawdown: share,
    max_drawdown_cash: fall,
    sharpe_252: sharpe(returns),
    daily_returns: returns.length,
  };
}

/** Simple returns between the last equity of one UTC date and that of the next. */
function dailyReturns(times: Float64Array, equity: readonly number[]): readonly number[] {
  const closes = new Map<number, number>();
  for (const [bar, value] of equity.entries()) closes.set(Math.floor((times[bar] as number) / DAY_MS), value);
  const values = [...closes.values()];
  return values.slice(1).map((value, day) => value / (values[day] as number) - 1);
}

/** Mean over sample standard deviation, times the square root of 252; NaN if nothing moved. */
function sharpe(returns: readonly number[]): number {
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
  const squares = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return (mean / Math.sqrt(squares / (returns.length - 1))) * Math.sqrt(252);
}
