import { dayOf } from '../../markets/sessions.ts';
import { type Amount, ONE } from '../../model/amount.ts';
import type { Currency } from '../../model/money.ts';
import type { Security } from '../../model/security.ts';
import type { Market, SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { InterestBooks } from '../../simulation/books/interest-postings.ts';
import type { UnsettledSums } from '../../simulation/books/unsettled.ts';
import type { ViewedBooks, ViewedHolding } from '../../simulation/buying-power/account-view.ts';
import type { ExpressAccount } from './account.ts';
import type { Settlements } from './settlements.ts';

/** The books of an express run in exact amounts, for the rules of the simulated venue. */
export class ExactBooks implements ViewedBooks, InterestBooks {
  readonly #account: ExpressAccount;
  readonly #securities: readonly Security[];
  readonly #places: ReadonlyMap<SecuritySymbol, number>;
  readonly #settlements: Settlements;
  readonly #currencies: readonly Currency[];
  readonly #market: Market;
  /** Indices of securities, ordered by symbol. */
  readonly #bySymbol: readonly number[];
  #holdings: readonly ViewedHolding[] = [];
  /** Number of position changes at the last update of `#holdings`, and of `#borrowed`. */
  #heldSince = Number.NaN;
  #borrowed: ReturnType<InterestBooks['borrowed']> = [];
  #borrowedSince = Number.NaN;

  constructor(
    account: ExpressAccount,
    run: {
      readonly securities: readonly Security[];
      readonly currency: Currency;
      readonly market: Market;
      readonly settlements: Settlements;
    },
  ) {
    this.#account = account;
    this.#securities = run.securities;
    this.#places = new Map(run.securities.map(({ symbol }, place) => [symbol, place]));
    this.#settlements = run.settlements;
    this.#currencies = [run.currency];
    this.#market = run.market;
    const symbolAt = (place: number): SecuritySymbol => (run.securities[place] as Security).symbol;
    this.#bySymbol = [...run.securities.keys()].sort((one, other) =>
      symbolAt(one) < symbolAt(other) ? -1 : 1,
    );
  }

  currencies(): readonly Currency[] {
    return this.#currencies;
  }

  /** Units of the account are millionths, like amounts. */
  cash(): Amount {
    return this.#account.cash;
  }

  held(symbol: SecuritySymbol): Amount {
    const place = this.#places.get(symbol);
    return place === undefined ? 0 : this.#heldAt(place);
  }

  /** Returns positions without costs, which are not needed because all have a price. */
  holdings(): readonly ViewedHolding[] {
    const { changes } = this.#settlements;
    if (changes === this.#heldSince) return this.#holdings;
    const { places, count } = this.#account.holdings;
    this.#holdings = Array.from({ length: count }, (_, index) => {
      const place = places[index] as number;
      return { security: this.#securities[place] as Security, quantity: this.#heldAt(place), cost: 0 };
    });
    this.#heldSince = changes;
    return this.#holdings;
  }

  unsettled(_currency: Currency, at: Millis): UnsettledSums {
    return this.#settlements.unsettled(at);
  }

  borrowed(at: Millis): readonly { readonly security: Security; readonly quantity: Amount }[] {
    const { changes } = this.#settlements;
    if (changes === this.#borrowedSince) return this.#borrowed;
    const day = dayOf(this.#market, at);
    const borrowed: { readonly security: Security; readonly quantity: Amount }[] = [];
    for (const place of this.#bySymbol) {
      const quantity = this.#settlements.borrowed(place, day);
      if (quantity !== 0) borrowed.push({ security: this.#securities[place] as Security, quantity });
    }
    this.#borrowed = borrowed;
    // When everything has settled, only a fill or a corporate action changes it.
    this.#borrowedSince = this.#settlements.isSettled(day) ? changes : Number.NaN;
    return borrowed;
  }

  #heldAt(place: number): Amount {
    return (this.#account.held[place] as number) * ONE;
  }
}
