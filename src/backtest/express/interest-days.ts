import type { InterestBooked } from '../../events/event.ts';
import { dayEnds } from '../../markets/sessions.ts';
import { amountOfDouble, toDecimal } from '../../model/amount.ts';
import { type Market, marketOf, type SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis, NEVER, SECOND_MS } from '../../model/time.ts';
import {
  applicableInterest,
  homeMarket,
  type InterestModel,
  isAsked,
} from '../../simulation/books/interest.ts';
import { type DayPosting, postingsOfDay } from '../../simulation/books/interest-postings.ts';
import { NO_PRINT, Tape } from '../../simulation/market/tape.ts';
import { openedAt } from '../../simulation/processes/interest-accrual.ts';
import { DEFAULT_RULES } from '../../simulation/rules.ts';
import { dataEnd, type RunSetup } from '../setup.ts';
import type { ExpressAccount } from './account.ts';
import { bailOut } from './bail-out.ts';
import { ExactBooks } from './exact-books.ts';
import type { Settlements } from './settlements.ts';

/** Interest and fees that the venue booked at the end of a day, in units; below zero where the account paid. */
export interface BookedInterest {
  /** When the strategy's books have it: a second after midnight, when the full engine reads it. */
  readonly at: Millis;
  readonly cash: number;
  readonly postings: readonly DayPosting[];
}

const READ_AFTER_MS = SECOND_MS;

/** The days of a run at whose end the venue may book interest. */
export class InterestDays {
  /** The next midnight at which a day ends; NEVER if none costs anything. */
  nextAt: Millis = NEVER;
  /** What was booked, oldest first. */
  readonly booked: BookedInterest[] = [];
  readonly #home: Market;
  readonly #model: InterestModel | undefined;
  readonly #account: ExpressAccount;
  readonly #settlements: Settlements;
  readonly books: ExactBooks;
  /** Nothing is booked once the last print has happened. */
  readonly #lastPrint: Millis = NEVER;
  readonly #earnsCredit: boolean;

  constructor(setup: RunSetup, start: Millis, account: ExpressAccount, settlements: Settlements) {
    const { securities, history, currency, margin, short = false, rules = DEFAULT_RULES } = setup;
    this.#home = homeMarket(currency);
    this.#account = account;
    this.#settlements = settlements;
    this.books = new ExactBooks(account, { securities, currency, settlements });
    this.#model = applicableInterest(rules.interest, { margin, short });
    this.#earnsCredit = isAsked(rules.interest.credit);
    if (this.#model === undefined) return;
    if (securities.some(({ symbol }) => marketOf(symbol) !== this.#home))
      bailOut('days that do not end with those of the account');
    const tapes = history.map((bars) => new Tape(bars, rules.fills));
    const prints = tapes.map((tape) => tape.before(NO_PRINT));
    this.#lastPrint = millis(
      Math.max(
        ...prints.map((print, place) => (print === undefined ? 0 : (tapes[place] as Tape).time(print))),
      ),
    );
    if (this.#lastPrint > dataEnd(setup)) bailOut('bars after the last day');
    const opened = openedAt(
      start,
      tapes.map((tape) => ({ tape, upcoming: tape.firstFrom(start) })),
    );
    this.#schedule(dayEnds(this.#home, opened));
  }

  /** Books the day that ends now, at the newest prices; undefined if it cost and earned nothing. */
  end(priceOf: (symbol: SecuritySymbol) => number): BookedInterest | undefined {
    const at = this.nextAt;
    this.#schedule(dayEnds(this.#home, at));
    if (this.#model === undefined || this.#isIdle(at)) return undefined;
    if (this.#account.isRounded) bailOut('interest on an amount that is kept to 16 digits');
    const lastPrice = (symbol: SecuritySymbol) => amountOfDouble(priceOf(symbol));
    const postings = postingsOfDay(this.books, this.#model, { at, lastPrice });
    if (postings.length === 0) return undefined;
    const cash = postings.reduce((sum, { amount }) => sum + Number(amount), 0);
    const booked = { at: millis(at + READ_AFTER_MS), cash, postings };
    this.booked.push(booked);
    return booked;
  }

  /** All that was booked, as the full engine records it. */
  events(): readonly InterestBooked[] {
    return this.booked.flatMap(({ at, postings }) =>
      postings.map(({ kind: move, amount, ...posting }) => ({
        kind: 'interest-booked' as const,
        at,
        move,
        amount: toDecimal(amount),
        ...posting,
      })),
    );
  }

  #schedule(dayEnd: Millis): void {
    this.nextAt = dayEnd < this.#lastPrint ? dayEnd : NEVER;
  }

  /** Whether a day can cost and earn nothing: an account with settled cash, and nothing borrowed. */
  #isIdle(at: Millis): boolean {
    return (
      !this.#earnsCredit &&
      this.#account.cash >= 0 &&
      !this.#account.isShort() &&
      this.#settlements.isSettled(millis(at - 1))
    );
  }
}
