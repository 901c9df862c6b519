import { dayOf } from '../../markets/sessions.ts';
import { settlementDay } from '../../markets/settlement.ts';
import { type CorporateAction, dividendOn } from '../../model/corporate-action.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import type { MoneyMove, MoneyMoveKind } from '../../model/money-move.ts';
import { unitValue } from '../../model/option-symbol.ts';
import type { Execution } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { applyFill, type Holding, initialOn } from './holdings.ts';
import { type BookBalance, Ledger } from './ledger.ts';
import { Unsettled, type UnsettledSums } from './unsettled.ts';
import { UnsettledShares } from './unsettled-shares.ts';

/** A holding with the security it is of. */
export interface HeldSecurity extends Holding {
  readonly security: Security;
}

/** Shares of a fill that open a short position, or below zero those that take one back. */
function shortPart(held: Quantity, side: Execution['side'], quantity: Quantity): Decimal {
  return side === 'sell'
    ? quantity.minus(Decimal.min(quantity, Decimal.max(ZERO, held)))
    : Decimal.min(quantity, Decimal.max(ZERO, held.neg())).neg();
}

/** What a share pays, and when the money is there. */
type Dividend = Pick<
  Extract<CorporateAction, { kind: 'dividend' }>,
  'symbol' | 'perShare' | 'withheld' | 'payDay'
>;

const MOVE_ACCOUNTS: Readonly<Record<MoneyMoveKind, string>> = {
  'debit-interest': 'interest',
  'credit-interest': 'interest',
  'borrow-fee': 'borrowing',
  'write-off': 'written-off',
};

/**
 * The money and the shares of one account. Every execution is one balanced transaction: cash against position at cost,
 * charges and realized profit. Cash counts a trade when it is done; what has not settled is kept beside it.
 */
export class AccountBooks {
  readonly #ledger = new Ledger();
  readonly #holdings = new Map<SecuritySymbol, HeldSecurity>();
  readonly #unsettled = new Map<Currency, Unsettled>();
  /** Of symbols that were ever sold short. */
  readonly #unsettledShares = new Map<SecuritySymbol, UnsettledShares>();
  readonly #currencies: Currency[] = [];
  readonly #moves: MoneyMove[] = [];

  constructor(cash: Readonly<Record<Currency, Decimal>>, at: Millis) {
    for (const [currency, amount] of Object.entries(cash)) {
      this.#currencies.push(currency);
      this.#ledger.post({
        time: at,
        text: 'Opening',
        postings: [
          { account: 'cash', currency, amount },
          { account: 'opening', currency, amount: amount.neg() },
        ],
      });
    }
  }

  /** Books one execution; `fee` is what the order's bill grew by. */
  book(execution: Execution, security: Security, fee: Decimal, at: Millis): void {
    const { symbol, side, quantity } = execution;
    const price = unitValue(security, execution.price);
    const { currency } = security;
    const market = marketOf(symbol);
    const day = dayOf(market, at);
    const before = this.#holdings.get(symbol);
    const { holding, realized } = applyFill(before, { side, price, quantity, day });
    const notional = price.times(quantity);
    const cash = (side === 'buy' ? notional.neg() : notional).minus(fee);
    this.#ledger.post({
      time: at,
      text: `Execution ${execution.executionId}`,
      postings: [
        { account: 'cash', currency, amount: cash },
        { account: `position:${symbol}`, currency, amount: holding.cost.minus(before?.cost ?? ZERO) },
        { account: 'charges', currency, amount: fee },
        { account: 'realized', currency, amount: realized.neg() },
      ],
    });
    this.#holdings.set(symbol, { ...holding, security });
    if (!this.#currencies.includes(currency)) this.#currencies.push(currency);
    const settles = settlementDay(market, day);
    const short = shortPart(before?.quantity ?? ZERO, side, quantity);
    this.#unsettledOf(currency).add(market, settles, cash, short.times(price));
    if (!short.isZero()) this.#unsettledSharesOf(symbol).add(settles, short);
  }

  /** Takes money in, or pays it out where the amount is below zero; settled at once. */
  deposit(currency: Currency, amount: Decimal, at: Millis): void {
    this.#ledger.post({
      time: at,
      text: 'Deposit',
      postings: [
        { account: 'cash', currency, amount },
        { account: 'deposits', currency, amount: amount.neg() },
      ],
    });
    if (!this.#currencies.includes(currency)) this.#currencies.push(currency);
  }

  /** Books what a day cost, or earned, by itself; settled at once. */
  move(move: MoneyMove): void {
    const { kind, currency, amount, at, symbol } = move;
    this.#ledger.post({
      time: at,
      text: symbol === undefined ? kind : `${kind} of ${symbol}`,
      postings: [
        { account: 'cash', currency, amount },
        { account: MOVE_ACCOUNTS[kind], currency, amount: amount.neg() },
      ],
    });
    this.#moves.push(move);
  }

  /** Money that moved by itself at or after an instant, oldest first. */
  movesSince(from: Millis): readonly MoneyMove[] {
    const first = this.#moves.findLastIndex(({ at }) => at < from) + 1;
    return this.#moves.slice(first);
  }

  /** Puts shares into the account at a price, or takes them out, against nothing: somebody else moved them. */
  adjust(
    security: Security,
    by: {
      readonly quantity: Quantity;
      readonly price: Price;
      readonly day: ReturnType<typeof dayOf>;
      readonly at: Millis;
    },
  ): void {
    const { symbol, currency } = security;
    const { day } = by;
    const price = unitValue(security, by.price);
    const before = this.#holdings.get(symbol);
    const side = by.quantity.isNegative() ? 'sell' : 'buy';
    const { holding } = applyFill(before, { side, price, quantity: by.quantity.abs(), day });
    const amount = holding.cost.minus(before?.cost ?? ZERO);
    this.#ledger.post({
      time: by.at,
      text: `Adjustment of ${symbol} by ${by.quantity}`,
      postings: [
        { account: `position:${symbol}`, currency, amount },
        { account: 'adjustments', currency, amount: amount.neg() },
      ],
    });
    this.#holdings.set(symbol, { ...holding, security });
  }

  /** Sets all cash to zero: what the owner of an account that was closed out no longer owes, or no longer gets. */
  writeOff(at: Millis): void {
    for (const currency of this.#currencies) {
      const amount = this.cash(currency).neg();
      if (!amount.isZero()) this.move({ kind: 'write-off', currency, amount, at });
    }
  }

  /** Credits a dividend on what is held; a short position pays it. It settles on its day of payment, at once without one. */
  payDividend({ symbol, payDay, ...paid }: Dividend, at: Millis): void {
    const held = this.#holdings.get(symbol);
    if (held === undefined || held.quantity.isZero()) return;
    const { currency } = held.security;
    const amount = dividendOn(paid, held.quantity);
    this.#ledger.post({
      time: at,
      text: `Dividend of ${symbol}`,
      postings: [
        { account: 'cash', currency, amount },
        { account: 'dividends', currency, amount: amount.neg() },
      ],
    });
    if (payDay !== undefined) this.#unsettledOf(currency).add(marketOf(symbol), payDay, amount);
  }

  /** Pays out what is held of a security that ends, free of charge and at once; a short position is bought back. */
  delist(symbol: SecuritySymbol, price: Price, at: Millis): void {
    const held = this.#holdings.get(symbol);
    if (held === undefined || held.quantity.isZero()) return;
    const { security, day, quantity, cost } = held;
    const { currency } = security;
    const unit = unitValue(security, price);
    const side = quantity.isNegative() ? 'buy' : 'sell';
    const { holding, realized } = applyFill(held, { side, price: unit, quantity: quantity.abs(), day });
    this.#ledger.post({
      time: at,
      text: `Delisting of ${symbol} at ${price}`,
      postings: [
        { account: 'cash', currency, amount: unit.times(quantity) },
        { account: `position:${symbol}`, currency, amount: holding.cost.minus(cost) },
        { account: 'realized', currency, amount: realized.neg() },
      ],
    });
    this.#holdings.set(symbol, { ...holding, security });
    this.#unsettledShares.delete(symbol);
  }

  /** Turns what is held into new shares at the same cost; the fraction of a share is sold at `price`, free of charge. */
  split(symbol: SecuritySymbol, { ratio, price, at }: { ratio: Decimal; price: Price; at: Millis }): void {
    this.#unsettledShares.get(symbol)?.split(ratio);
    const held = this.#holdings.get(symbol);
    if (held === undefined || held.quantity.isZero()) return;
    const { security, day } = held;
    const { currency } = security;
    const quantity = held.quantity.times(ratio);
    const fraction = quantity.minus(quantity.trunc()).abs();
    const side = quantity.isNegative() ? 'buy' : 'sell';
    const whole = { ...held, quantity, initial: held.initial.times(ratio).trunc() };
    const { holding, realized } = fraction.isZero()
      ? { holding: whole, realized: ZERO }
      : applyFill(whole, { side, price, quantity: fraction, day });
    const cash = fraction.times(price).times(side === 'sell' ? 1 : -1);
    this.#ledger.post({
      time: at,
      text: `Split of ${symbol}, ${ratio} for 1`,
      postings: [
        { account: 'cash', currency, amount: cash },
        { account: `position:${symbol}`, currency, amount: holding.cost.minus(held.cost) },
        { account: 'realized', currency, amount: realized.neg() },
      ],
    });
    this.#holdings.set(symbol, { ...holding, security });
  }

  /** Currencies with cash, in the order in which they appeared. */
  currencies(): readonly Currency[] {
    return this.#currencies;
  }

  /** Cash with every trade counted when it was done. */
  cash(currency: Currency): Decimal {
    return this.#ledger.balance('cash', currency);
  }

  unsettled(currency: Currency, at: Millis): UnsettledSums {
    return this.#unsettledOf(currency).sums((market) => dayOf(market, at));
  }

  /**
   * Shares that are borrowed at an instant, by symbol: a loan begins when the short sale settles, and ends when the purchase that covers it
   * does.
   * @see interactivebrokers.com, "When I short a stock, when will the hard to borrow interest begin accruing?"
   */
  borrowed(at: Millis): readonly { readonly security: Security; readonly quantity: Quantity }[] {
    return this.everHeld().flatMap(({ security, quantity }) => {
      const { symbol } = security;
      const unsettled = this.#unsettledShares.get(symbol)?.sum(dayOf(marketOf(symbol), at)) ?? ZERO;
      const settled = Decimal.max(ZERO, quantity.neg()).minus(unsettled);
      return settled.gt(0) ? [{ security, quantity: settled }] : [];
    });
  }

  /** Signed quantity held. */
  held(symbol: SecuritySymbol): Quantity {
    return this.#holdings.get(symbol)?.quantity ?? ZERO;
  }

  /** Everything held that is not flat, in the order of first purchase. */
  holdings(): readonly HeldSecurity[] {
    return [...this.#holdings.values()].filter((holding) => !holding.quantity.isZero());
  }

  /** Everything that was ever held, flat or not, in the order of first purchase. */
  everHeld(): readonly HeldSecurity[] {
    return [...this.#holdings.values()];
  }

  /** Quantity before the exchange's day of `at` began. */
  initial(symbol: SecuritySymbol, at: Millis): Quantity {
    return initialOn(this.#holdings.get(symbol), dayOf(marketOf(symbol), at));
  }

  balances(): readonly BookBalance[] {
    return this.#ledger.balances();
  }

  #unsettledSharesOf(symbol: SecuritySymbol): UnsettledShares {
    let unsettled = this.#unsettledShares.get(symbol);
    if (unsettled === undefined) {
      unsettled = new UnsettledShares();
      this.#unsettledShares.set(symbol, unsettled);
    }
    return unsettled;
  }

  #unsettledOf(currency: Currency): Unsettled {
    let unsettled = this.#unsettled.get(currency);
    if (unsettled === undefined) {
      unsettled = new Unsettled();
      this.#unsettled.set(currency, unsettled);
    }
    return unsettled;
  }
}
