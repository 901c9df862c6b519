import { type Amount, ONE } from '../../model/amount.ts';
import type { Currency } from '../../model/money.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { InterestBooks } from '../../simulation/books/interest-postings.ts';
import type { UnsettledSums } from '../../simulation/books/unsettled.ts';
import type { ViewedBooks, ViewedHolding } from '../../simulation/buying-power/account-view.ts';
import type { ExpressAccount } from './account.ts';
import type { Settlements } from './settlements.ts';

/** The books of an express run as rules of the simulated venue read them, in exact amounts. */
export class ExactBooks implements ViewedBooks, InterestBooks {
  readonly #account: ExpressAccount;
  readonly #securities: readonly Security[];
  readonly #places: ReadonlyMap<SecuritySymbol, number>;
  readonly #settlements: Settlements;
  readonly #currencies: readonly Currency[];

  constructor(
    account: ExpressAccount,
    run: {
      readonly securities: readonly Security[];
      readonly currency: Currency;
      readonly settlements: Settlements;
    },
  ) {
    this.#account = account;
    this.#securities = run.securities;
    this.#places = new Map(run.securities.map(({ symbol }, place) => [symbol, place]));
    this.#settlements = run.settlements;
    this.#currencies = [run.currency];
  }

  currencies(): readonly Currency[] {
    return this.#currencies;
  }

  /** Units of the account are millionths, which amounts are as well. */
  cash(): Amount {
    return this.#account.cash;
  }

  held(symbol: SecuritySymbol): Amount {
    const place = this.#places.get(symbol);
    return place === undefined ? 0 : this.#heldAt(place);
  }

  /** Costs are left out: all that is held has a price. */
  holdings(): readonly ViewedHolding[] {
    const { places, count } = this.#account.holdings;
    const holdings: ViewedHolding[] = [];
    for (let index = 0; index < count; index += 1) {
      const place = places[index] as number;
      const security = this.#securities[place] as Security;
      holdings.push({ security, quantity: this.#heldAt(place), cost: 0 });
    }
    return holdings;
  }

  unsettled(_currency: Currency, at: Millis): UnsettledSums {
    return this.#settlements.unsettled(at);
  }

  borrowed(at: Millis): readonly { readonly security: Security; readonly quantity: Amount }[] {
    const borrowed: { readonly security: Security; readonly quantity: Amount }[] = [];
    for (let place = 0; place < this.#securities.length; place += 1) {
      const quantity = this.#settlements.borrowed(place, at);
      if (quantity !== 0) borrowed.push({ security: this.#securities[place] as Security, quantity });
    }
    return borrowed;
  }

  #heldAt(place: number): Amount {
    return (this.#account.held[place] as number) * ONE;
  }
}
