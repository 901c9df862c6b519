/** Figures that depend on daily returns only. */
export const RETURN_FIGURES = [
  ...['totalReturn', 'cagr', 'sharpe', 'sortino', 'calmar', 'volatility', 'maxDrawdown'],
] as const satisfies readonly ReturnFigure[];
export type ReturnFigure =
  | 'totalReturn'
  | 'cagr'
  | 'sharpe'
  | 'sortino'
  | 'calmar'
  | 'volatility'
  | 'maxDrawdown';

/** Null if a figure cannot be computed, such as the Sharpe ratio of constant returns. Shares are fractions. */
export type FiguresOfReturns = Readonly<Record<ReturnFigure, number | null>>;

const DAYS_PER_YEAR = 252;
/** A smaller deviation is rounding error. */
const DEVIATION_MIN = 1e-12;

/** Computes the figures of consecutive daily returns, annualised to 252 days; all null without returns. */
export function figuresOfReturns(returns: Float64Array): FiguresOfReturns {
  const count = returns.length;
  let [sum, equity, peak, fall, losses] = [0, 1, 1, 0, 0];
  for (const value of returns) {
    sum += value;
    equity *= 1 + value;
    peak = Math.max(peak, equity);
    fall = Math.max(fall, 1 - equity / peak);
    losses += Math.min(0, value) ** 2;
  }
  const mean = sum / count;
  let squares = 0;
  for (const value of returns) squares += (value - mean) ** 2;
  const deviation = Math.sqrt(squares / (count - 1));
  const downside = Math.sqrt(losses / count);
  const year = Math.sqrt(DAYS_PER_YEAR);
  const known = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const cagr = annualReturn(equity, count);
  return {
    totalReturn: count > 0 ? equity - 1 : null,
    cagr: known(cagr),
    sharpe: deviation > DEVIATION_MIN ? known((mean / deviation) * year) : null,
    sortino: downside > DEVIATION_MIN ? known((mean / downside) * year) : null,
    calmar: fall > 0 ? known(cagr / fall) : null,
    volatility: count > 1 ? known(deviation * year) : null,
    maxDrawdown: count > 0 ? fall : null,
  };
}

/** The annual return of the same growth, for 252 days a year; -1 if nothing is left, NaN for no days. */
export function annualReturn(growth: number, days: number): number {
  if (days === 0) return Number.NaN;
  return growth > 0 ? growth ** (DAYS_PER_YEAR / days) - 1 : -1;
}

/** Concatenates the returns of several periods. */
export function joinedReturns(stretches: readonly Float64Array[]): Float64Array {
  const joined = new Float64Array(stretches.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const stretch of stretches) {
    joined.set(stretch, at);
    at += stretch.length;
  }
  return joined;
}

/** Growth of 1 after each return, starting with 1, reduced to at most `pointsMax` points. */
export function growthCurve(returns: Float64Array, pointsMax = 500): readonly number[] {
  const line = [1];
  let equity = 1;
  for (const value of returns) {
    equity *= 1 + value;
    line.push(equity);
  }
  if (line.length <= pointsMax) return line;
  return Array.from(
    { length: pointsMax },
    (_, at) => line[Math.round((at * (line.length - 1)) / (pointsMax - 1))] as number,
  );
}
