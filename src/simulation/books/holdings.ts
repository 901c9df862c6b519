import {
  type Amount,
  absolute,
  add,
  compare,
  isNegative,
  min,
  mulDiv,
  multiply,
  negate,
  subtract,
} from '../../model/amount.ts';
import type { Side } from '../../model/order.ts';
import type { CalendarDay } from '../../model/time.ts';

export interface Holding {
  /** Signed. */
  readonly quantity: Amount;
  /** Cost of the open quantity (negative: sale proceeds of a short), without charges, in the security's currency. */
  readonly cost: Amount;
  /** The exchange's day of the latest fill. */
  readonly day: CalendarDay;
  /** Position at the start of that day. */
  readonly initial: Amount;
}

/** A position after a fill, and the profit that the fill realized before charges. */
interface HoldingChange {
  readonly holding: Holding;
  readonly realized: Amount;
}

/**
 * Books a fill at average cost. An increase adds its cost; a decrease releases the closed share of the cost (rounded
 * half up to a millionth, the last share takes the rest); a reversal does both.
 */
export function applyFill(
  before: Holding | undefined,
  fill: {
    readonly side: Side;
    readonly price: Amount;
    readonly quantity: Amount;
    readonly day: CalendarDay;
  },
): HoldingChange {
  const { side, price, quantity, day } = fill;
  const held = before?.quantity ?? 0;
  const cost = before?.cost ?? 0;
  const signed = side === 'buy' ? quantity : negate(quantity);
  const closed = closedBy(held, signed);
  const released = releasedCost(held, cost, closed);
  const opened = multiply(subtract(quantity, closed), price, 'exact');
  const remainingCost = subtract(cost, released);
  const value = multiply(closed, price, 'exact');
  return {
    holding: {
      quantity: add(held, signed),
      cost: side === 'buy' ? add(remainingCost, opened) : subtract(remainingCost, opened),
      day,
      initial: initialOn(before, day),
    },
    realized: closed === 0 ? 0 : subtract(side === 'buy' ? negate(value) : value, released),
  };
}

/** Returns how much of a signed quantity closes the position. */
export function closedBy(held: Amount, signed: Amount): Amount {
  if (held === 0 || isNegative(held) === isNegative(signed)) return 0;
  return min(absolute(held), absolute(signed));
}

function releasedCost(held: Amount, cost: Amount, closed: Amount): Amount {
  if (closed === 0) return 0;
  const size = absolute(held);
  return compare(closed, size) === 0 ? cost : mulDiv(cost, closed, size, 'half-up');
}

export function initialOn(holding: Holding | undefined, day: CalendarDay): Amount {
  if (holding === undefined) return 0;
  return holding.day === day ? holding.initial : holding.quantity;
}
