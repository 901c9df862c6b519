import { dayOf, midnightOf } from '../markets/sessions.ts';
import type { Decimal } from '../model/decimal.ts';
import type { Currency } from '../model/money.ts';
import type { MoneyMove } from '../model/money-move.ts';
import { unitValue } from '../model/option-symbol.ts';
import { addDays, type Millis, millis } from '../model/time.ts';
import type { AccountState } from './account-state.ts';
import type { Floor } from './floor.ts';
import { dailyInterest, homeMarket, type InterestModel } from './interest.ts';
import { NO_PRINT } from './tape.ts';

/** The midnight after an instant, at which a day of an account in that currency ends. */
export function dayEndAfter(currency: Currency, at: Millis): Millis {
  const market = homeMarket(currency);
  return midnightOf(market, addDays(dayOf(market, at), 1));
}

/** Books what a day cost in interest and fees for borrowed shares. */
export class InterestDesk {
  readonly #floor: Floor;
  readonly #accounts: ReadonlyMap<string, AccountState>;
  readonly #model: InterestModel | undefined;

  constructor(floor: Floor, accounts: ReadonlyMap<string, AccountState>, model: InterestModel | undefined) {
    this.#floor = floor;
    this.#accounts = accounts;
    this.#model = model;
  }

  /** When the account's day ends next; undefined where no day costs anything, and after the last print. */
  nextEnd({ means: { currency } }: AccountState): Millis | undefined {
    return this.#model === undefined || !this.#goesOn()
      ? undefined
      : dayEndAfter(currency, this.#floor.now());
  }

  /** The first ends of all accounts' days. */
  firstEnds(): readonly { readonly account: AccountState; readonly at: Millis }[] {
    return [...this.#accounts.values()].flatMap((account) => {
      const at = this.nextEnd(account);
      return at === undefined ? [] : [{ account, at }];
    });
  }

  /** Books the day that ends now. */
  endDay(account: AccountState): void {
    const model = this.#model;
    if (model === undefined || account.closed || !this.#goesOn()) return;
    const at = this.#floor.now();
    for (const move of [...cashMoves(account, model, at), ...this.#borrowFees(account, model, at)])
      account.books.move(move);
  }

  /** Whether a print is still to come: what nobody values any more is not booked either. */
  #goesOn(): boolean {
    const floor = this.#floor;
    return floor.lanes.some((lane) => lane.tape.isLive || floor.upcoming(lane) !== NO_PRINT);
  }

  #borrowFees(
    { books }: AccountState,
    { borrow, dayCount }: InterestModel,
    at: Millis,
  ): readonly MoneyMove[] {
    return books.holdings().flatMap(({ security, quantity, cost }): readonly MoneyMove[] => {
      if (!quantity.isNegative()) return [];
      const { symbol, currency } = security;
      const last = this.#floor.lastPrice(symbol);
      const worth = last === undefined ? cost : unitValue(security, last).times(quantity);
      const fee = dailyInterest(worth, borrow, { name: symbol, currency, dayCount });
      return fee.isZero() ? [] : [{ kind: 'borrow-fee', currency, amount: fee.neg(), at, symbol }];
    });
  }
}

function cashMoves(
  { books }: AccountState,
  { debit, credit, dayCount }: InterestModel,
  at: Millis,
): readonly MoneyMove[] {
  return books.currencies().flatMap((currency): readonly MoneyMove[] => {
    const settled = settledBefore(books, currency, at);
    const owes = settled.isNegative();
    const amount = dailyInterest(settled, owes ? debit : credit, { name: currency, currency, dayCount });
    if (amount.isZero()) return [];
    return owes
      ? [{ kind: 'debit-interest', currency, amount: amount.neg(), at }]
      : [{ kind: 'credit-interest', currency, amount, at }];
  });
}

/** Cash as it was settled on the day that ends: trades of which the money moves from now on do not count. */
function settledBefore(books: AccountState['books'], currency: Currency, at: Millis): Decimal {
  const { receivable, payable } = books.unsettled(currency, millis(at - 1));
  return books.cash(currency).minus(receivable).plus(payable);
}
