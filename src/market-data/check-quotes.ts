import { hasTable } from '../markets/market-records.ts';
import { dayOf, isOpen, sessionAt } from '../markets/sessions.ts';
import { isOnTick, tickSize } from '../markets/ticks.ts';
import { Decimal } from '../model/decimal.ts';
import type { Security } from '../model/security.ts';
import { marketOf } from '../model/symbol.ts';
import { MINUTE_MS, type Millis, millis } from '../model/time.ts';
import { hasTicks } from './check.ts';
import type { QuoteRow } from './quote-file.ts';

const QUOTE_FINDING_KINDS = ['crossed', 'locked', 'one-sided', 'off-tick', 'out-of-session'] as const;
export type QuoteFindingKind = (typeof QUOTE_FINDING_KINDS)[number];

export interface QuoteFinding {
  readonly kind: QuoteFindingKind;
  readonly message: string;
}

export type QuoteCheck = (quote: QuoteRow) => readonly QuoteFinding[];

/**
 * Returns a check for a security's quotes: bid above ask (crossed) or equal to it (locked), a missing side, prices
 * off the tick of their day, quotes while the market is closed. A quote stamped at the close is accepted, because
 * samples are taken at the end of a minute.
 */
export function quoteCheck(security: Security): QuoteCheck {
  const market = marketOf(security.symbol);
  const ticks = new Map<string, boolean>();
  const isTick = (price: number, at: Millis): boolean => {
    if (!hasTicks(security)) return true;
    const day = dayOf(market, at);
    const key = `${price} ${day}`;
    const known = ticks.get(key);
    if (known !== undefined) return known;
    const exact = new Decimal(String(price));
    const answer = isOnTick(exact, tickSize({ market, kind: security.kind }, exact, day));
    if (ticks.size >= TICKS_MAX) ticks.clear();
    ticks.set(key, answer);
    return answer;
  };
  return ({ time, bid, ask }) => {
    const found: QuoteFinding[] = [];
    const at = millis(time);
    if (bid === undefined || ask === undefined) {
      found.push({ kind: 'one-sided', message: `There is no ${bid === undefined ? 'bid' : 'ask'}` });
    } else if (bid > ask) found.push({ kind: 'crossed', message: `Bid ${bid} is above ask ${ask}` });
    else if (bid === ask) found.push({ kind: 'locked', message: `Bid and ask are both ${bid}` });
    const odd = [bid, ask].find((price) => price !== undefined && !isTick(price, at));
    if (odd !== undefined)
      found.push({ kind: 'off-tick', message: `${odd} is not a multiple of the tick size of its day` });
    if (hasTable(market) && !isInSession(market, at)) {
      found.push({ kind: 'out-of-session', message: `A quote while ${market} was closed` });
    }
    return found;
  };
}

/** Maximum number of cached tick checks; the cache is cleared when full. Quotes repeat a few prices. */
const TICKS_MAX = 10_000;

function isInSession(market: string, at: Millis): boolean {
  return sessionAt(market, at) !== undefined || isOpen(market, millis(at - MINUTE_MS));
}
