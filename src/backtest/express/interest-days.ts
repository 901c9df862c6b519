import type { InterestBooked } from '../../events/event.ts';
import { dayEnds, dayOf } from '../../markets/sessions.ts';
import { type Amount, amountOfDouble, toDecimal } from '../../model/amount.ts';
import type { CashPostingKind } from '../../model/cash-posting.ts';
import type { Currency } from '../../model/money.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis, NEVER, SECOND_MS } from '../../model/time.ts';
import {
  applicableInterest,
  hasAnyRate,
  homeMarket,
  type InterestModel,
} from '../../simulation/books/interest.ts';
import { type Post, postDay } from '../../simulation/books/interest-postings.ts';
import { NO_PRINT, Tape } from '../../simulation/market/tape.ts';
import { interestStart } from '../../simulation/processes/interest-accrual.ts';
import { DEFAULT_RULES } from '../../simulation/rules.ts';
import { dataEnd, type RunSetup } from '../setup.ts';
import type { ExpressAccount } from './account.ts';
import { bailOut } from './bail-out.ts';
import { ExactBooks } from './exact-books.ts';
import type { Settlements } from './settlements.ts';

/** Interest and fees that the venue booked at the end of a day, in units; negative if the account paid. */
export interface BookedInterest {
  /** When the strategy's books include it: a second after midnight, when the full engine reads it. */
  readonly at: Millis;
  readonly cash: number;
}

const READ_AFTER_MS = SECOND_MS;

/** The days of a run at whose end the venue may book interest. */
export class InterestDays {
  /** The next midnight at which a day ends; NEVER if no day has interest. */
  nextAt: Millis = NEVER;
  /** Bookings, oldest first. */
  readonly booked: BookedInterest[] = [];
  readonly #home: Market;
  readonly #model: InterestModel | undefined;
  readonly #account: ExpressAccount;
  readonly #settlements: Settlements;
  readonly books: ExactBooks;
  /** Nothing is booked after the last print. */
  readonly #lastPrint: Millis = NEVER;
  readonly #earnsCredit: boolean;
  /** Items of `booked` as columns, since a run of many years has tens of thousands of fees. */
  readonly #postings = {
    day: [] as number[],
    kind: [] as CashPostingKind[],
    amount: [] as Amount[],
    symbol: [] as (SecuritySymbol | undefined)[],
  };
  readonly #currency: Currency;
  /** Sum of the ending day. */
  #cash = 0;

  constructor(setup: RunSetup, start: Millis, account: ExpressAccount, settlements: Settlements) {
    const { securities, history, currency, margin, short = false, rules = DEFAULT_RULES } = setup;
    this.#home = homeMarket(currency);
    this.#currency = currency;
    this.#account = account;
    this.#settlements = settlements;
    this.books = new ExactBooks(account, { securities, currency, market: this.#home, settlements });
    this.#model = applicableInterest(rules.interest, { margin, short });
    this.#earnsCredit = hasAnyRate(rules.interest.credit);
    if (this.#model === undefined) return;
    if (securities.some(({ symbol }) => marketOf(symbol) !== this.#home))
      bailOut('a market whose days end at other times than those of the account');
    const tapes = history.map((bars) => new Tape(bars, rules.fills));
    const prints = tapes.map((tape) => tape.before(NO_PRINT));
    this.#lastPrint = millis(
      Math.max(
        ...prints.map((print, place) => (print === undefined ? 0 : (tapes[place] as Tape).time(print))),
      ),
    );
    if (this.#lastPrint > dataEnd(setup)) bailOut('bars after the last day of the run');
    const opened = interestStart(
      start,
      tapes.map((tape) => ({ tape, upcoming: tape.firstFrom(start) })),
    );
    this.#schedule(dayEnds(this.#home, opened));
  }

  /** Books the day that ends now, at the newest prices; undefined if there was no interest. */
  endDay(priceOf: (symbol: SecuritySymbol) => number): BookedInterest | undefined {
    const at = this.nextAt;
    this.#schedule(dayEnds(this.#home, at));
    if (this.#model === undefined || this.#isIdle(at)) return undefined;
    if (this.#account.exceedsExactRange) bailOut('interest on cash above the exact range');
    const lastPrice = (symbol: SecuritySymbol): Amount => amountOfDouble(priceOf(symbol));
    const before = this.#postings.day.length;
    this.#cash = 0;
    postDay(this.books, this.#model, { at, lastPrice }, this.#post);
    if (this.#postings.day.length === before) return undefined;
    const booked = { at: millis(at + READ_AFTER_MS), cash: this.#cash };
    this.booked.push(booked);
    return booked;
  }

  readonly #post: Post = (kind, _currency, amount, symbol) => {
    this.#postings.day.push(this.booked.length);
    this.#postings.kind.push(kind);
    this.#postings.amount.push(amount);
    this.#postings.symbol.push(symbol);
    this.#cash += Number(amount);
  };

  /** Returns all bookings as events of the full engine. */
  events(): readonly InterestBooked[] {
    const { day, kind, amount, symbol } = this.#postings;
    return day.map((place, row) => ({
      kind: 'interest-booked',
      at: (this.booked[place] as BookedInterest).at,
      move: kind[row] as CashPostingKind,
      amount: toDecimal(amount[row] as Amount),
      currency: this.#currency,
      ...omitUndefined({ symbol: symbol[row] }),
    }));
  }

  #schedule(dayEnd: Millis): void {
    this.nextAt = dayEnd < this.#lastPrint ? dayEnd : NEVER;
  }

  /** Returns whether a day certainly has no interest: settled cash, and nothing borrowed. */
  #isIdle(at: Millis): boolean {
    return (
      !this.#earnsCredit &&
      this.#account.cash >= 0 &&
      !this.#account.isShort() &&
      this.#settlements.isSettled(dayOf(this.#home, millis(at - 1)))
    );
  }
}
