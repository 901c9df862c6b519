import {
  type Amount,
  absolute,
  add,
  isNegative,
  max,
  multiply,
  negate,
  subtract,
} from '../../model/amount.ts';
import type { CashPostingKind } from '../../model/cash-posting.ts';
import type { Currency } from '../../model/money.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { AccountBooks, HeldSecurity } from './account-books.ts';
import { dailyInterest, type InterestModel } from './interest.ts';

/** What one day cost or earned by itself. */
export interface DayPosting {
  readonly kind: CashPostingKind;
  readonly currency: Currency;
  /** Below zero where the account pays. */
  readonly amount: Amount;
  /** What is borrowed; absent for interest. */
  readonly symbol?: SecuritySymbol;
}

/** What interest and borrow fees are computed from. */
export interface InterestBooks extends Pick<AccountBooks, 'currencies' | 'cash' | 'unsettled' | 'borrowed'> {
  holdings(): readonly Pick<HeldSecurity, 'security' | 'quantity' | 'cost'>[];
}

/** The newest price of a symbol; undefined before the first. */
export type LastPrice = (symbol: SecuritySymbol) => Amount | undefined;

/**
 * What the day that ends at an instant costs and earns: interest on settled cash of each currency without the collateral of short positions,
 * then the fee for each borrowed security.
 */
export function postingsOfDay(
  books: InterestBooks,
  model: InterestModel,
  { at, lastPrice }: { readonly at: Millis; readonly lastPrice: LastPrice },
): readonly DayPosting[] {
  return [...interestOn(books, model, at, lastPrice), ...borrowFees(books, model, at, lastPrice)];
}

function interestOn(
  books: InterestBooks,
  { debit, credit, rebate, dayCount }: InterestModel,
  at: Millis,
  lastPrice: LastPrice,
): readonly DayPosting[] {
  const shorts = books.holdings().filter(({ quantity }) => isNegative(quantity));
  return books.currencies().flatMap((currency): readonly DayPosting[] => {
    const { receivable, payable, short } = books.unsettled(currency, millis(at - 1));
    const settled = add(subtract(books.cash(currency), receivable), payable);
    const sold = shorts
      .filter(({ security }) => security.currency === currency)
      .reduce<Amount>((sum, holding) => add(sum, absolute(worthOf(holding, lastPrice))), 0);
    const behind = max(0, subtract(sold, short));
    const free = subtract(settled, behind);
    const owes = isNegative(free);
    const named = { name: currency, currency, dayCount };
    const amount = dailyInterest(free, owes ? debit : credit, named);
    const earned = add(dailyInterest(behind, rebate, named), owes ? 0 : amount);
    return [
      ...(owes && amount !== 0
        ? [{ kind: 'debit-interest' as const, currency, amount: negate(amount) }]
        : []),
      ...(earned === 0 ? [] : [{ kind: 'credit-interest' as const, currency, amount: earned }]),
    ];
  });
}

/** What a holding is worth at its last price, at cost before the first. */
function worthOf(
  { security, quantity, cost }: Pick<HeldSecurity, 'security' | 'quantity' | 'cost'>,
  lastPrice: LastPrice,
): Amount {
  const last = lastPrice(security.symbol);
  return last === undefined ? cost : multiply(unitAmount(security, last), quantity, 'exact');
}

function borrowFees(
  books: InterestBooks,
  { borrow, dayCount }: InterestModel,
  at: Millis,
  lastPrice: LastPrice,
): readonly DayPosting[] {
  // In the order of symbols, whichever was sold short first.
  const borrowed = books
    .borrowed(millis(at - 1))
    .toSorted((one, other) => (one.security.symbol < other.security.symbol ? -1 : 1));
  return borrowed.flatMap(({ security, quantity }): readonly DayPosting[] => {
    const { symbol, currency } = security;
    const last = lastPrice(symbol);
    if (last === undefined) return [];
    const worth = multiply(unitAmount(security, last), quantity, 'exact');
    const fee = dailyInterest(worth, borrow, { name: symbol, currency, dayCount });
    return fee === 0 ? [] : [{ kind: 'borrow-fee', currency, amount: negate(fee), symbol }];
  });
}
