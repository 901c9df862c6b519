import { dayEnds } from '../../markets/sessions.ts';
import {
  type Amount,
  absolute,
  add,
  isNegative,
  max,
  multiply,
  negate,
  subtract,
  toDecimal,
} from '../../model/amount.ts';
import type { CashPosting } from '../../model/cash-posting.ts';
import type { Currency } from '../../model/money.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { AccountState } from '../account-state.ts';
import type { HeldSecurity } from '../books/account-books.ts';
import { dailyInterest, homeMarket, type InterestModel } from '../books/interest.ts';
import type { MarketReplay } from '../market/market-replay.ts';
import { NO_PRINT } from '../market/tape.ts';

/** The midnight after an instant, at which a day of an account in that currency ends. */
function dayEndAfter(currency: Currency, at: Millis): Millis {
  return dayEnds(homeMarket(currency), at);
}

/** Books what a day cost in interest and fees for borrowed shares. */
export class InterestAccrual {
  readonly #replay: MarketReplay;
  readonly #accounts: ReadonlyMap<string, AccountState>;
  readonly #model: InterestModel | undefined;

  constructor(
    replay: MarketReplay,
    accounts: ReadonlyMap<string, AccountState>,
    model: InterestModel | undefined,
  ) {
    this.#replay = replay;
    this.#accounts = accounts;
    this.#model = model;
  }

  /** When the account's day ends next; undefined where no day costs anything, and after the last print. */
  nextEnd({ funding: { currency } }: AccountState): Millis | undefined {
    const now = this.#replay.now();
    return this.#model === undefined || !this.#goesOn(millis(now + 1))
      ? undefined
      : dayEndAfter(currency, now);
  }

  /** The first ends of all accounts' days: of the day of the first print, where none has happened before. */
  firstEnds(): readonly { readonly account: AccountState; readonly at: Millis }[] {
    const opened = this.#opened();
    return [...this.#accounts.values()].flatMap((account) => {
      if (this.nextEnd(account) === undefined) return [];
      return [{ account, at: dayEndAfter(account.funding.currency, opened) }];
    });
  }

  /** When money could first be put to work: now, or at the first print of a past that begins later. */
  #opened(): Millis {
    const replay = this.#replay;
    const first = replay.symbolMarkets.map((symbolMarket) => {
      const upcoming = replay.upcoming(symbolMarket);
      const hasBegun = symbolMarket.tape.isLive || symbolMarket.tape.before(upcoming) !== undefined;
      if (hasBegun) return replay.now();
      return upcoming === NO_PRINT ? Number.POSITIVE_INFINITY : symbolMarket.tape.time(upcoming);
    });
    const earliest = Math.min(...first);
    return millis(Number.isFinite(earliest) ? Math.max(replay.now(), earliest) : replay.now());
  }

  /** Books the day that ends now. */
  endDay(account: AccountState): void {
    const model = this.#model;
    const at = this.#replay.now();
    if (model === undefined || account.closed || !this.#goesOn(at)) return;
    const worth = (holding: HeldSecurity): Amount => this.#worth(holding);
    for (const move of [...cashMoves(account, model, { at, worth }), ...this.#borrowFees(account, model, at)])
      account.books.move(move);
  }

  /** Whether a print is still to come, or a delisting from `at` on: nothing is booked for a position that has no value any more. */
  #goesOn(at: Millis): boolean {
    const replay = this.#replay;
    return replay.symbolMarkets.some(
      (symbolMarket) =>
        symbolMarket.tape.isLive ||
        replay.upcoming(symbolMarket) !== NO_PRINT ||
        (symbolMarket.endsAt ?? 0) >= at,
    );
  }

  /** What a holding is worth at its last price, at cost before the first. */
  #worth({ security, quantity, cost }: HeldSecurity): Amount {
    const last = this.#replay.lastAmount(security.symbol);
    return last === undefined ? cost : multiply(unitAmount(security, last), quantity, 'exact');
  }

  #borrowFees(
    { books }: AccountState,
    { borrow, dayCount }: InterestModel,
    at: Millis,
  ): readonly CashPosting[] {
    return books.borrowed(millis(at - 1)).flatMap(({ security, quantity }): readonly CashPosting[] => {
      const { symbol, currency } = security;
      const last = this.#replay.lastAmount(symbol);
      if (last === undefined) return [];
      const worth = multiply(unitAmount(security, last), quantity, 'exact');
      const fee = dailyInterest(worth, borrow, { name: symbol, currency, dayCount });
      if (fee === 0) return [];
      return [{ kind: 'borrow-fee', currency, amount: toDecimal(negate(fee)), at, symbol }];
    });
  }
}

/** What settled cash of each currency owes or earns, without the collateral of short positions. */
function cashMoves(
  { books }: AccountState,
  { debit, credit, rebate, dayCount }: InterestModel,
  { at, worth }: { readonly at: Millis; readonly worth: (holding: HeldSecurity) => Amount },
): readonly CashPosting[] {
  const shorts = books.holdings().filter(({ quantity }) => isNegative(quantity));
  return books.currencies().flatMap((currency): readonly CashPosting[] => {
    const { receivable, payable, short } = books.unsettled(currency, millis(at - 1));
    const settled = add(subtract(books.cash(currency), receivable), payable);
    const sold = shorts
      .filter(({ security }) => security.currency === currency)
      .reduce<Amount>((sum, holding) => add(sum, absolute(worth(holding))), 0);
    const behind = max(0, subtract(sold, short));
    const free = subtract(settled, behind);
    const owes = isNegative(free);
    const named = { name: currency, currency, dayCount };
    const amount = dailyInterest(free, owes ? debit : credit, named);
    const earned = add(dailyInterest(behind, rebate, named), owes ? 0 : amount);
    return [
      ...(owes && amount !== 0
        ? [{ kind: 'debit-interest' as const, currency, amount: toDecimal(negate(amount)), at }]
        : []),
      ...(earned === 0
        ? []
        : [{ kind: 'credit-interest' as const, currency, amount: toDecimal(earned), at }]),
    ];
  });
}
