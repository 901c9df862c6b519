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

/**
 * Receives one posting of a day. Negative amounts are paid by the account; `symbol` is the borrowed security, absent
 * for interest.
 */
export type Post = (
  kind: CashPostingKind,
  currency: Currency,
  amount: Amount,
  symbol?: SecuritySymbol,
) => void;

export interface InterestBooks extends Pick<AccountBooks, 'currencies' | 'cash' | 'unsettled' | 'borrowed'> {
  holdings(): readonly Pick<HeldSecurity, 'security' | 'quantity' | 'cost'>[];
}

/** Undefined before the first price. */
type LastPrice = (symbol: SecuritySymbol) => Amount | undefined;

/**
 * Posts the interest and fees of the day that ends at `at`: interest per currency on settled cash without the
 * collateral of short positions, then the fee of each borrowed security.
 */
export function postDay(
  books: InterestBooks,
  model: InterestModel,
  day: { readonly at: Millis; readonly lastPrice: LastPrice },
  post: Post,
): void {
  for (const currency of books.currencies()) postInterest(books, currency, model, day, post);
  postBorrowFees(books, model, day, post);
}

function postInterest(
  books: InterestBooks,
  currency: Currency,
  { debit, credit, rebate, dayCount }: InterestModel,
  { at, lastPrice }: { readonly at: Millis; readonly lastPrice: LastPrice },
  post: Post,
): void {
  const { receivable, payable, short } = books.unsettled(currency, millis(at - 1));
  const settled = add(subtract(books.cash(currency), receivable), payable);
  let shortValue: Amount = 0;
  for (const holding of books.holdings())
    if (isNegative(holding.quantity) && holding.security.currency === currency)
      shortValue = add(shortValue, absolute(marketValueOf(holding, lastPrice)));
  const collateral = max(0, subtract(shortValue, short));
  const free = subtract(settled, collateral);
  const owes = isNegative(free);
  const named = { name: currency, currency, dayCount };
  const amount = dailyInterest(free, owes ? debit : credit, named);
  const earned = add(dailyInterest(collateral, rebate, named), owes ? 0 : amount);
  if (owes && amount !== 0) post('debit-interest', currency, negate(amount));
  if (earned !== 0) post('credit-interest', currency, earned);
}

/** Values a holding at its last price, or at cost before the first. */
function marketValueOf(
  { security, quantity, cost }: Pick<HeldSecurity, 'security' | 'quantity' | 'cost'>,
  lastPrice: LastPrice,
): Amount {
  const last = lastPrice(security.symbol);
  return last === undefined ? cost : multiply(unitAmount(security, last), quantity, 'exact');
}

function postBorrowFees(
  books: InterestBooks,
  { borrow, dayCount }: InterestModel,
  { at, lastPrice }: { readonly at: Millis; readonly lastPrice: LastPrice },
  post: Post,
): void {
  for (const { security, quantity } of books.borrowed(millis(at - 1))) {
    const { symbol, currency } = security;
    const last = lastPrice(symbol);
    if (last === undefined) continue;
    const worth = multiply(unitAmount(security, last), quantity, 'exact');
    const fee = dailyInterest(worth, borrow, { name: symbol, currency, dayCount });
    if (fee !== 0) post('borrow-fee', currency, negate(fee), symbol);
  }
}
