import type { SessionKind } from '../../markets/day-hours.ts';
import { dayNumber } from '../../markets/day-number.ts';
import { lastCloseOf, REGULAR_KINDS, tradingDayIn } from '../../markets/held-sessions.ts';
import { marketRecord } from '../../markets/market-records.ts';
import { dayOf, midnightOf, sessionAt, sessionsOf } from '../../markets/sessions.ts';
import type { OutsideRth } from '../../model/order.ts';
import type { Market } from '../../model/symbol.ts';
import { addDays, type Millis, millis } from '../../model/time.ts';
import type { SessionFact } from '../../risk/facts.ts';

/** Sessions in which quotes are due, by the farthest one that an order trades in. */
const KINDS: Readonly<Record<OutsideRth, ReadonlySet<SessionKind>>> = {
  'rth-only': new Set(['regular']),
  'any-time': new Set(['regular', 'pre', 'post']),
  overnight: new Set(['regular', 'pre', 'post', 'overnight']),
};

/** Most days that one look back goes over; more of them are more trading time than any limit allows. */
const DAYS_MAX = 40;

/** Milliseconds between two instants in which the market traded, counted up to `atMost`: the basis of a quote's age. */
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

/** What the market does at an instant, and when that changes next: with a session's end or beginning, or the day. */
export function sessionFact(market: Market, now: Millis): SessionFact {
  const held = sessionAt(market, now);
  if (held !== undefined) return { kind: held.kind, until: held.close };
  const day = dayOf(market, now);
  const opens = sessionsOf(market, day).flatMap(({ open }) => (open > now ? [open] : []));
  return { kind: 'closed', until: millis(Math.min(midnightOf(market, addDays(day, 1)), ...opens)) };
}

/** The sessions that an order trades in, by its `outsideRth`. */
const TRADED: Readonly<Record<OutsideRth, readonly SessionKind[]>> = {
  'rth-only': REGULAR_KINDS,
  'any-time': ['regular', 'pre', 'post'],
  overnight: ['overnight'],
};

/**
 * When the trading day ends that an order sent at an instant belongs to: the last of its sessions, or with the regular one where the day
 * holds no other; undefined where no table has it.
 */
export function tradingDayEnd(
  market: Market,
  at: Millis,
  sessions: OutsideRth = 'rth-only',
): Millis | undefined {
  const wanted = marketRecord(market)?.hasExtendedHours === true ? TRADED[sessions] : REGULAR_KINDS;
  return lastCloseOf(market, dayNumber(tradingDayIn(market, at, wanted)), wanted);
}
