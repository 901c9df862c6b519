import { type FillColumns, UNITS } from '../../events/fill-columns.ts';
import type { ChargeSum } from '../../events/run-bounds.ts';
import type { ChargeRounding, ChargeRow } from '../../markets/charge-row.ts';
import { appliesTo, type ChargeSchedule } from '../../markets/charges.ts';
import { hoursAt } from '../../markets/day-hours.ts';
import { midnightOf } from '../../markets/sessions.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import { addDays, type CalendarDay, NEVER } from '../../model/time.ts';
import { leave } from './leaves.ts';
import { EXACT, floorOf, unitsOfDecimal } from './units.ts';

/** What fills of one security and side are charged, in units. */
export interface ChargeTable {
  /** For one fill by itself: shares, and price x shares in units, both whole. */
  charge(at: number, quantity: number, notional: number): number;
  /** The same row by row, added to the sums; what is not charged is not in them. */
  addTo(sums: Map<ChargeRow, number>, at: number, quantity: number, notional: number): void;
}

/** One row as whole numbers (`row` is undefined for the cap of another): `of x over / under`, rounded to whole `step`s, within bounds that are rounded already. */
interface CountedRow {
  readonly row: ChargeRow | undefined;
  readonly of: 'notional' | 'quantity' | 'nothing';
  readonly over: number;
  readonly under: number;
  /** Units of one step: a cent, or a whole unit of the currency. */
  readonly step: number;
  readonly up: boolean;
  /** In units. */
  readonly least: number;
  readonly most: number;
  readonly cap: CountedRow | undefined;
  /** Whether the cap goes before `least`. */
  readonly capPrevails: boolean;
}

/** Compiles a schedule for one security and side; what applies is looked up anew when a row may have changed. */
export function chargeTable(schedule: ChargeSchedule, security: Security, side: Side): ChargeTable {
  const market = marketOf(security.symbol);
  const compiled = new Map<ChargeRow, CountedRow>();
  let until = Number.NEGATIVE_INFINITY;
  let from = Number.POSITIVE_INFINITY;
  let rows: readonly CountedRow[] = [];

  function compile(row: ChargeRow): CountedRow {
    const made = compiled.get(row) ?? counted(row);
    compiled.set(row, made);
    return made;
  }

  /** Midnight of the next day on which a row comes into force, or is no more. */
  function nextChange(today: CalendarDay): number {
    const days = schedule.rows
      .flatMap((row) => [row.from, row.until === undefined ? undefined : addDays(row.until, 1)])
      .filter((day) => day !== undefined && day > today);
    const next = days.toSorted()[0];
    return next === undefined ? NEVER : midnightOf(market, next);
  }

  function rowsAt(at: number): readonly CountedRow[] {
    return at >= from && at < until ? rows : rowsFrom(at);
  }

  function rowsFrom(at: number): readonly CountedRow[] {
    const { date, midnight } = hoursAt(market, at);
    from = midnight;
    until = nextChange(date);
    rows = schedule.rows
      .filter((row) => appliesTo(row, { market, side, day: date, kind: security.kind }))
      .map(compile);
    return rows;
  }

  return {
    charge(at, quantity, notional) {
      const charged = rowsAt(at);
      let sum = 0;
      for (let index = 0; index < charged.length; index += 1)
        sum += amountOf(charged[index] as CountedRow, quantity, notional);
      return sum;
    },
    addTo(sums, at, quantity, notional) {
      for (const each of rowsAt(at)) {
        const amount = amountOf(each, quantity, notional);
        if (each.row !== undefined && amount !== 0) sums.set(each.row, (sums.get(each.row) ?? 0) + amount);
      }
    },
  };
}

/** What all fills of a run were charged, by kind, in the order of the schedule. */
export function chargeSums(
  fills: FillColumns,
  schedule: ChargeSchedule,
  securities: readonly Security[],
): readonly ChargeSum[] {
  const buys = securities.map((security) => chargeTable(schedule, security, 'buy'));
  const sells = securities.map((security) => chargeTable(schedule, security, 'sell'));
  const sums = new Map<ChargeRow, number>();
  for (let fill = 0; fill < fills.length; fill += 1) {
    const signed = fills.quantity[fill] as number;
    const quantity = Math.abs(signed);
    const notional = Math.round((fills.price[fill] as number) * UNITS) * quantity;
    const tables = signed > 0 ? buys : sells;
    tables[fills.security[fill] as number]?.addTo(sums, fills.at[fill] as number, quantity, notional);
  }
  const byCode = new Map<string, ChargeSum>();
  for (const row of schedule.rows) {
    const units = sums.get(row);
    if (units === undefined) continue;
    const { code, name, category } = row;
    const amount = new Decimal(units).div(UNITS).plus(byCode.get(code)?.amount ?? 0);
    byCode.set(code, { code, name, category, amount });
  }
  return [...byCode.values()];
}

function counted(row: ChargeRow): CountedRow {
  const rounding = stepOf(row.rounding);
  const bound = (amount: Decimal | undefined, otherwise: number): number =>
    amount === undefined
      ? otherwise
      : toStep(unitsOfDecimal(amount), rounding.step, rounding.step, rounding.up);
  const share = (rate: Decimal): Pick<CountedRow, 'of' | 'over' | 'under'> => {
    const [over, under] = fractionOf(rate);
    return { of: 'notional', over, under: under * rounding.step };
  };
  const cap =
    row.maximumRatio === undefined
      ? undefined
      : {
          row: undefined,
          ...rounding,
          ...share(row.maximumRatio),
          least: 0,
          most: Number.POSITIVE_INFINITY,
          cap: undefined,
          capPrevails: false,
        };
  const bounds = {
    least: bound(row.minimum, 0),
    most: bound(row.maximum, Number.POSITIVE_INFINITY),
    cap,
    capPrevails: row.capPrevails === true,
  };
  switch (row.basis.kind) {
    case 'percent':
      return { row, ...rounding, ...bounds, ...share(row.basis.rate) };
    case 'per-share': {
      const [over, under] = fractionOf(row.basis.perShare);
      return {
        row,
        ...rounding,
        ...bounds,
        of: 'quantity',
        over: over * UNITS,
        under: under * rounding.step,
      };
    }
    case 'per-order':
      return {
        row,
        ...rounding,
        ...bounds,
        of: 'nothing',
        over: unitsOfDecimal(row.basis.amount),
        under: rounding.step,
      };
  }
}

function stepOf(rounding: ChargeRounding): Pick<CountedRow, 'step' | 'up'> {
  switch (rounding) {
    case 'cent':
      return { step: UNITS / 100, up: false };
    case 'whole-up':
      return { step: UNITS, up: true };
    case 'exact':
      return leave('a charge that is not rounded');
  }
}

/** A decimal as two whole numbers, the lower a power of ten. */
function fractionOf(rate: Decimal): readonly [over: number, under: number] {
  const places = rate.decimalPlaces();
  if (places > 12 || rate.isNegative()) leave(`a rate of ${rate}`);
  const under = 10 ** places;
  const over = rate.times(under).toNumber();
  if (over > EXACT) leave(`a rate of ${rate}`);
  return [over, under];
}

/** The same as `amountOf` in markets/charges.ts: bounds commute with rounding, as both never go down when the amount goes up. */
function amountOf(row: CountedRow, quantity: number, notional: number): number {
  const of = row.of === 'notional' ? notional : row.of === 'quantity' ? quantity : 1;
  if (of === 0 || row.over === 0) return 0;
  let amount = shareOf(row, of);
  if (amount > row.most) amount = row.most;
  // A cap is a share of the notional without bounds or a cap of its own.
  if (row.cap !== undefined) amount = Math.min(amount, shareOf(row.cap, notional));
  amount = Math.max(amount, row.least);
  return row.cap !== undefined && row.capPrevails ? Math.min(amount, shareOf(row.cap, notional)) : amount;
}

/** `of x over / under`, rounded to whole steps, in units. A product too large for float64 is computed from its exact factors. */
function shareOf(row: CountedRow, of: number): number {
  const { over, under, step, up } = row;
  const product = of * over;
  if (product > EXACT && of <= EXACT) return exactShareOf(row, of);
  return toStep(product, under, step, up);
}

function exactShareOf({ over, under, step, up }: CountedRow, of: number): number {
  const [whole, divisor] = [BigInt(of) * BigInt(over), BigInt(under)];
  const rounded = up ? (whole + divisor - 1n) / divisor : (2n * whole + divisor) / (2n * divisor);
  return Number(rounded) * step;
}

/** `product / under` rounded to whole steps, in units. */
function toStep(product: number, under: number, step: number, up: boolean): number {
  const whole = floorOf(product, under);
  if (product > EXACT) return whole * step;
  const rest = product - whole * under;
  return (rest > 0 && (up || 2 * rest >= under) ? whole + 1 : whole) * step;
}
