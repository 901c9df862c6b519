import type { ChargeSum } from '../events/run-bounds.ts';
import { type Decimal, ZERO } from '../model/decimal.ts';
import type { BookedFill } from '../model/fill.ts';
import type { Currency } from '../model/money.ts';
import type { Trades } from './trades.ts';

/** From gross to net profit in one currency. Open positions count with what was already closed. */
export interface Costs {
  readonly currency: Currency;
  /** Realized profit before any charge, including dividends of traded symbols. */
  readonly gross: Decimal;
  /** Largest first; a fee without a breakdown is one charge. */
  readonly charges: readonly ChargeSum[];
  readonly fees: Decimal;
  /** Gross less fees. */
  readonly net: Decimal;
}

/** Adds up trading costs by currency, sorted; empty if nothing was filled. */
export function costsOf(fills: readonly BookedFill[], { closed, open }: Trades): readonly Costs[] {
  const byCurrency = Map.groupBy(fills, (fill) => fill.currency);
  return [...byCurrency.keys()].sort().map((currency) => {
    const own = byCurrency.get(currency) ?? [];
    const fees = sumOf(own.map((fill) => fill.fee));
    const realized = [
      ...closed.filter((trade) => trade.currency === currency).map((trade) => trade.profit.plus(trade.fees)),
      ...open.filter((trade) => trade.currency === currency).map((trade) => trade.realized),
    ];
    const gross = sumOf(realized);
    return { currency, gross, charges: chargesOf(own), fees, net: gross.minus(fees) };
  });
}

function chargesOf(fills: readonly BookedFill[]): readonly ChargeSum[] {
  const sums = new Map<string, ChargeSum>();
  for (const fill of fills)
    for (const { amount, ...charge } of chargesIn(fill))
      sums.set(charge.code, { ...charge, amount: (sums.get(charge.code)?.amount ?? ZERO).plus(amount) });
  return [...sums.values()]
    .filter(({ amount }) => !amount.isZero())
    .sort((a, b) => b.amount.comparedTo(a.amount) || (a.code < b.code ? -1 : 1));
}

/** The charges of a fill, line by line; the rest of its fee is a separate line. */
export function chargesIn({ fee, charges }: BookedFill): readonly ChargeSum[] {
  const rest = fee.minus(sumOf(charges.map((charge) => charge.amount)));
  const rows = charges.map(({ code, name, category, amount }) => ({ code, name, category, amount }));
  return rest.isZero() ? rows : [...rows, { code: 'other', name: 'Not broken down', amount: rest }];
}

function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), ZERO);
}
