import { tradingDayOf } from '../../markets/sessions.ts';
import {
  type Amount,
  absolute,
  add,
  amountOfDouble,
  compare,
  divide,
  isNegative,
  isPositive,
  min,
  multiply,
  negate,
  scale,
  subtract,
  toAmount,
  toDecimal,
} from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import { type OrderTerms, orderId } from '../../model/order.ts';
import { marketOf } from '../../model/symbol.ts';
import type { AccountState } from '../account-state.ts';
import type { BarMatcher } from '../bar-matching/bar-matcher.ts';
import type { Tranche } from '../bar-matching/tranches.ts';
import type { HeldSecurity } from '../books/account-books.ts';
import { converted } from '../books/exchange-rates.ts';
import { factorRatio } from '../buying-power/margin.ts';
import type { SymbolMarket } from '../market/market-replay.ts';
import { PRINTS_PER_BAR } from '../market/prints.ts';
import { barOf, type PrintIndex, stepOf } from '../market/tape.ts';
import { slippedPrice } from '../matching/slippage.ts';
import type { VenueContext } from '../matching/venue-context.ts';
import type { MarginModel } from '../models.ts';
import { estimateCharges } from '../orders/bill.ts';
import { NO_EXTRAS } from '../orders/order-extras.ts';
import { newOrder, type VenueOrder } from '../orders/venue-order.ts';

interface CloseOutSources extends VenueContext {
  readonly rule: MarginModel['closeOut'];
  readonly barMatcher: BarMatcher | undefined;
}

/** The venue's message on orders created or cancelled by a close-out. */
export const CLOSED_OUT = 'Closed out';

/** Creates the close-out for a rule; undefined if accounts are never closed out. */
export function createCloseOut(
  rule: MarginModel['closeOut'],
  sources: Omit<CloseOutSources, 'rule'>,
): MarginCloseOut | undefined {
  return rule === 'none' ? undefined : new MarginCloseOut({ ...sources, rule });
}

/** Iterations of a quantity with its closing costs. Few suffice: costs grow far slower than the margin freed. */
const ITERATIONS_MAX = 5;

/** Id of an order created only to estimate its price. */
const ESTIMATE_ORDER_ID = orderId('0');

/** The print and price at which a holding is closed: the latest of its symbol. */
interface ClosePoint {
  readonly symbolMarket: SymbolMarket;
  readonly index: PrintIndex;
  readonly last: Price;
}

/**
 * Closes out accounts in debt. Under the `equity` rule: when equity is gone. Otherwise: from when equity falls below
 * the forced-liquidation margin (lower than that of a margin call) until the margin call ends.
 * @see docs/venue.md, "The market"
 */
export class MarginCloseOut {
  readonly #sources: CloseOutSources;
  /** Accounts whose close-out has begun and whose margin call has not ended. */
  readonly #inCloseOut = new Set<AccountState>();

  constructor(sources: CloseOutSources) {
    this.#sources = sources;
    sources.book.setWatched((symbolMarket) => this.#mustWatch(symbolMarket));
  }

  /** Reschedules all symbols, so that accounts in debt are checked at every print of what they hold. */
  watchPrints(): void {
    const { replay, book } = this.#sources;
    for (const symbolMarket of replay.symbolMarkets) book.reschedule(symbolMarket);
  }

  /**
   * True if a print of the symbol may exhaust an account's equity. Only accounts that owe cash or shares can lose more
   * than they have.
   */
  #mustWatch(symbolMarket: SymbolMarket): boolean {
    for (const account of this.#sources.accounts.values()) {
      if ((account.closed || owesCashOrShares(account)) && account.books.held(symbolMarket.symbol) !== 0)
        return true;
    }
    return false;
  }

  /** Checks, after a print, the accounts that it can affect; with whole bars only after the last print of a bar. */
  check(symbolMarket: SymbolMarket, index: PrintIndex): void {
    const { barMatcher, accounts, rule } = this.#sources;
    if (barMatcher !== undefined && stepOf(index) !== PRINTS_PER_BAR - 1) return;
    for (const account of accounts.values()) {
      if (rule !== 'equity' && account.books.held(symbolMarket.symbol) === 0) continue;
      if (this.#isDue(account)) this.#closeOut(account);
      else this.#inCloseOut.delete(account);
    }
  }

  #isDue(account: AccountState): boolean {
    const { view, currency } = account.funding;
    if (account.closed) return account.books.holdings().length > 0;
    if (!owesCashOrShares(account)) return false;
    const { equity, marginCall } = view.margin(currency);
    if (this.#sources.rule === 'equity') return !isPositive(equity);
    if (marginCall === 0) return false;
    return this.#inCloseOut.has(account) || compare(equity, view.forcedMargin(currency)) < 0;
  }

  #closeOut(account: AccountState): void {
    const { lifecycle, barMatcher, replay, rule } = this.#sources;
    if (!this.#inCloseOut.has(account)) {
      for (const order of [...account.open]) {
        lifecycle.finish(order, 'CanceledStatus', CLOSED_OUT);
        barMatcher?.handleEnd(order);
      }
    }
    this.#inCloseOut.add(account);
    if (rule === 'as-needed') {
      this.#reduce(account);
      const { view, currency } = account.funding;
      if (view.margin(currency).marginCall === 0) this.#inCloseOut.delete(account);
    } else
      for (const held of account.books.holdings())
        if (this.#isTradable(held)) this.#closeHolding(account, held);
    if (rule !== 'equity') return;
    account.closed = true;
    if (account.books.holdings().length === 0) account.books.writeOff(replay.now());
  }

  /**
   * Closes positions in ascending order of profit, each by at most the whole lots needed to bring maintenance margin
   * back within equity.
   * @see QuantConnect LEAN, "Margin calls" (orders by unrealized profit, ascending, until the portfolio is within its
   * requirements)
   */
  #reduce(account: AccountState): void {
    const worstFirst = account.books
      .holdings()
      .filter((held) => this.#isTradable(held))
      .toSorted((one, other) => compare(this.#profit(account, one), this.#profit(account, other)));
    for (const held of worstFirst) {
      const wanted = this.#sharesToClose(account, held);
      if (wanted !== 0) this.#closeHolding(account, held, wanted);
    }
  }

  /**
   * Returns the shares to close, in whole lots, so that maintenance margin fits into equity after costs; 0 if it
   * already fits.
   */
  #sharesToClose(account: AccountState, held: HeldSecurity): Amount {
    const { funding } = account;
    const { security, quantity } = held;
    const place = this.#closePointOf(held);
    const call = funding.view.margin(funding.currency).marginCall;
    if (place === undefined || call === 0) return 0;
    const rate = funding.rates.rate(security.currency, funding.currency);
    const lot = amountOfDouble(security.lotSize);
    const value = multiply(unitAmount(security, toAmount(place.last)), lot, 'exact');
    const maintenance = factorRatio(funding.model, security, 'maintenance');
    const freed = converted(scale(value, maintenance, 'half-up'), rate);
    if (freed === 0) return 0;
    let wanted: Amount = 0;
    for (let round = 0; round < ITERATIONS_MAX; round += 1) {
      const costs = converted(this.#costs(account, held, wanted, place), rate);
      const lots = multiply(divide(add(call, costs), freed, 'ceiling', 0), lot, 'exact');
      if (compare(lots, wanted) <= 0) break;
      wanted = min(absolute(quantity), lots);
    }
    return wanted;
  }

  /** Estimates the cost of closing shares, in the security's currency: charges plus slippage. */
  #costs(account: AccountState, held: HeldSecurity, shares: Amount, place: ClosePoint): Amount {
    const { replay } = this.#sources;
    const { security } = held;
    if (shares === 0) return 0;
    const signed = isNegative(held.quantity) ? negate(shares) : shares;
    const order = this.#order(account, held, signed, ESTIMATE_ORDER_ID);
    const price = toAmount(this.#priceFor(order, place));
    const filled = {
      security,
      side: order.terms.side,
      quantity: shares,
      notional: multiply(unitAmount(security, price), shares, 'exact'),
      at: replay.now(),
    } as const;
    const worse = unitAmount(security, absolute(subtract(price, toAmount(place.last))));
    const beyond = multiply(worse, shares, 'exact');
    return add(estimateCharges(filled, account.funding.schedule), beyond);
  }

  /** Returns the unrealized profit of a holding at its last price, in the account's currency. */
  #profit({ funding }: AccountState, { security, quantity, cost }: HeldSecurity): Amount {
    const last = this.#sources.replay.lastAmount(security.symbol);
    if (last === undefined) return 0;
    const profit = subtract(multiply(unitAmount(security, last), quantity, 'exact'), cost);
    return converted(profit, funding.rates.rate(security.currency, funding.currency));
  }

  /** True if the holding can be traded now; in a closed market it waits for the next print. */
  #isTradable({ security }: HeldSecurity): boolean {
    const { replay } = this.#sources;
    const symbolMarket = replay.symbolMarket(security.symbol);
    const standing = symbolMarket === undefined ? undefined : replay.currentPrint(symbolMarket);
    return (
      symbolMarket?.status === 'normal' && standing !== undefined && symbolMarket.tape.trades(barOf(standing))
    );
  }

  #closePointOf({ security }: HeldSecurity): ClosePoint | undefined {
    const { replay } = this.#sources;
    const symbolMarket = replay.symbolMarket(security.symbol);
    const index = symbolMarket === undefined ? undefined : replay.last(symbolMarket);
    const last = replay.lastPrice(security.symbol);
    return symbolMarket === undefined || index === undefined || last === undefined
      ? undefined
      : { symbolMarket, index, last };
  }

  /** Returns the price of a market order there, slippage included. */
  #priceFor(order: VenueOrder, { symbolMarket, index, last }: ClosePoint): Price {
    const { replay, fills } = this.#sources;
    return slippedPrice(
      order,
      { price: last, bar: symbolMarket.tape.figures(barOf(index)), at: replay.now() },
      fills,
    );
  }

  /** Closes a holding, or `shares` of it, as far as the print has volume. */
  #closeHolding(account: AccountState, held: HeldSecurity, shares = absolute(held.quantity)): void {
    const { barMatcher } = this.#sources;
    const place = this.#closePointOf(held);
    if (place === undefined) return;
    const tranches = barMatcher?.tranchesOf(account.id, held.security.symbol);
    const parts: readonly Tranche[] = [...(tranches?.all() ?? [])];
    if (parts.length === 0) {
      this.#close(account, held, isNegative(held.quantity) ? negate(shares) : shares, place);
      return;
    }
    for (const tranche of parts) {
      const { side, left } = tranche;
      const quantity = this.#close(account, held, side === 'buy' ? left : negate(left), place);
      tranches?.close({ tranche, quantity });
    }
  }

  /** Executes an order that closes a signed quantity of a holding; returns the closed quantity. */
  #close(account: AccountState, held: HeldSecurity, quantity: Amount, place: ClosePoint): Amount {
    const { replay, lifecycle, nextOrderId } = this.#sources;
    const order = this.#order(account, held, quantity, nextOrderId(replay.now()));
    const price = this.#priceFor(order, place);
    order.message = `${CLOSED_OUT} at ${price}`;
    lifecycle.addVenueOrder(order);
    const filled = lifecycle.fill(order, price, place.symbolMarket, place.index);
    lifecycle.finish(order, 'CanceledStatus', CLOSED_OUT);
    return filled;
  }

  #order(
    account: AccountState,
    { security }: HeldSecurity,
    quantity: Amount,
    id: VenueOrder['id'],
  ): VenueOrder {
    const at = this.#sources.replay.now();
    const terms: OrderTerms = {
      symbol: security.symbol,
      side: isNegative(quantity) ? 'buy' : 'sell',
      type: 'MO',
      quantity: toDecimal(absolute(quantity)),
      timeInForce: 'day',
    };
    return newOrder({
      id,
      accountId: account.id,
      security,
      submittedAt: at,
      terms,
      remark: '',
      extras: NO_EXTRAS,
      expiresAt: at,
      day: tradingDayOf(marketOf(security.symbol), at),
      rejection: undefined,
      reservePrice: undefined,
    });
  }
}

function owesCashOrShares({ books }: AccountState): boolean {
  return (
    books.currencies().some((currency) => isNegative(books.cash(currency))) ||
    books.holdings().some(({ quantity }) => isNegative(quantity))
  );
}
