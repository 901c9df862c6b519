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

/** The dated charge rows of authorities and broker. */
export interface ChargeSchedule {
  readonly name: string;
  readonly rows: readonly ChargeRow[];
}

export interface ChargedOrders {
  readonly market: Market;
  readonly kind: SecurityKind;
  readonly side: Side;
}

export interface ChargeLine {
  readonly row: ChargeRow;
  readonly amount: Amount;
}

/**
 * A row converted to amounts. Bounds are rounded like the charge; rounding is monotonic, so comparisons stay correct.
 */
interface CountedRow {
  readonly row: ChargeRow;
  /** The amount per order, if the row is flat. */
  readonly flat: Amount | undefined;
  readonly rate: Rate;
  readonly minimum: Amount | undefined;
  readonly maximum: Amount | undefined;
  readonly cap: Rate | undefined;
}

/** A rate as a ratio for rounded products and as an amount for exact ones. */
interface Rate {
  readonly ratio: Ratio;
  readonly amount: Amount;
}

/**
 * Charges of one schedule on orders of one market, kind of security and side. They are computed per order and trading
 * day on the total executed that day; a later partial fill owes the difference.
 * @see docs/charges.md
 */
export class ChargeTable {
  readonly #schedule: ChargeSchedule;
  readonly #orders: ChargedOrders;
  readonly #counted = new Map<ChargeRow, CountedRow>();
  /** Rows in force between two midnights. */
  #rows: readonly CountedRow[] = [];
  #from = Number.POSITIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;

  constructor(schedule: ChargeSchedule, orders: ChargedOrders) {
    this.#schedule = schedule;
    this.#orders = orders;
  }

  /**
   * Returns the total charge of one order; quantity and notional (price x shares) are totals of the exchange's day at
   * `at`.
   */
  total(at: number, quantity: Amount, notional: Amount): Amount {
    const rows = this.#rowsAt(at);
    let sum: Amount = 0;
    for (let index = 0; index < rows.length; index += 1)
      sum = add(sum, chargeOf(rows[index] as CountedRow, quantity, notional));
    return sum;
  }

  /** Like `total`, by row in the schedule's order, without rows of 0. */
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

export function totalOf(lines: readonly ChargeLine[]): Amount {
  return lines.reduce<Amount>((sum, { amount }) => add(sum, amount), 0);
}

/** Days on which a row takes effect or ends, ascending. */
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

/** Applies a row: its rate or amount, limited by maximum and cap, then by the minimum; 0 if the rate is 0. */
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
