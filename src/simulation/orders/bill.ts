import { type ChargeSchedule, chargesOf, totalOf } from '../../markets/charges.ts';
import { dayOf } from '../../markets/sessions.ts';
import { type Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Charge, Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import type { CalendarDay, Millis } from '../../model/time.ts';

/**
 * What an order was charged. Fills of one trading day are charged together, as one; another day begins anew.
 * @see docs/charges.md
 */
export interface Bill {
  readonly day: CalendarDay | undefined;
  /** Executed on `day`. */
  readonly quantity: Quantity;
  readonly notional: Decimal;
  readonly today: readonly Charge[];
  /** Charged on the days before. */
  readonly earlier: readonly Charge[];
}

export const NO_BILL: Bill = { day: undefined, quantity: ZERO, notional: ZERO, today: [], earlier: [] };

/** The sum of everything on the bill. */
export function billed(bill: Bill): Decimal {
  return totalOf(bill.today).plus(totalOf(bill.earlier));
}

/** Everything on the bill, one line per code. */
export function chargesOn(bill: Bill): readonly Charge[] {
  if (bill.earlier.length === 0) return bill.today;
  const merged = new Map(bill.earlier.map((charge) => [charge.code, charge]));
  for (const charge of bill.today) {
    const before = merged.get(charge.code);
    merged.set(
      charge.code,
      before === undefined ? charge : { ...charge, amount: before.amount.plus(charge.amount) },
    );
  }
  return [...merged.values()];
}

/** One fill that goes on the bill. */
export interface BilledFill {
  readonly security: Security;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly notional: Decimal;
  readonly at: Millis;
}

/** The same bill with nothing on today's page: what comes is charged for itself. */
export function newPage(bill: Bill): Bill {
  return { ...NO_BILL, earlier: chargesOn(bill) };
}

/** Adds a fill to the bill; the fill costs what the whole bill grows by. */
export function addToBill(bill: Bill, fill: BilledFill, schedule: ChargeSchedule): Bill {
  const day = dayOf(marketOf(fill.security.symbol), fill.at);
  const sameDay = bill.day === day;
  const quantity = sameDay ? bill.quantity.plus(fill.quantity) : fill.quantity;
  const notional = sameDay ? bill.notional.plus(fill.notional) : fill.notional;
  return {
    day,
    quantity,
    notional,
    today: chargesFor(fill, day, { quantity, notional }, schedule),
    earlier: sameDay ? bill.earlier : chargesOn(bill),
  };
}

/** What an order of that size would be charged if it filled on that day at once. */
export function estimateCharges(order: BilledFill, schedule: ChargeSchedule): Decimal {
  const day = dayOf(marketOf(order.security.symbol), order.at);
  return totalOf(chargesFor(order, day, order, schedule));
}

function chargesFor(
  order: BilledFill,
  day: CalendarDay,
  sums: { readonly quantity: Quantity; readonly notional: Decimal },
  schedule: ChargeSchedule,
): readonly Charge[] {
  const { security, side } = order;
  return chargesOf(
    {
      market: marketOf(security.symbol),
      kind: security.kind,
      side,
      day,
      executedQuantity: sums.quantity,
      notional: sums.notional,
      currency: security.currency,
    },
    schedule,
  );
}
