import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';
import type { CalendarDay } from '../../model/time.ts';

/** What is held of one symbol. */
export interface Holding {
  /** Signed. */
  readonly quantity: Quantity;
  /** What the open quantity was bought for (negative: sold for), without charges, in the security's currency. */
  readonly cost: Decimal;
  /** The exchange's day of the latest fill. */
  readonly day: CalendarDay;
  /** Quantity when that day began. */
  readonly initial: Quantity;
}

/** A holding after a fill, and what the fill realized before charges. */
export interface HoldingChange {
  readonly holding: Holding;
  readonly realized: Decimal;
}

const COST_PLACES = 8;

/**
 * Books a fill at average cost: growing adds what was paid, shrinking releases the closed share of the cost (rounded to
 * 8 places, so that no figure ever outgrows a Decimal; the last share takes the rest), turning round does both.
 */
export function applyFill(
  before: Holding | undefined,
  fill: {
    readonly side: Side;
    readonly price: Price;
    readonly quantity: Quantity;
    readonly day: CalendarDay;
  },
): HoldingChange {
  const held = before?.quantity ?? ZERO;
  const cost = before?.cost ?? ZERO;
  const signed = fill.side === 'buy' ? fill.quantity : fill.quantity.neg();
  const closes = !held.isZero() && held.isNegative() !== signed.isNegative();
  const closed = closes ? Decimal.min(held.abs(), fill.quantity) : ZERO;
  const opened = fill.quantity.minus(closed);
  const released = releasedCost(held, cost, closed);
  const direction = fill.side === 'buy' ? 1 : -1;
  return {
    holding: {
      quantity: held.plus(signed),
      cost: cost.minus(released).plus(opened.times(fill.price).times(direction)),
      day: fill.day,
      initial: initialOn(before, fill.day),
    },
    realized: closes ? closed.times(fill.price).times(-direction).minus(released) : ZERO,
  };
}

function releasedCost(held: Quantity, cost: Decimal, closed: Quantity): Decimal {
  if (closed.isZero()) return ZERO;
  if (closed.eq(held.abs())) return cost;
  return cost.times(closed).div(held.abs()).toDecimalPlaces(COST_PLACES);
}

/** Quantity when the day began. */
export function initialOn(holding: Holding | undefined, day: CalendarDay): Quantity {
  if (holding === undefined) return ZERO;
  return holding.day === day ? holding.initial : holding.quantity;
}
