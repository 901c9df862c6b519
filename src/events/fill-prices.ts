import type { Currency } from '../model/money.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { SluiceEvent } from './event.ts';
import { estimated, type Portfolio, type Valuation, valueAt } from './portfolio.ts';

/** The newest price of each symbol among the fills of a journal: all that a journal knows of prices. */
export class FillPrices {
  readonly #prices = new Map<SecuritySymbol, number>();

  /** A corporate action removes the price of its symbol. */
  apply(event: SluiceEvent): void {
    if (event.kind === 'order-filled' || event.kind === 'foreign-filled')
      this.#prices.set(event.fill.symbol, event.fill.price.toNumber());
    if (event.kind === 'corporate-action') this.#prices.delete(event.symbol);
  }

  /** Cash and positions at these prices; undefined where a price is missing, or the rate of another currency: a journal has no rates. */
  value(portfolio: Portfolio, currency: Currency | undefined): Valuation | undefined {
    const book = estimated(portfolio, (each) => (each === currency ? 1 : Number.NaN));
    const value = valueAt(book, (symbol) => this.#prices.get(symbol) ?? Number.NaN);
    return Number.isNaN(value.equity) ? undefined : value;
  }
}
