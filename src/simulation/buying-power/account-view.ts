import type { AccountBalance, CashBalance } from '../../model/account.ts';
import {
  type Amount,
  absolute,
  add,
  multiply,
  ratioOf,
  scale,
  subtract,
  toDecimal,
} from '../../model/amount.ts';
import type { Currency } from '../../model/money.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { AccountBooks, HeldSecurity } from '../books/account-books.ts';
import { converted, type ExchangeRates } from '../books/exchange-rates.ts';
import type { MarginModel } from '../models.ts';
import { isUntriggered, restOf, type VenueOrder } from '../orders/venue-order.ts';
import { factorRatio, marginCall, riskLevel } from './margin.ts';
import { OpeningSplit } from './opening-split.ts';

export interface ViewedBooks extends Pick<AccountBooks, 'currencies' | 'cash' | 'held' | 'unsettled'> {
  holdings(): readonly ViewedHolding[];
}

/** `cost` values the position before the first price of its symbol. */
export type ViewedHolding = Pick<HeldSecurity, 'security' | 'quantity' | 'cost'>;

export type ViewedOrder = Pick<
  VenueOrder,
  'terms' | 'security' | 'quantity' | 'executed' | 'triggerAt' | 'reserve' | 'reservePrice'
>;

interface ViewSources {
  readonly currency: Currency;
  readonly books: ViewedBooks;
  /** Open orders, oldest first. */
  readonly open: Iterable<ViewedOrder>;
  readonly rates: ExchangeRates;
  readonly model: MarginModel;
  now(): Millis;
  lastPrice(symbol: SecuritySymbol): Amount | undefined;
}

export function creditLineOf(
  opening: Amount,
  { financeMultiple }: Pick<MarginModel, 'financeMultiple'>,
): Amount {
  return scale(opening, ratioOf(financeMultiple), 'half-up');
}

interface Exposure {
  readonly initMargin: Amount;
  readonly maintenanceMargin: Amount;
}

type CashAmounts = { readonly [Sum in Exclude<keyof CashBalance, 'currency'>]: Amount } & Pick<
  CashBalance,
  'currency'
>;

/**
 * Cash and margin of one account at `now()`, computed on each call. Positions are marked at the last price, or at cost
 * before the first. Per currency, cash including unsettled trades = available + frozen: `frozen` is reserved by open
 * buys, `settling` is the net of unsettled trades, and unsettled proceeds cannot be withdrawn.
 * @see docs/wire-protocol.md, "Calls" (relations), 10.7, 10.8
 */
export class AccountView {
  readonly #sources: ViewSources;
  readonly #creditLine: Amount;

  /** `opening`: equity when the account opened; defaults to the current equity. */
  constructor(sources: ViewSources, opening?: Amount) {
    this.#sources = sources;
    this.#creditLine = creditLineOf(opening ?? this.equity(sources.currency), sources.model);
  }

  /** Returns cash including unsettled trades, before reservations. */
  cash(currency: Currency): Amount {
    return this.#sources.books.cash(currency);
  }

  /**
   * Returns the cash that new orders may use: without reservations of open buys, and without unsettled proceeds if the
   * model requires settled cash. The reservation of `except` is ignored.
   */
  spendable(currency: Currency, except?: ViewedOrder): Amount {
    const { books, model, now } = this.#sources;
    const free = subtract(books.cash(currency), this.#reserved(currency, except));
    return model.settledOnly ? subtract(free, books.unsettled(currency, now()).receivable) : free;
  }

  /** Returns cash plus credit line less reservations, in the account's currency. */
  financeable(except?: ViewedOrder): Amount {
    const { books, currency } = this.#sources;
    return books
      .currencies()
      .reduce(
        (sum, each) => add(sum, this.#convert(this.spendable(each, except), each, currency)),
        this.#creditLine,
      );
  }

  /** Returns equity less margin in use or reserved, in the account's currency. */
  buyPower(except?: ViewedOrder): Amount {
    const { currency } = this.#sources;
    return subtract(this.equity(currency), this.#exposure(currency, except).initMargin);
  }

  /**
   * Returns the equity below which the venue liquidates: the market value of each position times its forced-liquidation
   * factor, summed.
   * @see docs/venue.md, "The market"
   */
  forcedMargin(currency: Currency): Amount {
    const { books, model } = this.#sources;
    return books.holdings().reduce<Amount>((sum, held) => {
      const forced = factorRatio(model, held.security, 'forced');
      return add(sum, scale(absolute(this.#marketValue(held, currency)), forced, 'half-up'));
    }, 0);
  }

  /** Returns cash plus positions at market value. */
  equity(currency: Currency): Amount {
    const { books } = this.#sources;
    const cash = books
      .currencies()
      .reduce<Amount>((sum, each) => add(sum, this.#convert(books.cash(each), each, currency)), 0);
    return books.holdings().reduce((sum, held) => add(sum, this.#marketValue(held, currency)), cash);
  }

  /**
   * Returns the position not yet committed to working sells. Untriggered orders commit nothing: a stop and a target may
   * share the same shares, and the first to trigger takes them.
   */
  freeToSell(symbol: SecuritySymbol, except?: ViewedOrder): Amount {
    let free = this.#sources.books.held(symbol);
    for (const order of this.#sources.open) {
      if (order === except || order.terms.symbol !== symbol || order.terms.side !== 'sell') continue;
      if (isUntriggered(order)) continue;
      free = subtract(free, restOf(order));
    }
    return free;
  }

  /**
   * Returns the part of `quantity` that opens or adds to a position after all working orders have filled. Untriggered
   * orders are ignored.
   */
  opening(symbol: SecuritySymbol, side: 'buy' | 'sell', quantity: Amount, except?: ViewedOrder): Amount {
    const split = new OpeningSplit(this.#sources.books.held(symbol));
    for (const order of this.#sources.open) {
      if (order === except || order.terms.symbol !== symbol || isUntriggered(order)) continue;
      split.opening(order.terms.side, restOf(order));
    }
    return split.opening(side, quantity);
  }

  /** Returns the figures that decide margin calls, risk level and close-outs. */
  margin(currency: Currency): {
    readonly equity: Amount;
    readonly maintenanceMargin: Amount;
    readonly marginCall: Amount;
  } {
    const equity = this.equity(currency);
    const { maintenanceMargin } = this.#exposure(currency);
    return { equity, maintenanceMargin, marginCall: marginCall(maintenanceMargin, equity) };
  }

  balance(currency: Currency): AccountBalance {
    const cash = this.#sources.books.currencies().map((each) => this.#cashOf(each));
    const totalOf = (pick: (row: CashAmounts) => Amount): Amount =>
      cash.reduce<Amount>((sum, row) => add(sum, this.#convert(pick(row), row.currency, currency)), 0);
    const equity = this.equity(currency);
    const { initMargin, maintenanceMargin } = this.#exposure(currency);
    const maxFinance = this.#convert(this.#creditLine, this.#sources.currency, currency);
    return {
      currency,
      equity: toDecimal(equity),
      totalCash: toDecimal(totalOf((row) => add(row.available, row.frozen))),
      initMargin: toDecimal(initMargin),
      maintenanceMargin: toDecimal(maintenanceMargin),
      buyPower: toDecimal(subtract(equity, initMargin)),
      marginCall: toDecimal(marginCall(maintenanceMargin, equity)),
      riskLevel: riskLevel(maintenanceMargin, equity),
      maxFinance: toDecimal(maxFinance),
      remainingFinance: toDecimal(
        add(
          maxFinance,
          totalOf((row) => row.available),
        ),
      ),
      cash: cash.map(({ currency: of, available, frozen, settling, withdrawable }) => ({
        currency: of,
        available: toDecimal(available),
        frozen: toDecimal(frozen),
        settling: toDecimal(settling),
        withdrawable: toDecimal(withdrawable),
      })),
      frozenFees: this.#frozenFees(),
    };
  }

  #cashOf(currency: Currency): CashAmounts {
    const { books } = this.#sources;
    const { receivable, payable } = books.unsettled(currency, this.#sources.now());
    const frozen = this.#reserved(currency);
    const available = subtract(books.cash(currency), frozen);
    return {
      currency,
      available,
      frozen,
      settling: subtract(receivable, payable),
      withdrawable: subtract(available, receivable),
    };
  }

  #reserved(currency: Currency, except?: ViewedOrder): Amount {
    let sum: Amount = 0;
    for (const order of this.#sources.open) {
      if (order === except || order.terms.side !== 'buy' || order.security.currency !== currency) continue;
      if (this.#isUntriggeredCover(order)) continue;
      sum = add(add(sum, order.reserve.notional), order.reserve.fees);
    }
    return sum;
  }

  /**
   * True for an untriggered order that only covers a short position: the position's margin covers it, so it reserves no
   * cash.
   */
  #isUntriggeredCover(order: ViewedOrder): boolean {
    if (!isUntriggered(order)) return false;
    const split = new OpeningSplit(this.#sources.books.held(order.terms.symbol));
    return split.openingIfTriggered('buy', restOf(order)) === 0;
  }

  #frozenFees(): AccountBalance['frozenFees'] {
    const fees = new Map<Currency, Amount>();
    for (const order of this.#sources.open) {
      const { security, reserve } = order;
      if (reserve.fees === 0 || this.#isUntriggeredCover(order)) continue;
      fees.set(security.currency, add(fees.get(security.currency) ?? 0, reserve.fees));
    }
    return [...fees].map(([currency, amount]) => ({ currency, amount: toDecimal(amount) }));
  }

  #exposure(currency: Currency, except?: ViewedOrder): Exposure {
    const { books, model } = this.#sources;
    let initMargin = this.#reservedMargin(currency, except);
    let maintenanceMargin: Amount = 0;
    for (const held of books.holdings()) {
      const value = absolute(this.#marketValue(held, currency));
      const initial = factorRatio(model, held.security, 'initial');
      const maintenance = factorRatio(model, held.security, 'maintenance');
      initMargin = add(initMargin, scale(value, initial, 'half-up'));
      maintenanceMargin = add(maintenanceMargin, scale(value, maintenance, 'half-up'));
    }
    return { initMargin, maintenanceMargin };
  }

  #reservedMargin(currency: Currency, except?: ViewedOrder): Amount {
    const { books, open, model } = this.#sources;
    const splits = new Map<SecuritySymbol, OpeningSplit>();
    let sum: Amount = 0;
    for (const order of open) {
      const { security, terms, reserve } = order;
      const rest = restOf(order);
      if (order === except || rest === 0 || order.reservePrice === undefined) continue;
      const split = splits.get(terms.symbol) ?? new OpeningSplit(books.held(terms.symbol));
      splits.set(terms.symbol, split);
      const opening = isUntriggered(order)
        ? split.openingIfTriggered(terms.side, rest)
        : split.opening(terms.side, rest);
      if (opening === 0 && isUntriggered(order)) continue;
      const value = multiply(opening, order.reservePrice, 'exact');
      const initial = scale(value, factorRatio(model, security, 'initial'), 'half-up');
      sum = add(sum, this.#convert(add(initial, reserve.fees), security.currency, currency));
    }
    return sum;
  }

  #marketValue({ security, quantity, cost }: ViewedHolding, currency: Currency): Amount {
    const price = this.#sources.lastPrice(security.symbol);
    const value = price === undefined ? cost : multiply(unitAmount(security, price), quantity, 'exact');
    return this.#convert(value, security.currency, currency);
  }

  #convert(amount: Amount, from: Currency, to: Currency): Amount {
    if (from === to || amount === 0) return amount;
    return converted(amount, this.#sources.rates.rate(from, to));
  }
}
