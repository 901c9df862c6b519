import { dayOf } from '../../markets/sessions.ts';
import { settlementDay } from '../../markets/settlement.ts';
import {
  type Amount,
  absolute,
  add,
  formatAmount,
  isNegative,
  multiply,
  negate,
  ONE,
  PLACES,
  remainder,
  round,
  subtract,
  toAmount,
  toDecimal,
} from '../../model/amount.ts';
import type { CashPosting, CashPostingKind } from '../../model/cash-posting.ts';
import { type CorporateAction, dividendOn } from '../../model/corporate-action.ts';
import type { Decimal, Price } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import type { Execution } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { applyFill, type Holding, initialOn } from './holdings.ts';
import { type BookBalance, Ledger, type Posting } from './ledger.ts';
import { borrowedShares, shortPart, Unsettled, UnsettledShares, type UnsettledSums } from './unsettled.ts';

/** A holding with the security it is of. */
export interface HeldSecurity extends Holding {
  readonly security: Security;
}

/** What a share pays, and when the money is there. */
type Dividend = Pick<
  Extract<CorporateAction, { kind: 'dividend' }>,
  'symbol' | 'perShare' | 'withheld' | 'payDay'
>;

const MOVE_ACCOUNTS: Readonly<Record<CashPostingKind, string>> = {
  'debit-interest': 'interest',
  'credit-interest': 'interest',
  'borrow-fee': 'borrowing',
  'write-off': 'written-off',
};

/**
 * The money and the shares of one account. Every execution is one balanced transaction: cash against position at cost,
 * charges and realized profit. Cash counts a trade when it is done; unsettled amounts are kept separately.
 */
export class AccountBooks {
  readonly #ledger = new Ledger();
  readonly #holdings = new Map<SecuritySymbol, HeldSecurity>();
  /** Lists of these until the next change: every figure of the account goes through them. */
  #everHeld: readonly HeldSecurity[] | undefined;
  #held: readonly HeldSecurity[] | undefined;
  readonly #unsettled = new Map<Currency, Unsettled>();
  /** Of symbols that were ever sold short. */
  readonly #unsettledShares = new Map<SecuritySymbol, UnsettledShares>();
  readonly #currencies: Currency[] = [];
  readonly #moves: CashPosting[] = [];

  constructor(cash: Readonly<Record<Currency, Decimal>>, at: Millis) {
    for (const [currency, amount] of Object.entries(cash))
      this.#moveCash(at, 'Opening', { account: 'opening', currency, amount: toAmount(amount) });
  }

  /** Books one execution of an order; `fee` is what the order's bill grew by. */
  book(
    { executionId, symbol, side }: Pick<Execution, 'executionId' | 'symbol' | 'side'>,
    security: Security,
    fill: { readonly price: Amount; readonly quantity: Amount; readonly fee: Amount; readonly at: Millis },
  ): void {
    const { quantity, fee, at } = fill;
    const price = unitAmount(security, fill.price);
    const { currency } = security;
    const market = marketOf(symbol);
    const day = dayOf(market, at);
    const before = this.#holdings.get(symbol);
    const { holding, realized } = applyFill(before, { side, price, quantity, day });
    const notional = multiply(price, quantity, 'exact');
    const cash = subtract(side === 'buy' ? negate(notional) : notional, fee);
    this.#ledger.post({
      time: at,
      text: `Execution ${executionId}`,
      postings: [
        { account: 'cash', currency, amount: cash },
        { account: `position:${symbol}`, currency, amount: subtract(holding.cost, before?.cost ?? 0) },
        { account: 'charges', currency, amount: fee },
        { account: 'realized', currency, amount: negate(realized) },
      ],
    });
    this.#hold(symbol, { ...holding, security });
    this.#knowCurrency(currency);
    const settles = settlementDay(market, day);
    const short = shortPart(before?.quantity ?? 0, side, quantity);
    this.#unsettledOf(currency).add(market, settles, cash, multiply(short, price, 'exact'));
    if (short !== 0) this.#unsettledSharesOf(symbol).add(settles, short);
  }

  /** Takes money in, or pays it out where the amount is below zero; settled at once. */
  deposit(currency: Currency, amount: Amount, at: Millis): void {
    this.#moveCash(at, 'Deposit', { account: 'deposits', currency, amount });
  }

  /** Books what a day cost, or earned, by itself; settled at once. */
  move(move: CashPosting): void {
    const { kind, currency, at, symbol } = move;
    const text = symbol === undefined ? kind : `${kind} of ${symbol}`;
    this.#moveCash(at, text, { account: MOVE_ACCOUNTS[kind], currency, amount: toAmount(move.amount) });
    this.#moves.push(move);
  }

  /** Money that moved by itself at or after an instant, oldest first. */
  movesSince(from: Millis): readonly CashPosting[] {
    const first = this.#moves.findLastIndex(({ at }) => at < from) + 1;
    return this.#moves.slice(first);
  }

  /** Adds shares to the account at a price, or removes them, without a counter-entry: an outside transfer. */
  adjust(
    security: Security,
    by: {
      readonly quantity: Amount;
      readonly price: Amount;
      readonly day: ReturnType<typeof dayOf>;
      readonly at: Millis;
    },
  ): void {
    const { symbol, currency } = security;
    const { day } = by;
    const price = unitAmount(security, by.price);
    const before = this.#holdings.get(symbol);
    const side = isNegative(by.quantity) ? 'sell' : 'buy';
    const { holding } = applyFill(before, { side, price, quantity: absolute(by.quantity), day });
    const amount = subtract(holding.cost, before?.cost ?? 0);
    this.#ledger.post({
      time: by.at,
      text: `Adjustment of ${symbol} by ${formatAmount(by.quantity)}`,
      postings: [
        { account: `position:${symbol}`, currency, amount },
        { account: 'adjustments', currency, amount: negate(amount) },
      ],
    });
    this.#hold(symbol, { ...holding, security });
  }

  /** Sets all cash to zero: what the owner of an account that was closed out no longer owes, or no longer gets. */
  writeOff(at: Millis): void {
    for (const currency of this.#currencies) {
      const amount = negate(this.cash(currency));
      if (amount !== 0) this.move({ kind: 'write-off', currency, amount: toDecimal(amount), at });
    }
  }

  /** Credits a dividend on what is held; a short position pays it. It settles on its day of payment, at once without one. */
  payDividend({ symbol, payDay, ...paid }: Dividend, at: Millis): void {
    const held = this.#holdings.get(symbol);
    if (held === undefined || held.quantity === 0) return;
    const { currency } = held.security;
    const amount = toAmount(dividendOn(paid, toDecimal(held.quantity)));
    this.#moveCash(at, `Dividend of ${symbol}`, { account: 'dividends', currency, amount });
    if (payDay !== undefined) this.#unsettledOf(currency).add(marketOf(symbol), payDay, amount);
  }

  /** Pays out what is held of a security that ends, free of charge and at once; a short position is bought back. */
  delist(symbol: SecuritySymbol, price: Price, at: Millis): void {
    const held = this.#holdings.get(symbol);
    if (held === undefined || held.quantity === 0) return;
    const { security, day, quantity, cost } = held;
    const { currency } = security;
    const unit = unitAmount(security, toAmount(price));
    const side = isNegative(quantity) ? 'buy' : 'sell';
    const { holding, realized } = applyFill(held, { side, price: unit, quantity: absolute(quantity), day });
    this.#ledger.post({
      time: at,
      text: `Delisting of ${symbol} at ${price}`,
      postings: [
        { account: 'cash', currency, amount: multiply(unit, quantity, 'exact') },
        { account: `position:${symbol}`, currency, amount: subtract(holding.cost, cost) },
        { account: 'realized', currency, amount: negate(realized) },
      ],
    });
    this.#hold(symbol, { ...holding, security });
    this.#unsettledShares.delete(symbol);
  }

  /** Turns what is held into new shares at the same cost; the fraction of a share is sold at `price`, to the millionth and free of charge. */
  split(
    symbol: SecuritySymbol,
    split: { readonly ratio: Decimal; readonly price: Amount; readonly at: Millis },
  ): void {
    const { price, at } = split;
    const ratio = toAmount(split.ratio);
    this.#unsettledShares.get(symbol)?.split(ratio);
    const held = this.#holdings.get(symbol);
    if (held === undefined || held.quantity === 0) return;
    const { security, day } = held;
    const { currency } = security;
    const quantity = multiply(held.quantity, ratio, 'exact');
    const fraction = absolute(remainder(quantity, ONE));
    const side = isNegative(quantity) ? 'buy' : 'sell';
    const cash = round(multiply(fraction, price, 'exact'), 'half-up', PLACES);
    const initial = round(multiply(held.initial, ratio, 'exact'), 'down', 0);
    const whole = { ...held, quantity, initial };
    const { holding } =
      fraction === 0 ? { holding: whole } : applyFill(whole, { side, price, quantity: fraction, day });
    const received = side === 'sell' ? cash : negate(cash);
    const released = subtract(holding.cost, held.cost);
    this.#ledger.post({
      time: at,
      text: `Split of ${symbol}, ${split.ratio} for 1`,
      postings: [
        { account: 'cash', currency, amount: received },
        { account: `position:${symbol}`, currency, amount: released },
        { account: 'realized', currency, amount: negate(add(received, released)) },
      ],
    });
    this.#hold(symbol, { ...holding, security });
  }

  /** Currencies with cash, in the order in which they appeared. */
  currencies(): readonly Currency[] {
    return this.#currencies;
  }

  /** Cash with every trade counted when it was done. */
  cash(currency: Currency): Amount {
    return this.#ledger.balance('cash', currency);
  }

  unsettled(currency: Currency, at: Millis): UnsettledSums {
    return this.#unsettledOf(currency).sums((market) => dayOf(market, at));
  }

  /**
   * Shares that are borrowed at an instant, in the order of symbols: a loan begins when the short sale settles, and ends when the purchase that covers it
   * does.
   * @see interactivebrokers.com, "When I short a stock, when will the hard to borrow interest begin accruing?"
   */
  borrowed(at: Millis): readonly { readonly security: Security; readonly quantity: Amount }[] {
    const borrowed: { readonly security: Security; readonly quantity: Amount }[] = [];
    for (const { security, quantity } of this.everHeld()) {
      const { symbol } = security;
      const shares = borrowedShares(quantity, this.#unsettledShares.get(symbol), dayOf(marketOf(symbol), at));
      if (shares !== 0) borrowed.push({ security, quantity: shares });
    }
    return borrowed.sort((one, other) => (one.security.symbol < other.security.symbol ? -1 : 1));
  }

  /** Signed quantity held. */
  held(symbol: SecuritySymbol): Amount {
    return this.#holdings.get(symbol)?.quantity ?? 0;
  }

  /** Everything held that is not flat, in the order of first purchase. */
  holdings(): readonly HeldSecurity[] {
    this.#held ??= this.everHeld().filter((holding) => holding.quantity !== 0);
    return this.#held;
  }

  /** Everything that was ever held, flat or not, in the order of first purchase. */
  everHeld(): readonly HeldSecurity[] {
    this.#everHeld ??= [...this.#holdings.values()];
    return this.#everHeld;
  }

  /** Quantity before the exchange's day of `at` began. */
  initial(symbol: SecuritySymbol, at: Millis): Amount {
    return initialOn(this.#holdings.get(symbol), dayOf(marketOf(symbol), at));
  }

  balances(): readonly BookBalance[] {
    return this.#ledger.balances();
  }

  /** Books an amount into cash, out of it where it is below zero, against the account that it comes from. */
  #moveCash(time: Millis, text: string, { account, currency, amount }: Posting): void {
    this.#ledger.post({
      time,
      text,
      postings: [
        { account: 'cash', currency, amount },
        { account, currency, amount: negate(amount) },
      ],
    });
    this.#knowCurrency(currency);
  }

  #knowCurrency(currency: Currency): void {
    if (!this.#currencies.includes(currency)) this.#currencies.push(currency);
  }

  #hold(symbol: SecuritySymbol, holding: HeldSecurity): void {
    this.#holdings.set(symbol, holding);
    this.#everHeld = undefined;
    this.#held = undefined;
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
