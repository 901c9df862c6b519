import {
  type Amount,
  add,
  formatAmount,
  isNegative,
  multiply,
  negate,
  subtract,
} from '../../model/amount.ts';
import type { Currency } from '../../model/money.ts';
import type { Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { AccountBooks } from '../books/account-books.ts';
import { closedBy } from '../books/holdings.ts';

interface CheckedOrder {
  readonly security: Security;
  readonly side: Side;
  readonly quantity: Amount;
  readonly price: Amount;
  readonly at: Millis;
}

/**
 * Checks the orders of one instant in sequence, as if each had filled at its price: each starts from the cash and
 * position that the previous one leaves. An order that leaves negative cash is refused but still counted, so later ones
 * are refused until one restores cash. The next instant starts from the books.
 */
export class SequentialFundingCheck {
  readonly #books: AccountBooks;
  readonly #charges: (order: CheckedOrder) => Amount;
  #at: Millis = millis(Number.NEGATIVE_INFINITY);
  #cash = new Map<Currency, Amount>();
  #held = new Map<SecuritySymbol, Amount>();

  constructor(books: AccountBooks, charges: (order: CheckedOrder) => Amount) {
    this.#books = books;
    this.#charges = charges;
  }

  /** Returns the reason why the order is not covered; undefined if it is. */
  refusal(order: CheckedOrder): string | undefined {
    if (order.at !== this.#at) this.#begin(order.at);
    const { currency, symbol } = order.security;
    const before = this.#cash.get(currency) ?? this.#books.cash(currency);
    const held = this.#held.get(symbol) ?? this.#books.held(symbol);
    const signed = order.side === 'buy' ? order.quantity : negate(order.quantity);
    const closed = closedBy(held, signed);
    const opened = subtract(order.quantity, closed);
    const charges = add(this.#chargesOn(order, closed), this.#chargesOn(order, opened));
    const cash = subtract(subtract(before, multiply(signed, order.price, 'exact')), charges);
    this.#cash.set(currency, cash);
    this.#held.set(symbol, add(held, signed));
    if (!isNegative(cash)) return undefined;
    return `Insufficient funds: the orders of this instant would leave ${formatAmount(cash, 2)} ${currency}`;
  }

  #begin(at: Millis): void {
    this.#at = at;
    this.#cash = new Map();
    this.#held = new Map();
  }

  #chargesOn(order: CheckedOrder, quantity: Amount): Amount {
    return quantity === 0 ? 0 : this.#charges({ ...order, quantity });
  }
}
