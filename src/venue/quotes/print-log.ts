import { type Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Quote, TradeSession } from '../../model/quote.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { MAX_ROWS } from '../../wire/socket-status.ts';

/** A trade of the market. Direction against the previous trade: 0 unchanged, 1 down, 2 up. */
export interface MarketTrade {
  readonly price: Price;
  readonly volume: Quantity;
  readonly time: Millis;
  readonly direction: 0 | 1 | 2;
  readonly session: TradeSession;
}

interface Log {
  turnover: Decimal;
  trades: MarketTrade[];
}

/** Turnover of the day and recent trades of each symbol since the venue started. */
export class PrintLog {
  readonly #logs = new Map<SecuritySymbol, Log>();

  /** Records a print and returns its trade; undefined for a print without volume, as in a bar of few shares. */
  record(quote: Quote): MarketTrade | undefined {
    const log = this.#logOf(quote);
    const before = log.trades.at(-1);
    const amount = quote.last.times(quote.volume);
    log.turnover = quote.dayVolume.eq(quote.volume) ? amount : log.turnover.plus(amount);
    const { last: price, volume, time, session } = quote;
    if (!volume.gt(ZERO)) return undefined;
    const trade = { price, volume, time, session, direction: directionOf(price, before?.price) };
    log.trades.push(trade);
    if (log.trades.length > 2 * MAX_ROWS) log.trades = log.trades.slice(-MAX_ROWS);
    return trade;
  }

  /**
   * Returns today's turnover in the security's currency; volume from before the venue started is valued at the last
   * price.
   */
  turnoverOf(quote: Quote): Decimal {
    return this.#logs.get(quote.symbol)?.turnover ?? quote.last.times(quote.dayVolume);
  }

  tradesOf(symbol: SecuritySymbol, count: number): readonly MarketTrade[] {
    return this.#logs.get(symbol)?.trades.slice(-count) ?? [];
  }

  #logOf(quote: Quote): Log {
    const known = this.#logs.get(quote.symbol);
    if (known !== undefined) return known;
    const earlier = quote.dayVolume.minus(quote.volume);
    const log = { turnover: earlier.gt(ZERO) ? earlier.times(quote.last) : ZERO, trades: [] };
    this.#logs.set(quote.symbol, log);
    return log;
  }
}

function directionOf(price: Price, before: Price | undefined): MarketTrade['direction'] {
  const change = before === undefined ? 0 : price.comparedTo(before);
  if (change === 0) return 0;
  return change < 0 ? 1 : 2;
}
