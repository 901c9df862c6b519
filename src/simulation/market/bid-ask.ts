import type { Side } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';

/** Best bid and ask of one symbol as columns, ascending by `time` (epoch ms when known); float64 estimates. */
export interface BidAskColumns {
  readonly symbol: SecuritySymbol;
  readonly length: number;
  readonly time: Float64Array;
  readonly bid: Float64Array;
  readonly ask: Float64Array;
}

/** Looks up the quote that a market order trades against: the ask for a buy, the bid for a sell. */
export class BidAsk {
  readonly #bySymbol: ReadonlyMap<SecuritySymbol, BidAskColumns>;

  constructor(columns: readonly BidAskColumns[]) {
    this.#bySymbol = new Map(columns.map((each) => [each.symbol, each]));
  }

  /** Returns the latest opposite quote known at `at` and no older than `since`; undefined if there is none. */
  oppositeQuote(symbol: SecuritySymbol, side: Side, since: Millis, at: Millis): number | undefined {
    const columns = this.#bySymbol.get(symbol);
    if (columns === undefined) return undefined;
    let low = 0;
    let high = columns.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((columns.time[middle] as number) <= at) low = middle + 1;
      else high = middle;
    }
    const newest = low - 1;
    if (newest < 0 || (columns.time[newest] as number) < since) return undefined;
    const price = side === 'buy' ? columns.ask[newest] : columns.bid[newest];
    return price !== undefined && price > 0 ? price : undefined;
  }
}
