import type { CorporateActionBooked, InterestBooked } from '../events/event.ts';
import type { ChargeSum } from '../events/run-bounds.ts';
import type { RunRecord } from '../events/run-record.ts';
import { Decimal, ZERO } from '../model/decimal.ts';
import type { BookedFill } from '../model/fill.ts';
import type { Currency } from '../model/money.ts';
import { contractSize } from '../model/option-symbol.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { chargesIn } from './costs.ts';
import { bookedIn, type Performance } from './performance.ts';

/** Effect of a booking on equity: charges reduce it, all others may go either way. */
export type EntryKind = 'realized' | 'charge' | 'dividend' | 'interest' | 'borrowing' | 'write-off';

/** One booking; `amount` is signed, in its currency. */
export interface Entry {
  readonly kind: EntryKind;
  readonly currency: Currency;
  readonly amount: Decimal;
  /** Epoch ms. */
  readonly at: number;
  /** Kind of charge; absent for other bookings. */
  readonly charge?: Omit<ChargeSum, 'amount'>;
}

/** An open position and its cost, negative for a short sale. */
export interface OpenCost {
  readonly symbol: SecuritySymbol;
  readonly currency: Currency;
  readonly quantity: Decimal;
  readonly cost: Decimal;
}

/** All changes of an account's value: bookings up to a time, and its positions then. */
export interface Entries {
  readonly entries: readonly Entry[];
  readonly open: readonly OpenCost[];
}

/**
 * Returns the bookings of a run up to the last close: fills at average cost, their charges, and corporate actions.
 */
export function entriesOf(record: RunRecord, figures: Performance, until: number): Entries {
  if (record.fillColumns !== undefined && record.bookedActions === undefined)
    return columnEntries(record, figures, until);
  const open = new Map<SecuritySymbol, OpenCost>();
  const entries: Entry[] = [];
  for (const booked of bookedIn(record)) {
    const at = 'action' in booked ? booked.at : booked.time;
    if (at > until) continue;
    const { symbol, currency } = booked;
    const before = open.get(symbol) ?? { symbol, currency, quantity: ZERO, cost: ZERO };
    const { after, made } = 'action' in booked ? acted(before, booked) : filled(before, booked);
    if (after.quantity.isZero()) open.delete(symbol);
    else open.set(symbol, after);
    for (const each of made) if (!each.amount.isZero()) entries.push({ ...each, currency, at });
  }
  for (const decision of record.decisions ?? record.bookedInterest ?? [])
    if (decision.kind === 'interest-booked' && decision.at <= until) entries.push(interestEntry(decision));
  return { entries, open: [...open.values()] };
}

function interestEntry({ move, currency, amount, at }: InterestBooked): Entry {
  const kinds = { 'borrow-fee': 'borrowing', 'write-off': 'write-off' } as const;
  const kind = move === 'borrow-fee' || move === 'write-off' ? kinds[move] : 'interest';
  return { kind, currency, amount, at };
}

interface Booked {
  readonly after: OpenCost;
  readonly made: readonly Omit<Entry, 'currency' | 'at'>[];
}

/** Shares leave at average cost; the last one takes the remainder, so that rounding loses nothing. */
function filled(before: OpenCost, fill: BookedFill): Booked {
  const { quantity: held, cost } = before;
  const price = fill.price.times(contractSize(fill.symbol));
  const signed = fill.side === 'buy' ? fill.quantity : fill.quantity.neg();
  const closes = !held.isZero() && held.isNegative() !== signed.isNegative();
  const closed = closes ? Decimal.min(held.abs(), fill.quantity) : ZERO;
  const released = costOf(before, closed, held.abs());
  const gained = closed
    .times(price)
    .times(fill.side === 'buy' ? -1 : 1)
    .minus(released);
  const opened = signed
    .abs()
    .minus(closed)
    .times(fill.side === 'buy' ? 1 : -1)
    .times(price);
  return {
    after: { ...before, quantity: held.plus(signed), cost: cost.minus(released).plus(opened) },
    made: [
      { kind: 'realized', amount: closes ? gained : ZERO },
      ...chargesIn(fill).map(
        ({ amount, ...charge }) => ({ kind: 'charge', amount: amount.neg(), charge }) as const,
      ),
    ],
  };
}

/** A dividend is paid on the position; a split pays out fractions and a delisting everything, as sales. */
function acted(before: OpenCost, { action, quantity, amount, terms }: CorporateActionBooked): Booked {
  if (action === 'dividend') return { after: before, made: [{ kind: 'dividend', amount }] };
  const after = before.quantity.plus(quantity);
  const ratio = terms !== undefined && 'ratio' in terms ? terms.ratio : undefined;
  const exact = ratio === undefined ? before.quantity : before.quantity.times(ratio);
  const paidOut = after.isZero() ? exact : ratio === undefined ? ZERO : exact.minus(after);
  const released = exact.isZero() ? ZERO : costOf(before, paidOut.abs(), exact.abs());
  return {
    after: { ...before, quantity: after, cost: before.cost.minus(released) },
    made: [{ kind: 'realized', amount: amount.minus(released) }],
  };
}

const COST_PLACES = 8;

function costOf({ cost }: OpenCost, leaving: Decimal, held: Decimal): Decimal {
  if (leaving.isZero()) return ZERO;
  return leaving.eq(held) ? cost : cost.times(leaving).div(held).toDecimalPlaces(COST_PLACES);
}

/** For one currency without short positions, sums are sufficient. */
function columnEntries(record: RunRecord, { money, trades }: Performance, at: number): Entries {
  const { currency, chargeSums = [] } = record;
  const common = { currency, at };
  const sumOf = (pick: (trade: (typeof trades.open)[number]) => Decimal): Decimal =>
    trades.open.reduce((sum, trade) => sum.plus(pick(trade)), ZERO);
  const [figures] = money;
  if (figures === undefined) return { entries: [], open: [] };
  const realized = figures.profit
    .plus(figures.fees)
    .minus(sumOf(({ fees }) => fees))
    .plus(sumOf((trade) => trade.realized));
  return {
    entries: [
      { kind: 'realized', amount: realized, ...common },
      ...chargeSums.map(
        ({ amount, ...charge }) => ({ kind: 'charge', amount: amount.neg(), charge, ...common }) as const,
      ),
    ],
    open: trades.open.map(({ symbol, quantity, averageCost }) => ({
      symbol,
      currency,
      quantity,
      // Runs with columns start flat, so every cost is known.
      cost: (averageCost ?? ZERO).times(quantity),
    })),
  };
}
