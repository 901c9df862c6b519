import { type ChargeLine, type ChargeSchedule, chargeTable, totalOf } from '../../markets/charges.ts';
import { dayOf } from '../../markets/sessions.ts';
import { type Amount, add, toDecimal } from '../../model/amount.ts';
import type { Currency } from '../../model/money.ts';
import type { Charge, Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import type { CalendarDay, Millis } from '../../model/time.ts';

/**
 * What an order was charged. Fills of one trading day are charged together, as one; another day starts a new charge.
 * @see docs/charges.md
 */
export interface Bill {
  readonly day: CalendarDay | undefined;
  /** Executed on `day`. */
  readonly quantity: Amount;
  readonly notional: Amount;
  readonly today: readonly ChargeLine[];
  /** Charged on the days before, one line per code. */
  readonly earlier: readonly ChargeLine[];
}

export const NO_BILL: Bill = { day: undefined, quantity: 0, notional: 0, today: [], earlier: [] };

/** The sum of everything on the bill. */
export function billed(bill: Bill): Amount {
  return add(totalOf(bill.today), totalOf(bill.earlier));
}

/** Everything on the bill, one charge per code. */
export function chargesOn(bill: Bill, currency: Currency): readonly Charge[] {
  return chargesIn(linesOn(bill), currency);
}

/** Lines of a charge table as the charges of an order. */
export function chargesIn(lines: readonly ChargeLine[], currency: Currency): readonly Charge[] {
  return lines.map(({ row: { code, name, category }, amount }) => ({
    code,
    name,
    category,
    currency,
    amount: toDecimal(amount),
  }));
}

function linesOn(bill: Bill): readonly ChargeLine[] {
  if (bill.earlier.length === 0) return bill.today;
  const merged = new Map(bill.earlier.map((line) => [line.row.code, line]));
  for (const line of bill.today) {
    const before = merged.get(line.row.code);
    merged.set(
      line.row.code,
      before === undefined ? line : { ...line, amount: add(before.amount, line.amount) },
    );
  }
  return [...merged.values()];
}

/** One fill of the bill. */
export interface BilledFill {
  readonly security: Security;
  readonly side: Side;
  readonly quantity: Amount;
  readonly notional: Amount;
  readonly at: Millis;
}

/** The same bill with nothing on today's page: what comes is charged for itself. */
export function startChargeGroup(bill: Bill): Bill {
  return { ...NO_BILL, earlier: linesOn(bill) };
}

/** Adds a fill to the bill; the fill costs what the whole bill grows by. */
export function addToBill(bill: Bill, fill: BilledFill, schedule: ChargeSchedule): Bill {
  const { security, side, at } = fill;
  const market = marketOf(security.symbol);
  const day = dayOf(market, at);
  const sameDay = bill.day === day;
  const quantity = sameDay ? add(bill.quantity, fill.quantity) : fill.quantity;
  const notional = sameDay ? add(bill.notional, fill.notional) : fill.notional;
  return {
    day,
    quantity,
    notional,
    today: chargeTable(schedule, { market, kind: security.kind, side }).lines(at, quantity, notional),
    earlier: sameDay ? bill.earlier : linesOn(bill),
  };
}

/** What an order of that size would be charged if it filled on that day at once. */
export function estimateCharges(order: BilledFill, schedule: ChargeSchedule): Amount {
  const { security, side, at, quantity, notional } = order;
  const market = marketOf(security.symbol);
  return chargeTable(schedule, { market, kind: security.kind, side }).total(at, quantity, notional);
}
