import { curveOf } from '../events/curve/curve-figures.ts';
import { rateAsOf } from '../events/run-bounds.ts';
import type { RunRecord } from '../events/run-record.ts';
import { Decimal, decimal, ZERO } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import { contractSize } from '../model/option-symbol.ts';
import { moneyText } from './format.ts';
import type { Performance } from './performance.ts';
import { type Entry, entriesOf } from './profit-entries.ts';

/** Parts of the explanation of profit. */
export type ProfitKind =
  | 'realized'
  | 'unrealized'
  | 'commissions'
  | 'levies'
  | 'charges'
  | 'dividends'
  | 'interest'
  | 'borrowing'
  | 'write-off'
  | 'fx';

/** The label of each, in order of output. */
const PROFIT_WORDS: Readonly<Record<ProfitKind, string>> = {
  realized: 'Realized, before charges',
  unrealized: 'Unrealized, at the last close',
  commissions: "Commissions and the broker's own fees",
  levies: 'Levies, duties and fees of others',
  charges: 'Charges, not broken down',
  dividends: 'Dividends',
  interest: 'Interest',
  borrowing: 'Fees for borrowed shares',
  'write-off': 'Debt written off by the venue',
  fx: 'Exchange rates',
};

export const PROFIT_DEFINITION =
  "Profit breakdown: each entry of the books at its instant's exchange rate; later gains of cash and entries by exchange rates are a separate line";

/** From the first equity to the last by the bookings, in the account's currency. */
export interface ProfitExplained {
  readonly currency: Currency;
  /** Parts that are zero or absent are left out; realized is always present. */
  readonly parts: readonly { readonly kind: ProfitKind; readonly amount: Decimal }[];
  /** Last equity less the first. */
  readonly change: Decimal;
  /** Change of equity beyond all parts: zero within the 16 digits of a curve. */
  readonly unexplained: Decimal;
}

/**
 * Explains the profit of a run; undefined if its opening books are known only in part, or a price or rate is missing.
 */
export function profitOf(record: RunRecord, figures: Performance): ProfitExplained | undefined {
  const { bounds, currency } = record;
  if (bounds === undefined) return undefined;
  const end = curveOf(record).last;
  const rate = (of: Currency, at: number): Decimal => rateAsOf(bounds.rates.get(of), at);
  const { entries, open } = entriesOf(record, figures, end);
  const sums = new Map<ProfitKind, Decimal>([['realized', ZERO]]);
  const add = (kind: ProfitKind, amount: Decimal): void => {
    sums.set(kind, (sums.get(kind) ?? ZERO).plus(amount));
  };
  for (const [of, cash] of Object.entries(bounds.cash))
    add('fx', cash.times(rate(of, end).minus(rate(of, bounds.opened))));
  for (const entry of entries) {
    const then = rate(entry.currency, entry.at);
    add(partOf(entry), entry.amount.times(then));
    add('fx', entry.amount.times(rate(entry.currency, end).minus(then)));
  }
  for (const { symbol, currency: of, quantity, cost } of open) {
    const price = bounds.prices.get(symbol);
    if (price === undefined) return undefined;
    add('unrealized', quantity.times(price).times(contractSize(symbol)).minus(cost).times(rate(of, end)));
  }
  const parts = (Object.keys(PROFIT_WORDS) as ProfitKind[]).flatMap((kind) => {
    const amount = sums.get(kind);
    return amount === undefined || (amount.isZero() && kind !== 'realized') ? [] : [{ kind, amount }];
  });
  if (!Number.isFinite(figures.finalEquity - figures.initialEquity)) return undefined;
  const change = new Decimal(figures.finalEquity).minus(figures.initialEquity);
  const unexplained = parts.reduce((rest, { amount }) => rest.minus(amount), change);
  return { currency, parts, change, unexplained };
}

function partOf({ kind, charge }: Entry): ProfitKind {
  switch (kind) {
    case 'realized':
      return 'realized';
    case 'dividend':
      return 'dividends';
    case 'interest':
    case 'borrowing':
    case 'write-off':
      return kind;
    case 'charge':
      if (charge?.category === undefined) return 'charges';
      return charge.category === 'broker' ? 'commissions' : 'levies';
  }
}

const CENT = decimal('0.01');

/** A line of the explanation. */
export interface ProfitRow {
  readonly kind: ProfitKind | 'unexplained' | 'change';
  readonly words: string;
  /** In whole cents. */
  readonly amount: Decimal;
}

/**
 * Rounds the parts to cents so that they add up to the displayed change (rounded last equity less rounded first
 * equity). Remaining cents go, one each, to the parts with the largest rounding errors. The last row is the change.
 */
export function profitRows(profit: ProfitExplained, figures: Performance): readonly ProfitRow[] {
  const change = new Decimal(figures.finalEquity.toFixed(2)).minus(figures.initialEquity.toFixed(2));
  const rows = profit.parts.map(({ kind, amount }) => ({ kind, exact: amount, amount: inCents(amount) }));
  let left = rows.reduce((rest, { amount }) => rest.minus(amount), change);
  const step = left.isNegative() ? CENT.neg() : CENT;
  const short = ({ exact, amount }: (typeof rows)[number]): Decimal => exact.minus(amount).times(step);
  for (const row of rows.toSorted((one, other) => short(other).comparedTo(short(one)))) {
    if (left.isZero()) break;
    row.amount = row.amount.plus(step);
    left = left.minus(step);
  }
  return [
    ...rows.map(({ kind, amount }) => ({ kind, amount, words: PROFIT_WORDS[kind] })),
    ...(left.isZero()
      ? []
      : [{ kind: 'unexplained', amount: left, words: 'NOT EXPLAINED by entries' } as const]),
    { kind: 'change', amount: change, words: 'Change of equity' },
  ];
}

function inCents(amount: Decimal): Decimal {
  return amount.toDecimalPlaces(2, Decimal.ROUND_HALF_EVEN);
}

const WORDS_WIDE = 40;

/** Formats the rows as lines of text. */
export function profitLines(profit: ProfitExplained, figures: Performance): readonly string[] {
  const texts = profitRows(profit, figures).map(
    ({ words, amount }) => [words, moneyText(amount, profit.currency)] as const,
  );
  const wide = Math.max(...texts.map(([, text]) => text.length));
  return texts.map(([words, text]) => `  ${words.padEnd(WORDS_WIDE)}${text.padStart(wide)}`);
}
