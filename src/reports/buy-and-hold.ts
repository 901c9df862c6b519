import { curveFigures, marketsOf } from '../events/curve/curve-figures.ts';
import type { EquityCurve } from '../events/curve/curve-input.ts';
import type { RunRecord } from '../events/run-record.ts';
import { returnFigures } from './daily-returns.ts';
import { type Estimate, estimate, noEstimate } from './estimate.ts';
import { isMixedOrigin, originOf } from './origin.ts';
import { growthOf } from './performance.ts';
import type { PriceHistory } from './price-history.ts';

/** Describes how the line is computed: in the account of the run, with or without dividends. */
export function holdDefinition(withDividends: boolean): string {
  const dividends = withDividends
    ? 'with the dividends of events.csv, less tax, as cash from the ex-day on'
    : 'without dividends, as the run has none';
  return `Buy and hold: the first equity in equal parts in each symbol at the first close of the run (its own first where its bars begin later, cash until then), kept through splits until delisted, free of charges, at the run's exchange rates, ${dividends}`;
}

/**
 * Equity of holding equal parts of every symbol, at the given closes of a run. A symbol is bought at its first
 * counted close and counts as cash until then. NaN throughout if there are no bars, or a rate or a first price is
 * missing.
 */
export function buyAndHold(
  { time }: Pick<EquityCurve, 'time'>,
  indices: readonly number[],
  initial: number,
  histories: readonly PriceHistory[],
): readonly number[] {
  if (histories.length === 0) return indices.map(() => Number.NaN);
  const share = initial / histories.length;
  const cursors = histories.map((history) => createCursor(history));
  return indices.map((index) => {
    const at = time[index] as number;
    return cursors.reduce((sum, cursor) => sum + share * cursor.growthAt(at), 0);
  });
}

/** Figures of holding the symbols of a run, at the closes of the run. */
export interface HoldFigures {
  readonly totalReturn: Estimate;
  readonly cagr: Estimate;
  readonly maxDrawdown: Estimate;
  readonly sharpe: Estimate;
  readonly sortino: Estimate;
  readonly volatility: Estimate;
  readonly finalEquity: Estimate;
  /** True if the dividends of a symbol are included. */
  readonly hasDividends: boolean;
}

/**
 * Computes buy and hold at the closes of a run; undefined if nothing closed, a price or a rate is missing, or real
 * and generated prices would be added up.
 */
export function holdFigures(record: RunRecord, histories: readonly PriceHistory[]): HoldFigures | undefined {
  const { equity, from, to, initialEquity: initial, securities } = record;
  if (equity.time.length === 0 || histories.length === 0 || isMixedOrigin(originOf(securities)))
    return undefined;
  const time = withPayouts(equity.time, histories);
  const { length } = time;
  const share = initial / histories.length;
  const value = new Float64Array(length);
  for (const history of histories) {
    const cursor = createCursor(history);
    for (let row = 0; row < length; row += 1)
      value[row] = (value[row] as number) + share * cursor.growthAt(time[row] as number);
  }
  if (!Number.isFinite(value.at(-1))) return undefined;
  const { final, drawdown, daily } = curveFigures(
    from,
    initial,
    { time, value, exposure: new Float64Array(length) },
    marketsOf(securities),
  );
  const { sharpe, sortino, volatility } = returnFigures(initial, daily);
  return {
    totalReturn: initial > 0 ? estimate(final / initial - 1) : noEstimate('no equity at the start'),
    cagr: growthOf({ from, to, initial, final }),
    maxDrawdown: estimate(drawdown.share),
    sharpe,
    sortino,
    volatility,
    finalEquity: estimate(final),
    hasDividends: histories.some(({ paidAt }) => paidAt !== undefined),
  };
}

/** The closes of a run, and later payouts: a run that held nothing has no point at these. */
function withPayouts(time: Float64Array, histories: readonly PriceHistory[]): Float64Array {
  const last = time.at(-1) ?? 0;
  const later = histories.flatMap(({ paidOut }) =>
    paidOut !== undefined && paidOut.at > last ? [paidOut.at] : [],
  );
  return later.length === 0 ? time : Float64Array.from([...time, ...new Set(later)]).sort();
}

interface Cursor {
  growthAt(at: number): number;
}

/**
 * Growth in the account's currency, at the exchange rates of the purchase and of each time; NaN if a rate is not
 * known.
 */
function createCursor(history: PriceHistory): Cursor {
  const { columns, firstBar, closeAt, rateAt, sharesAt, paidAt, paidOut } = history;
  const first = columns.close[firstBar];
  const bought = first === undefined ? Number.NaN : rateAt(closeAt(firstBar));
  let index = firstBar - 1;
  /** A bar closes after it opens and before the next one opens, so most bars need no calendar. */
  const hasClosed = (bar: number, at: number): boolean => {
    if ((columns.time[bar] as number) >= at) return false;
    const next = columns.time[bar + 1];
    return (next !== undefined && next <= at) || closeAt(bar) <= at;
  };
  return {
    growthAt(at) {
      if (first === undefined || !(bought > 0)) return Number.NaN;
      while (index + 1 < columns.length && hasClosed(index + 1, at)) index += 1;
      if (index < firstBar) return 1;
      const price =
        paidOut !== undefined && at >= paidOut.at ? paidOut.price : (columns.close[index] as number);
      const worth = price * (sharesAt?.(index) ?? 1);
      return ((worth + (paidAt?.(index) ?? 0)) / first) * (rateAt(at) / bought);
    },
  };
}
