import { lowerBound } from '../model/bar.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { PriceHistory } from './price-history.ts';
import type { RoundTrip } from './trades.ts';

/**
 * How far the price moved against and in favour of a trade while it was open, as fractions of the entry price; both
 * at least 0.
 */
export interface Excursion {
  readonly adverse: number;
  readonly favourable: number;
}

export const EXCURSION_DEFINITION =
  'MAE and MFE: the farthest that the price went against and for a trade, from the bar of its entry to that of its exit, both whole, over the average entry price';

/** Returns a function that measures trades on the bars of a run; undefined for a symbol without bars. */
export function excursionsIn(
  histories: readonly PriceHistory[],
): (trade: RoundTrip) => Excursion | undefined {
  const bySymbol = new Map<SecuritySymbol, PriceHistory>(
    histories.map((history) => [history.columns.symbol, history]),
  );
  return ({ symbol, openedAt, closedAt, entryPrice, direction }) => {
    const history = bySymbol.get(symbol);
    if (history === undefined) return undefined;
    const { columns, sharesAt = () => 1 } = history;
    // The bar of a time is the last one that opened at or before it.
    const barAt = (instant: number): number => Math.max(0, lowerBound(columns, instant + 1) - 1);
    const [first, last] = [barAt(openedAt), barAt(closedAt)];
    let [high, low] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let bar = first; bar <= last && bar < columns.length; bar += 1) {
      // The entry price is per share at the end; prices before a split are per old share.
      const shares = sharesAt(bar) / sharesAt(Math.min(last, columns.length - 1));
      high = Math.max(high, (columns.high[bar] as number) * shares);
      low = Math.min(low, (columns.low[bar] as number) * shares);
    }
    const entry = entryPrice.toNumber();
    if (!(entry > 0) || high < low) return undefined;
    const [rise, fall] = [Math.max(0, high / entry - 1), Math.max(0, 1 - low / entry)];
    return direction === 'long' ? { adverse: fall, favourable: rise } : { adverse: rise, favourable: fall };
  };
}
