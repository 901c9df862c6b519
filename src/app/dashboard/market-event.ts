import { nextOpenOf, sessionBarSpan, sessionKinds } from '../../markets/trading-sessions.ts';
import type { Period } from '../../model/period.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { TradingSessions } from '../../model/trading-sessions.ts';

/** The next event of a market that a bot waits for, by the exchange's calendar. */
export interface MarketEvent {
  readonly kind: 'bar-closes' | 'opens';
  readonly market: Market;
  readonly at: Millis;
  /** The sessions in question. */
  readonly sessions: TradingSessions;
}

/**
 * The earliest next event of the markets of some symbols in the sessions whose bars are built: a bar closes, or a
 * session opens. Undefined without symbols.
 */
export function nextMarketEvent(
  symbols: readonly SecuritySymbol[],
  period: Period,
  now: Millis,
  sessions: TradingSessions = 'regular',
): MarketEvent | undefined {
  const markets = [...new Set(symbols.map((symbol) => marketOf(symbol)))];
  const events = markets.map((market): MarketEvent => {
    const span = sessionBarSpan(market, period, now, sessions);
    if (span !== undefined) return { kind: 'bar-closes', market, at: span.close, sessions };
    return { kind: 'opens', market, at: nextOpenOf(market, now, sessionKinds(sessions)), sessions };
  });
  return events.toSorted((one, other) => one.at - other.at)[0];
}
