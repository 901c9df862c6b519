import {
  compare,
  decimalOfDouble,
  divide,
  isZero,
  multiply,
  remainder,
  toAmount,
  toDecimal,
} from '../model/amount.ts';
import type { Decimal, Price } from '../model/decimal.ts';
import type { Security, SecurityKind } from '../model/security.ts';
import { type Market, marketOf } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';
import type { TickLadder } from './market-record.ts';
import { marketRecord } from './market-records.ts';
import { UNKNOWN_MARKET } from './tick-ladders.ts';

/** What decides about the ladder of a security. */
export interface TickFacts {
  readonly market: Market;
  readonly kind: SecurityKind;
}

/** Which neighbour on the ladder a price goes to; `nearest` takes the higher one from the middle. */
export type TickDirection = 'down' | 'up' | 'nearest';

/**
 * The smallest price step of a security at a price on a day, in its currency. Bands hold from their lower edge; a
 * price at or below zero has the step of the lowest band.
 * @see docs/venue.md, "The market"
 */
export function tickSize(facts: TickFacts, price: Decimal, day: CalendarDay): Decimal {
  const ladder = tickLadder(facts, day);
  const exact = toAmount(price);
  for (let index = ladder.length - 1; index > 0; index -= 1) {
    const band = ladder[index];
    if (band !== undefined && compare(exact, toAmount(band.from)) >= 0) return band.tick;
  }
  const lowest = ladder[0];
  if (lowest === undefined) throw new Error(`Tick ladder of "${facts.market}" has no band`);
  return lowest.tick;
}

/** The price step of a security at a price on a day: its own where it has one, else its market's. */
export function tickOf(
  { symbol, kind, tick }: Pick<Security, 'symbol' | 'kind' | 'tick'>,
  price: Decimal,
  day: CalendarDay,
): Decimal {
  return tick ?? tickSize({ market: marketOf(symbol), kind }, price, day);
}

/** Days after one on which another ladder comes into force for a security; none where it has its own step. */
export function tickChangesAfter(
  { symbol, kind, tick }: Pick<Security, 'symbol' | 'kind' | 'tick'>,
  day: CalendarDay,
): readonly CalendarDay[] {
  if (tick !== undefined) return [];
  const ladders = marketRecord(marketOf(symbol))?.ticks[kind] ?? [];
  return ladders.filter(({ confirmed, from }) => confirmed && from > day).map(({ from }) => from);
}

/** The ladder in force for a security on a day, lowest band first. */
export function tickLadder(facts: TickFacts, day: CalendarDay): TickLadder {
  const ladders = marketRecord(facts.market)?.ticks[facts.kind];
  const inForce = ladders?.find(({ confirmed, from }) => confirmed && from <= day) ?? ladders?.at(-1);
  return inForce?.ladder ?? UNKNOWN_MARKET;
}

/** True when a price is a whole number of ticks. */
export function isOnTick(price: Decimal, tick: Decimal): boolean {
  return price.isFinite() && isZero(remainder(toAmount(price), toAmount(tick)));
}

const ROUNDING = { down: 'floor', up: 'ceiling', nearest: 'half-ceiling' } as const;

/** The whole number of ticks next to a price; exact, and the price itself when it is on a tick. */
export function roundToTick(price: Decimal, tick: Decimal, direction: TickDirection): Price {
  const [exact, step] = [toAmount(price), toAmount(tick)];
  const rounded = multiply(divide(exact, step, ROUNDING[direction], 0), step, 'exact');
  return compare(rounded, exact) === 0 ? price : toDecimal(rounded);
}

/** The tick next to a price in the ladder of its band, and never zero. */
export function onTick(
  security: Pick<Security, 'symbol' | 'kind' | 'tick'>,
  price: Decimal,
  { day, direction }: { readonly day: CalendarDay; readonly direction: TickDirection },
): Price {
  const tick = tickOf(security, price, day);
  const rounded = roundToTick(price, tick, direction);
  return compare(toAmount(rounded), toAmount(tick)) < 0 ? tick : rounded;
}

/**
 * The one crossing from an estimate (float64) to a price (Decimal). It reads the shortest decimal text that names the
 * float, so 0.1 is 0.1, and then rounds on purpose. Throws RangeError for NaN and infinities.
 */
export function toPrice(estimate: number, tick: Decimal, direction: TickDirection): Price {
  if (!Number.isFinite(estimate)) {
    throw new RangeError(
      `Cannot make a price of ${estimate}, want a finite number; ask before the estimate is warm?`,
    );
  }
  return roundToTick(decimalOfDouble(estimate), tick, direction);
}
