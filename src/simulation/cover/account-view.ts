import type { AccountBalance, CashBalance, Position } from '../../model/account.ts';
import { type Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import { unitValue } from '../../model/option-symbol.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { AccountBooks, HeldSecurity } from '../books/account-books.ts';
import type { ExchangeRates } from '../books/exchange-rates.ts';
import type { MarginModel } from '../models.ts';
import { isUntriggered, restOf, type VenueOrder } from '../orders/venue-order.ts';
import { factorsUnder, marginCall, riskLevel } from './margin.ts';
import { OpeningSplit } from './opening-split.ts';

/** What an account's figures are made of. */
export interface ViewSources {
  readonly currency: Currency;
  readonly books: AccountBooks;
  /** Open orders, oldest first. */
  readonly open: ReadonlySet<VenueOrder>;
  readonly rates: ExchangeRates;
  readonly model: MarginModel;
  now(): Millis;
  lastPrice(symbol: SecuritySymbol): Price | undefined;
}

const COST_PLACES = 10;

interface Exposure {
  readonly marketValue: Decimal;
  readonly initMargin: Decimal;
  readonly maintenanceMargin: Decimal;
}

/**
 * Cash, margin and positions of one account at `now()`, computed when asked. Positions are marked at the last price (at
 * cost before the first). Per currency: cash with every trade counted = available + frozen, where `frozen` is what open buys
 * reserve; `settling` is the net of trades that have not settled yet, and proceeds among them cannot be withdrawn.
 * @see docs/wire-protocol.md, "Calls" (relations), 10.7, 10.8
 */
export class AccountView {
  readonly #sources: ViewSources;
  readonly #creditLine: Decimal;

  constructor(sources: ViewSources) {
    this.#sources = sources;
    this.#creditLine = this.equity(sources.currency).times(sources.model.financeMultiple);
  }

  /** Cash with every trade counted, nothing set aside. */
  cash(currency: Currency): Decimal {
    return this.#sources.books.cash(currency);
  }

  /**
   * Cash that orders may use: what open buys reserve does not count, proceeds do at once unless the model wants them settled.
   * `except` is left out.
   */
  spendable(currency: Currency, except?: VenueOrder): Decimal {
    const { books, model, now } = this.#sources;
    const free = books.cash(currency).minus(this.#reserved(currency, except));
    return model.settledOnly ? free.minus(books.unsettled(currency, now()).receivable) : free;
  }

  /** Cash plus credit line, less what is reserved, in the account's currency. */
  financeable(except?: VenueOrder): Decimal {
    const { books, currency } = this.#sources;
    return books
      .currencies()
      .reduce(
        (sum, each) => sum.plus(this.#convert(this.spendable(each, except), each, currency)),
        this.#creditLine,
      );
  }

  /** Equity less margin in use and reserved, in the account's currency. */
  buyPower(except?: VenueOrder): Decimal {
    const { currency } = this.#sources;
    return this.equity(currency).minus(this.#exposure(currency, except).initMargin);
  }

  /**
   * Equity below which the venue closes positions by force: the value of each at mark, times its forced-liquidation factor.
   * @see docs/venue.md, "The market"
   */
  forcedMargin(currency: Currency): Decimal {
    const { books, model } = this.#sources;
    return books.holdings().reduce((sum, held) => {
      const { forced } = factorsUnder(model, held.security);
      return sum.plus(this.#marketValue(held, currency).abs().times(forced));
    }, ZERO);
  }

  /** Cash plus positions at mark. */
  equity(currency: Currency): Decimal {
    const { books } = this.#sources;
    const cash = books
      .currencies()
      .reduce((sum, each) => sum.plus(this.#convert(books.cash(each), each, currency)), ZERO);
    return books.holdings().reduce((sum, held) => sum.plus(this.#marketValue(held, currency)), cash);
  }

  /**
   * Quantity that is held and not already on sale. What waits for its condition is not on sale yet: a stop and a target may
   * wait for the same shares, and the first that is met has them.
   */
  freeToSell(symbol: SecuritySymbol, except?: VenueOrder): Quantity {
    let free = this.#sources.books.held(symbol);
    for (const order of this.#sources.open) {
      if (order === except || order.terms.symbol !== symbol || order.terms.side !== 'sell') continue;
      if (isUntriggered(order)) continue;
      free = free.minus(restOf(order));
    }
    return free;
  }

  /** The part of `quantity` that would open or add to a position behind everything that works already; what waits for its condition takes none. */
  opening(symbol: SecuritySymbol, side: 'buy' | 'sell', quantity: Quantity, except?: VenueOrder): Quantity {
    const split = new OpeningSplit(this.#sources.books.held(symbol));
    for (const order of this.#sources.open) {
      if (order === except || order.terms.symbol !== symbol || isUntriggered(order)) continue;
      split.opening(order.terms.side, restOf(order));
    }
    return split.opening(side, quantity);
  }

  balance(currency: Currency): AccountBalance {
    const cash = this.#sources.books.currencies().map((each) => this.#cashOf(each));
    const inTotal = (pick: (row: CashBalance) => Decimal): Decimal =>
      cash.reduce((sum, row) => sum.plus(this.#convert(pick(row), row.currency, currency)), ZERO);
    const equity = this.equity(currency);
    const { initMargin, maintenanceMargin } = this.#exposure(currency);
    const maxFinance = this.#convert(this.#creditLine, this.#sources.currency, currency);
    return {
      currency,
      equity,
      totalCash: inTotal((row) => row.available.plus(row.frozen)),
      initMargin,
      maintenanceMargin,
      buyPower: equity.minus(initMargin),
      marginCall: marginCall(maintenanceMargin, equity),
      riskLevel: riskLevel(maintenanceMargin, equity),
      maxFinance,
      remainingFinance: maxFinance.plus(inTotal((row) => row.available)),
      cash,
      frozenFees: this.#frozenFees(),
    };
  }

  positions(symbols?: readonly SecuritySymbol[]): readonly Position[] {
    const { books } = this.#sources;
    return books
      .holdings()
      .filter(({ security }) => symbols === undefined || symbols.includes(security.symbol))
      .map(({ security, quantity, cost }) => ({
        symbol: security.symbol,
        currency: security.currency,
        quantity,
        available: this.freeToSell(security.symbol),
        averageCost: cost.div(unitValue(security, quantity)).toDecimalPlaces(COST_PLACES),
        initial: books.initial(security.symbol, this.#sources.now()),
      }));
  }

  #cashOf(currency: Currency): CashBalance {
    const { books } = this.#sources;
    const { receivable, payable } = books.unsettled(currency, this.#sources.now());
    const frozen = this.#reserved(currency);
    const available = books.cash(currency).minus(frozen);
    return {
      ...{ currency, available, frozen },
      settling: receivable.minus(payable),
      withdrawable: available.minus(receivable),
    };
  }

  #reserved(currency: Currency, except?: VenueOrder): Decimal {
    let sum = ZERO;
    for (const order of this.#sources.open) {
      if (order === except || order.terms.side !== 'buy' || order.security.currency !== currency) continue;
      if (this.#waitsToCover(order)) continue;
      sum = sum.plus(order.reserve.notional).plus(order.reserve.fees);
    }
    return sum;
  }

  /** Whether it waits to buy back a short position: that stands behind it as margin, and freezes no cash before it is met. */
  #waitsToCover(order: VenueOrder): boolean {
    if (!isUntriggered(order)) return false;
    const split = new OpeningSplit(this.#sources.books.held(order.terms.symbol));
    return split.openingIfMet('buy', restOf(order)).isZero();
  }

  #frozenFees(): AccountBalance['frozenFees'] {
    const fees = new Map<Currency, Decimal>();
    for (const order of this.#sources.open) {
      const { security, reserve } = order;
      if (reserve.fees.isZero() || this.#waitsToCover(order)) continue;
      fees.set(security.currency, (fees.get(security.currency) ?? ZERO).plus(reserve.fees));
    }
    return [...fees].map(([currency, amount]) => ({ currency, amount }));
  }

  #exposure(currency: Currency, except?: VenueOrder): Exposure {
    const { books, model } = this.#sources;
    let marketValue = ZERO;
    let initMargin = this.#reservedMargin(currency, except);
    let maintenanceMargin = ZERO;
    for (const held of books.holdings()) {
      const value = this.#marketValue(held, currency);
      const factors = factorsUnder(model, held.security);
      marketValue = marketValue.plus(value);
      initMargin = initMargin.plus(value.abs().times(factors.initial));
      maintenanceMargin = maintenanceMargin.plus(value.abs().times(factors.maintenance));
    }
    return { marketValue, initMargin, maintenanceMargin };
  }

  #reservedMargin(currency: Currency, except?: VenueOrder): Decimal {
    const { books, open, model } = this.#sources;
    const splits = new Map<SecuritySymbol, OpeningSplit>();
    let sum = ZERO;
    for (const order of open) {
      const { security, terms, reserve } = order;
      const rest = restOf(order);
      if (order === except || rest.isZero() || order.reservePrice === undefined) continue;
      const split = splits.get(terms.symbol) ?? new OpeningSplit(books.held(terms.symbol));
      splits.set(terms.symbol, split);
      const opening = isUntriggered(order)
        ? split.openingIfMet(terms.side, rest)
        : split.opening(terms.side, rest);
      if (opening.isZero() && isUntriggered(order)) continue;
      const initial = opening.times(order.reservePrice).times(factorsUnder(model, security).initial);
      const margin = initial.plus(reserve.fees);
      sum = sum.plus(this.#convert(margin, security.currency, currency));
    }
    return sum;
  }

  #marketValue({ security, quantity, cost }: HeldSecurity, currency: Currency): Decimal {
    const price = this.#sources.lastPrice(security.symbol);
    const value = price === undefined ? cost : unitValue(security, price).times(quantity);
    return this.#convert(value, security.currency, currency);
  }

  #convert(amount: Decimal, from: Currency, to: Currency): Decimal {
    if (from === to || amount.isZero()) return amount;
    return amount.times(this.#sources.rates.rate(from, to));
  }
}
