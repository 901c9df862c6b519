import type { SessionKind } from '../../markets/day-hours.ts';
import { dayNumber } from '../../markets/day-number.ts';
import { marketRecord } from '../../markets/market-records.ts';
import { dayOf, midnightOf, sessionAt, sessionsOf } from '../../markets/sessions.ts';
import { lastCloseOf, REGULAR_KINDS, tradingDayIn } from '../../markets/trading-sessions.ts';
import type { OutsideRth } from '../../model/order.ts';
import type { Market } from '../../model/symbol.ts';
import { addDays, type Millis, millis } from '../../model/time.ts';
import type { SessionFact } from '../../risk/facts.ts';

/** Sessions in which quotes are due, by `outsideRth` of the order. */
const KINDS: Readonly<Record<OutsideRth, ReadonlySet<SessionKind>>> = {
  'rth-only': new Set(['regular']),
  'any-time': new Set(['regular', 'pre', 'post']),
  overnight: new Set(['regular', 'pre', 'post', 'overnight']),
};

/** Maximum days to look back; more contain more trading time than any limit allows. */
const DAYS_MAX = 40;

/** Returns the trading time between two instants in milliseconds, at most `atMost`: the basis of a quote's age. */
export function tradingTime(
  market: Market,
  { from, to }: { readonly from: Millis; readonly to: Millis },
  sessions: OutsideRth,
  atMost: number,
): number {
  if (to <= from) return 0;
  let spent = 0;
  let day = dayOf(market, from);
  for (let days = 0; days < DAYS_MAX; days += 1) {
    for (const { kind, open, close } of sessionsOf(market, day)) {
      if (!KINDS[sessions].has(kind)) continue;
      spent += Math.max(0, Math.min(close, to) - Math.max(open, from));
    }
    day = addDays(day, 1);
    if (spent >= atMost || midnightOf(market, day) >= to) return Math.min(spent, atMost);
  }
  return atMost;
}

/** Returns the session of a market, and when it next changes: at the start or end of a session, or of the day. */
export function sessionFact(market: Market, now: Millis): SessionFact {
  const held = sessionAt(market, now);
  if (held !== undefined) return { kind: held.kind, until: held.close };
  const day = dayOf(market, now);
  const opens = sessionsOf(market, day).flatMap(({ open }) => (open > now ? [open] : []));
  return { kind: 'closed', until: millis(Math.min(midnightOf(market, addDays(day, 1)), ...opens)) };
}

/** Sessions in which an order trades, by `outsideRth`. */
const TRADED: Readonly<Record<OutsideRth, readonly SessionKind[]>> = {
  'rth-only': REGULAR_KINDS,
  'any-time': ['regular', 'pre', 'post'],
  overnight: ['overnight'],
};

/**
 * Returns the end of the trading day of an order sent at an instant: the close of its last session, or of the regular
 * one if the day has no other. Undefined if no calendar covers the day.
 */
export function tradingDayEnd(
  market: Market,
  at: Millis,
  sessions: OutsideRth = 'rth-only',
): Millis | undefined {
  const wanted = marketRecord(market)?.hasExtendedHours === true ? TRADED[sessions] : REGULAR_KINDS;
  return lastCloseOf(market, dayNumber(tradingDayIn(market, at, wanted)), wanted);
}
