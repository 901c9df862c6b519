import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import type { Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { AccountBooks } from '../books/account-books.ts';

/** An order as a rehearsal goes through it. */
export interface Rehearsed {
  readonly security: Security;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly price: Price;
  readonly at: Millis;
}

/**
 * Goes through the orders of one instant in turn, as if each filled at its price: what one leaves in cash and position is
 * what the next finds. An order that would leave cash below zero is refused, and so are those behind it until somebody
 * brings cash back. The next instant begins with the books again.
 */
export class Rehearsal {
  readonly #books: AccountBooks;
  readonly #charges: (order: Rehearsed) => Decimal;
  #at: Millis = millis(Number.NEGATIVE_INFINITY);
  #cash = new Map<Currency, Decimal>();
  #held = new Map<SecuritySymbol, Quantity>();

  constructor(books: AccountBooks, charges: (order: Rehearsed) => Decimal) {
    this.#books = books;
    this.#charges = charges;
  }

  /** Says why the order is not covered; undefined when it is. */
  refusal(order: Rehearsed): string | undefined {
    if (order.at !== this.#at) this.#begin(order.at);
    const { currency, symbol } = order.security;
    const before = this.#cash.get(currency) ?? this.#books.cash(currency);
    const held = this.#held.get(symbol) ?? this.#books.held(symbol);
    const signed = order.side === 'buy' ? order.quantity : order.quantity.neg();
    const closed = closedBy(held, signed);
    const opened = order.quantity.minus(closed);
    const cash = before
      .minus(signed.times(order.price))
      .minus(this.#chargesOn(order, closed))
      .minus(this.#chargesOn(order, opened));
    this.#cash.set(currency, cash);
    this.#held.set(symbol, held.plus(signed));
    if (cash.gte(0)) return undefined;
    return `Insufficient funds: the orders of this instant would leave ${cash.toFixed(2)} ${currency}`;
  }

  #begin(at: Millis): void {
    this.#at = at;
    this.#cash = new Map();
    this.#held = new Map();
  }

  #chargesOn(order: Rehearsed, quantity: Quantity): Decimal {
    return quantity.isZero() ? ZERO : this.#charges({ ...order, quantity });
  }
}

/** How much of a signed quantity closes what is held. */
export function closedBy(held: Quantity, signed: Quantity): Quantity {
  if (held.isZero() || held.isNegative() === signed.isNegative()) return ZERO;
  return Decimal.min(held.abs(), signed.abs());
}
