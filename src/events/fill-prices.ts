import type { Currency } from '../model/money.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { SluiceEvent } from './event.ts';
import { estimated, type Portfolio, type Valuation, valueAt } from './portfolio.ts';

/** The newest fill price of each symbol in a journal, which has no other prices. */
export class FillPrices {
  readonly #prices = new Map<SecuritySymbol, number>();

  /** Updates the price of a symbol; a corporate action removes it. */
  apply(event: SluiceEvent): void {
    if (event.kind === 'order-filled' || event.kind === 'foreign-filled')
      this.#prices.set(event.fill.symbol, event.fill.price.toNumber());
    if (event.kind === 'corporate-action') this.#prices.delete(event.symbol);
  }

  /** Values cash and positions at these prices; undefined if a price is missing, or for other currencies. */
  value(portfolio: Portfolio, currency: Currency | undefined): Valuation | undefined {
    const book = estimated(portfolio, (each) => (each === currency ? 1 : Number.NaN));
    const value = valueAt(book, (symbol) => this.#prices.get(symbol) ?? Number.NaN);
    return Number.isNaN(value.equity) ? undefined : value;
  }
}
