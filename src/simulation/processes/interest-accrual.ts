import { dayEnds } from '../../markets/sessions.ts';
import { type Amount, toDecimal } from '../../model/amount.ts';
import type { Currency } from '../../model/money.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { AccountState } from '../account-state.ts';
import { homeMarket, type InterestModel } from '../books/interest.ts';
import { postDay } from '../books/interest-postings.ts';
import type { MarketReplay } from '../market/market-replay.ts';
import { NO_PRINT, type PrintIndex, type Tape } from '../market/tape.ts';

/** Returns the midnight after an instant at which a day of an account in that currency ends. */
function dayEndAfter(currency: Currency, at: Millis): Millis {
  return dayEnds(homeMarket(currency), at);
}

/** Returns when interest starts: now if any symbol has printed, otherwise at the first print of any. */
export function interestStart(
  now: Millis,
  symbols: readonly { readonly tape: Tape; readonly upcoming: PrintIndex }[],
): Millis {
  const first = symbols.map(({ tape, upcoming }) => {
    if (tape.isLive || tape.before(upcoming) !== undefined) return now;
    return upcoming === NO_PRINT ? Number.POSITIVE_INFINITY : tape.time(upcoming);
  });
  const earliest = Math.min(...first);
  return millis(Number.isFinite(earliest) ? Math.max(now, earliest) : now);
}

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

  /** Returns when the account's day ends next; undefined without an interest model or after the last print. */
  nextEnd({ funding: { currency } }: AccountState): Millis | undefined {
    const now = this.#replay.now();
    return this.#model === undefined || !this.#hasMoreEvents(millis(now + 1))
      ? undefined
      : dayEndAfter(currency, now);
  }

  /** Returns each account's first day end, after the first print. */
  firstEnds(): readonly { readonly account: AccountState; readonly at: Millis }[] {
    const opened = this.#interestStart();
    return [...this.#accounts.values()].flatMap((account) => {
      if (this.nextEnd(account) === undefined) return [];
      return [{ account, at: dayEndAfter(account.funding.currency, opened) }];
    });
  }

  #interestStart(): Millis {
    const replay = this.#replay;
    return interestStart(
      replay.now(),
      replay.symbolMarkets.map((symbolMarket) => ({
        tape: symbolMarket.tape,
        upcoming: replay.upcoming(symbolMarket),
      })),
    );
  }

  endDay(account: AccountState): void {
    const model = this.#model;
    const at = this.#replay.now();
    if (model === undefined || account.closed || !this.#hasMoreEvents(at)) return;
    const lastPrice = (symbol: SecuritySymbol): Amount | undefined => this.#replay.lastAmount(symbol);
    postDay(account.books, model, { at, lastPrice }, (kind, currency, amount, symbol) =>
      account.books.postCash({ kind, currency, amount: toDecimal(amount), at, ...omitUndefined({ symbol }) }),
    );
  }

  /** True while a print, or a delisting at or after `at`, is still to come; after that nothing is booked. */
  #hasMoreEvents(at: Millis): boolean {
    const replay = this.#replay;
    return replay.symbolMarkets.some(
      (symbolMarket) =>
        symbolMarket.tape.isLive ||
        replay.upcoming(symbolMarket) !== NO_PRINT ||
        (symbolMarket.endsAt ?? 0) >= at,
    );
  }
}
