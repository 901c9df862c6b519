import { barSpan } from '../../markets/bar-span.ts';
import { nextOpen } from '../../markets/sessions.ts';
import type { Period } from '../../model/period.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';

/** What a market does next that a bot waits for, by the exchange's calendar. */
export interface MarketEvent {
  readonly kind: 'bar-closes' | 'opens';
  readonly market: Market;
  readonly at: Millis;
}

/** The earliest next event of the markets of some symbols in regular hours: their bar closes, or they open; undefined without symbols. */
export function nextMarketEvent(
  symbols: readonly SecuritySymbol[],
  period: Period,
  now: Millis,
): MarketEvent | undefined {
  const markets = [...new Set(symbols.map((symbol) => marketOf(symbol)))];
  const events = markets.map((market): MarketEvent => {
    const span = barSpan(market, period, now);
    if (span !== undefined) return { kind: 'bar-closes', market, at: span.close };
    return { kind: 'opens', market, at: nextOpen(market, now) };
  });
  return events.toSorted((one, other) => one.at - other.at)[0];
}
