import { type ChargeLine, type ChargeSchedule, chargeTable, totalOf } from '../../markets/charges.ts';
import { dayOf } from '../../markets/sessions.ts';
import { type Amount, add, toDecimal } from '../../model/amount.ts';
import type { Currency } from '../../model/money.ts';
import type { Charge, Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import type { CalendarDay, Millis } from '../../model/time.ts';

/**
 * The charges of an order. Fills of one trading day are charged together; another day starts a new charge.
 * @see docs/charges.md
 */
export interface Bill {
  readonly day: CalendarDay | undefined;
  /** Executed on `day`. */
  readonly quantity: Amount;
  readonly notional: Amount;
  readonly today: readonly ChargeLine[];
  /** Charged on earlier days, one line per code. */
  readonly earlier: readonly ChargeLine[];
}

export const NO_BILL: Bill = { day: undefined, quantity: 0, notional: 0, today: [], earlier: [] };

export function billed(bill: Bill): Amount {
  return add(totalOf(bill.today), totalOf(bill.earlier));
}

export function chargesOn(bill: Bill, currency: Currency): readonly Charge[] {
  return chargesIn(linesOn(bill), currency);
}

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

interface BilledFill {
  readonly security: Security;
  readonly side: Side;
  readonly quantity: Amount;
  readonly notional: Amount;
  readonly at: Millis;
}

/** Starts a new charge group: later fills are charged separately from earlier ones, even on the same day. */
export function startChargeGroup(bill: Bill): Bill {
  return { ...NO_BILL, earlier: linesOn(bill) };
}

/** Adds a fill to the bill; the fill costs the increase of the total. */
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

/** Returns the charges of an order of that size if it filled at once. */
export function estimateCharges(order: BilledFill, schedule: ChargeSchedule): Amount {
  const { security, side, at, quantity, notional } = order;
  const market = marketOf(security.symbol);
  return chargeTable(schedule, { market, kind: security.kind, side }).total(at, quantity, notional);
}
