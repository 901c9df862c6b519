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

export interface HeldSecurity extends Holding {
  readonly security: Security;
}

type Dividend = Pick<
  Extract<CorporateAction, { kind: 'dividend' }>,
  'symbol' | 'perShare' | 'withheld' | 'payDay'
>;

const POSTING_ACCOUNTS: Readonly<Record<CashPostingKind, string>> = {
  'debit-interest': 'interest',
  'credit-interest': 'interest',
  'borrow-fee': 'borrowing',
  'write-off': 'written-off',
};

/**
 * Cash and positions of one account, with unsettled amounts tracked separately. Every execution is one balanced
 * transaction: cash against position at cost, charges and realized profit. Cash changes at the trade, not at
 * settlement.
 */
export class AccountBooks {
  readonly #ledger = new Ledger();
  readonly #holdings = new Map<SecuritySymbol, HeldSecurity>();
  /** Cached lists, valid until the next change; every account figure reads them. */
  #everHeld: readonly HeldSecurity[] | undefined;
  #openHoldings: readonly HeldSecurity[] | undefined;
  readonly #unsettled = new Map<Currency, Unsettled>();
  /** Only symbols that were ever sold short have an entry. */
  readonly #unsettledShares = new Map<SecuritySymbol, UnsettledShares>();
  readonly #currencies: Currency[] = [];
  readonly #cashPostings: CashPosting[] = [];

  constructor(cash: Readonly<Record<Currency, Decimal>>, at: Millis) {
    for (const [currency, amount] of Object.entries(cash))
      this.#moveCash(at, 'Opening', { account: 'opening', currency, amount: toAmount(amount) });
  }

  /** Books one execution; `fee` is the increase of the order's bill. */
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
    this.#setHolding(symbol, { ...holding, security });
    this.#addCurrency(currency);
    const settles = settlementDay(market, day);
    const short = shortPart(before?.quantity ?? 0, side, quantity);
    this.#unsettledOf(currency).add(market, settles, cash, multiply(short, price, 'exact'));
    if (short !== 0) this.#unsettledSharesOf(symbol).add(settles, short);
  }

  /** Deposits an amount, or withdraws it if negative; settled at once. */
  deposit(currency: Currency, amount: Amount, at: Millis): void {
    this.#moveCash(at, 'Deposit', { account: 'deposits', currency, amount });
  }

  /** Books interest, a borrow fee or a write-off; settled at once. */
  postCash(move: CashPosting): void {
    const { kind, currency, at, symbol } = move;
    const text = symbol === undefined ? kind : `${kind} of ${symbol}`;
    this.#moveCash(at, text, { account: POSTING_ACCOUNTS[kind], currency, amount: toAmount(move.amount) });
    this.#cashPostings.push(move);
  }

  /** Returns the postings of `postCash` at or after an instant, oldest first. */
  cashPostingsSince(from: Millis): readonly CashPosting[] {
    const first = this.#cashPostings.findLastIndex(({ at }) => at < from) + 1;
    return this.#cashPostings.slice(first);
  }

  /** Adds or removes shares at a price, as an outside transfer: booked against `adjustments`, not cash. */
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
    this.#setHolding(symbol, { ...holding, security });
  }

  writeOff(at: Millis): void {
    for (const currency of this.#currencies) {
      const amount = negate(this.cash(currency));
      if (amount !== 0) this.postCash({ kind: 'write-off', currency, amount: toDecimal(amount), at });
    }
  }

  /**
   * Credits a dividend on a long position or debits it from a short one. It settles on its payment day, or at once
   * without one.
   */
  payDividend({ symbol, payDay, ...paid }: Dividend, at: Millis): void {
    const held = this.#holdings.get(symbol);
    if (held === undefined || held.quantity === 0) return;
    const { currency } = held.security;
    const amount = toAmount(dividendOn(paid, toDecimal(held.quantity)));
    this.#moveCash(at, `Dividend of ${symbol}`, { account: 'dividends', currency, amount });
    if (payDay !== undefined) this.#unsettledOf(currency).add(marketOf(symbol), payDay, amount);
  }

  /** Closes the position of a delisted security at `price`, without charges and settled at once. */
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
    this.#setHolding(symbol, { ...holding, security });
    this.#unsettledShares.delete(symbol);
  }

  /**
   * Converts a position to new shares at the same cost. A fraction of a share is paid out at `price` without charges,
   * to the millionth.
   */
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
    this.#setHolding(symbol, { ...holding, security });
  }

  /** Returns currencies that ever had cash, in order of first use. */
  currencies(): readonly Currency[] {
    return this.#currencies;
  }

  cash(currency: Currency): Amount {
    return this.#ledger.balance('cash', currency);
  }

  unsettled(currency: Currency, at: Millis): UnsettledSums {
    return this.#unsettledOf(currency).sums((market) => dayOf(market, at));
  }

  /**
   * Returns the shares borrowed at an instant, sorted by symbol. A loan begins when the short sale settles and ends
   * when the covering purchase settles.
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

  /** Returns the signed position. */
  held(symbol: SecuritySymbol): Amount {
    return this.#holdings.get(symbol)?.quantity ?? 0;
  }

  /** Returns non-flat positions, in order of first trade. */
  holdings(): readonly HeldSecurity[] {
    this.#openHoldings ??= this.everHeld().filter((holding) => holding.quantity !== 0);
    return this.#openHoldings;
  }

  /** Returns every position ever held, flat or not, in order of first trade. */
  everHeld(): readonly HeldSecurity[] {
    this.#everHeld ??= [...this.#holdings.values()];
    return this.#everHeld;
  }

  /** Returns the position at the start of the exchange's day of `at`. */
  initial(symbol: SecuritySymbol, at: Millis): Amount {
    return initialOn(this.#holdings.get(symbol), dayOf(marketOf(symbol), at));
  }

  balances(): readonly BookBalance[] {
    return this.#ledger.balances();
  }

  /** Books an amount into cash (out of it if negative) against another account. */
  #moveCash(time: Millis, text: string, { account, currency, amount }: Posting): void {
    this.#ledger.post({
      time,
      text,
      postings: [
        { account: 'cash', currency, amount },
        { account, currency, amount: negate(amount) },
      ],
    });
    this.#addCurrency(currency);
  }

  #addCurrency(currency: Currency): void {
    if (!this.#currencies.includes(currency)) this.#currencies.push(currency);
  }

  #setHolding(symbol: SecuritySymbol, holding: HeldSecurity): void {
    this.#holdings.set(symbol, holding);
    this.#everHeld = undefined;
    this.#openHoldings = undefined;
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
