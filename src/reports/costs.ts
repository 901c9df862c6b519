import { type Decimal, ZERO } from '../model/decimal.ts';
import type { BookedFill } from '../model/fill.ts';
import type { Currency } from '../model/money.ts';
import type { Trades } from './trades.ts';

/** One kind of charge over a whole run. */
export interface ChargeSum {
  readonly code: string;
  readonly name: string;
  readonly amount: Decimal;
}

/** From gross to net in one currency. Positions that are still open count with what has left them already. */
export interface Costs {
  readonly currency: Currency;
  /** Realized profit before any charge. */
  readonly gross: Decimal;
  /** Largest first; a fee without a breakdown stands as one charge. */
  readonly charges: readonly ChargeSum[];
  readonly fees: Decimal;
  /** Gross less fees. */
  readonly net: Decimal;
}

/** Adds up what trading cost, currency by currency, sorted; empty when nothing was filled. */
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
  for (const fill of fills) {
    const rest = fill.fee.minus(sumOf(fill.charges.map((charge) => charge.amount)));
    const all = rest.isZero()
      ? fill.charges
      : [...fill.charges, { code: 'other', name: 'Not broken down', amount: rest }];
    for (const { code, name, amount } of all)
      sums.set(code, { code, name, amount: (sums.get(code)?.amount ?? ZERO).plus(amount) });
  }
  return [...sums.values()]
    .filter(({ amount }) => !amount.isZero())
    .sort((a, b) => b.amount.comparedTo(a.amount) || (a.code < b.code ? -1 : 1));
}

function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum.plus(amount), ZERO);
}
