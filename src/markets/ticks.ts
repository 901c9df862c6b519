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

export interface TickFacts {
  readonly market: Market;
  readonly kind: SecurityKind;
}

/** Rounding direction of a price; `nearest` rounds a midpoint up. */
export type TickDirection = 'down' | 'up' | 'nearest';

/**
 * Returns the tick size at a price on a day. Bands include their lower edge; a price at or below zero uses the lowest
 * band.
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

/** Returns the tick size of a security at a price on a day: its own, otherwise its market's. */
export function tickOf(
  { symbol, kind, tick }: Pick<Security, 'symbol' | 'kind' | 'tick'>,
  price: Decimal,
  day: CalendarDay,
): Decimal {
  return tick ?? tickSize({ market: marketOf(symbol), kind }, price, day);
}

/** Returns the days after `day` on which the security's ladder changes; empty if it has its own tick. */
export function tickChangesAfter(
  { symbol, kind, tick }: Pick<Security, 'symbol' | 'kind' | 'tick'>,
  day: CalendarDay,
): readonly CalendarDay[] {
  if (tick !== undefined) return [];
  const ladders = marketRecord(marketOf(symbol))?.ticks[kind] ?? [];
  return ladders.filter(({ confirmed, from }) => confirmed && from > day).map(({ from }) => from);
}

/** Returns the ladder in force on a day, lowest band first. */
export function tickLadder(facts: TickFacts, day: CalendarDay): TickLadder {
  const ladders = marketRecord(facts.market)?.ticks[facts.kind];
  const inForce = ladders?.find(({ confirmed, from }) => confirmed && from <= day) ?? ladders?.at(-1);
  return inForce?.ladder ?? UNKNOWN_MARKET;
}

/** True if a price is a whole number of ticks. */
export function isOnTick(price: Decimal, tick: Decimal): boolean {
  return price.isFinite() && isZero(remainder(toAmount(price), toAmount(tick)));
}

const ROUNDING = { down: 'floor', up: 'ceiling', nearest: 'half-ceiling' } as const;

/** Rounds a price to whole ticks, exactly; a price on a tick is returned unchanged. */
export function roundToTick(price: Decimal, tick: Decimal, direction: TickDirection): Price {
  const [exact, step] = [toAmount(price), toAmount(tick)];
  const rounded = multiply(divide(exact, step, ROUNDING[direction], 0), step, 'exact');
  return compare(rounded, exact) === 0 ? price : toDecimal(rounded);
}

/** Rounds a price to the tick of its band, at least one tick. */
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
 * Converts an estimate (float64) to a price (Decimal); the only such conversion. Reads the double's shortest decimal
 * text, so 0.1 is 0.1, then rounds to the tick. Throws RangeError for NaN and infinities.
 */
export function toPrice(estimate: number, tick: Decimal, direction: TickDirection): Price {
  if (!Number.isFinite(estimate)) {
    throw new RangeError(
      `Cannot make a price of ${estimate}, want a finite number; ask before the estimate is warm?`,
    );
  }
  return roundToTick(decimalOfDouble(estimate), tick, direction);
}
