import {
  type Amount,
  add,
  max,
  min,
  multiply,
  type Ratio,
  ratioOf,
  round,
  scale,
  toAmount,
} from '../model/amount.ts';
import type { Side } from '../model/order.ts';
import type { SecurityKind } from '../model/security.ts';
import type { Market } from '../model/symbol.ts';
import { addDays, type CalendarDay, NEVER } from '../model/time.ts';
import type { ChargeRounding, ChargeRow } from './charge-row.ts';
import { hoursAt } from './day-hours.ts';
import { midnightOf } from './sessions.ts';

/** All that is charged on orders: the authorities' dated rows and the broker's own. */
export interface ChargeSchedule {
  readonly name: string;
  readonly rows: readonly ChargeRow[];
}

/** Which orders a table is for. */
export interface ChargedOrders {
  readonly market: Market;
  readonly kind: SecurityKind;
  readonly side: Side;
}

/** What one row of a schedule charges. */
export interface ChargeLine {
  readonly row: ChargeRow;
  readonly amount: Amount;
}

/** A row as amounts. Bounds are rounded like the charge itself: both never fall when the notional rises, so their order is the same. */
interface CountedRow {
  readonly row: ChargeRow;
  /** A sum per order, where the row charges one. */
  readonly flat: Amount | undefined;
  readonly rate: Rate;
  readonly minimum: Amount | undefined;
  readonly maximum: Amount | undefined;
  /** A cap as a share of the notional. */
  readonly cap: Rate | undefined;
}

/** A rate to round products with, and the same as an amount for products that are not rounded. */
interface Rate {
  readonly ratio: Ratio;
  readonly amount: Amount;
}

/**
 * The charges of one schedule on orders of one market, kind of security and side. Charges are per order per trading day: of
 * all that the order executed on the day, in total, so that a later partial fill owes the difference.
 * @see docs/charges.md
 */
export class ChargeTable {
  readonly #schedule: ChargeSchedule;
  readonly #orders: ChargedOrders;
  readonly #counted = new Map<ChargeRow, CountedRow>();
  /** Rows in force from one midnight to another. */
  #rows: readonly CountedRow[] = [];
  #from = Number.POSITIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;

  constructor(schedule: ChargeSchedule, orders: ChargedOrders) {
    this.#schedule = schedule;
    this.#orders = orders;
  }

  /** The sum charged for one order: shares and notional (price x shares) on the exchange's day of an instant, in total. */
  total(at: number, quantity: Amount, notional: Amount): Amount {
    const rows = this.#rowsAt(at);
    let sum: Amount = 0;
    for (let index = 0; index < rows.length; index += 1)
      sum = add(sum, chargeOf(rows[index] as CountedRow, quantity, notional));
    return sum;
  }

  /** The same line by line, in the schedule's order; lines of nothing are left out. */
  lines(at: number, quantity: Amount, notional: Amount): readonly ChargeLine[] {
    const lines: ChargeLine[] = [];
    for (const counted of this.#rowsAt(at)) {
      const amount = chargeOf(counted, quantity, notional);
      if (amount !== 0) lines.push({ row: counted.row, amount });
    }
    return lines;
  }

  #rowsAt(at: number): readonly CountedRow[] {
    return at >= this.#from && at < this.#until ? this.#rows : this.#rowsFrom(at);
  }

  #rowsFrom(at: number): readonly CountedRow[] {
    const { market, side, kind } = this.#orders;
    const { date } = hoursAt(market, at);
    const changes = changesOf(this.#schedule);
    const begun = changes.findLast((day) => day <= date);
    const next = changes.find((day) => day > date);
    this.#from = begun === undefined ? Number.NEGATIVE_INFINITY : midnightOf(market, begun);
    this.#until = next === undefined ? NEVER : midnightOf(market, next);
    this.#rows = this.#schedule.rows
      .filter((row) => appliesTo(row, { market, side, kind, day: date }))
      .map((row) => this.#count(row));
    return this.#rows;
  }

  #count(row: ChargeRow): CountedRow {
    const counted = this.#counted.get(row) ?? countedRow(row);
    this.#counted.set(row, counted);
    return counted;
  }
}

const TABLES = new WeakMap<ChargeSchedule, Map<string, ChargeTable>>();

/** The table of a schedule for such orders. */
export function chargeTable(schedule: ChargeSchedule, orders: ChargedOrders): ChargeTable {
  const { market, kind, side } = orders;
  let tables = TABLES.get(schedule);
  if (tables === undefined) {
    tables = new Map();
    TABLES.set(schedule, tables);
  }
  const key = `${market} ${kind} ${side}`;
  let table = tables.get(key);
  if (table === undefined) {
    table = new ChargeTable(schedule, { market, kind, side });
    tables.set(key, table);
  }
  return table;
}

/** The sum of charges; zero for none. */
export function totalOf(lines: readonly ChargeLine[]): Amount {
  return lines.reduce<Amount>((sum, { amount }) => add(sum, amount), 0);
}

/** Days on which a row comes into force or is no longer in force, earliest first. */
function changesOf({ rows }: ChargeSchedule): readonly CalendarDay[] {
  return rows
    .flatMap(({ from, until }) => [from, until === undefined ? undefined : addDays(until, 1)])
    .filter((day) => day !== undefined)
    .toSorted();
}

function appliesTo(row: ChargeRow, order: ChargedOrders & { readonly day: CalendarDay }): boolean {
  if (row.market !== undefined && row.market !== order.market) return false;
  if (row.side !== undefined && row.side !== order.side) return false;
  if (row.from !== undefined && order.day < row.from) return false;
  if (row.until !== undefined && order.day > row.until) return false;
  return !(row.exempt?.includes(order.kind) ?? false);
}

function countedRow(row: ChargeRow): CountedRow {
  const { basis, rounding, minimum, maximum, maximumRatio } = row;
  const bound = (amount: ChargeRow['minimum']): Amount | undefined =>
    amount === undefined ? undefined : rounded(toAmount(amount), rounding);
  return {
    row,
    flat: basis.kind === 'per-order' ? bound(basis.amount) : undefined,
    rate: rateOf(
      basis.kind === 'percent' ? basis.rate : basis.kind === 'per-share' ? basis.perShare : basis.amount,
    ),
    minimum: bound(minimum),
    maximum: bound(maximum),
    cap: maximumRatio === undefined ? undefined : rateOf(maximumRatio),
  };
}

function rateOf(rate: Parameters<typeof toAmount>[0]): Rate {
  return { ratio: ratioOf(rate), amount: toAmount(rate) };
}

/** What a row charges: its share or sum, at most its maximum and its cap, at least its minimum; nothing where it charges nothing. */
function chargeOf(
  { row, flat, rate, minimum, maximum, cap }: CountedRow,
  quantity: Amount,
  notional: Amount,
): Amount {
  if (quantity === 0 || rate.amount === 0) return 0;
  const { rounding } = row;
  const base = row.basis.kind === 'percent' ? notional : quantity;
  if (base === 0) return 0;
  let amount = flat ?? shareOf(base, rate, rounding);
  if (maximum !== undefined) amount = min(amount, maximum);
  const most = cap === undefined ? undefined : shareOf(notional, cap, rounding);
  if (most !== undefined) amount = min(amount, most);
  if (minimum !== undefined) amount = max(amount, minimum);
  return most !== undefined && row.capPrevails === true ? min(amount, most) : amount;
}

function shareOf(of: Amount, { ratio, amount }: Rate, rounding: ChargeRounding): Amount {
  switch (rounding) {
    case 'cent':
      return scale(of, ratio, 'half-up', 2);
    case 'whole-up':
      return scale(of, ratio, 'up', 0);
    case 'exact':
      return multiply(of, amount, 'exact');
  }
}

function rounded(amount: Amount, rounding: ChargeRounding): Amount {
  switch (rounding) {
    case 'cent':
      return round(amount, 'half-up', 2);
    case 'whole-up':
      return round(amount, 'up', 0);
    case 'exact':
      return amount;
  }
}
