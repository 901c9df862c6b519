import {
  concat,
  concatMap,
  EMPTY,
  exhaustMap,
  expand,
  ignoreElements,
  merge,
  type Observable,
  of,
  takeUntil,
  tap,
} from 'rxjs';
import type { Recorder } from '../execution/recorder.ts';
import { dayOf, midnightOf } from '../markets/sessions.ts';
import type { CashPosting } from '../model/cash-posting.ts';
import type { Market } from '../model/symbol.ts';
import { addDays, type Millis, millis, SECOND_MS } from '../model/time.ts';
import type { Answer, Broker } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import { observed } from '../ports/observed.ts';
import { whenDue } from './when-due.ts';

/** The days at whose end a venue books interest. */
export interface DaysCost {
  /** The market at whose midnight a day ends. */
  readonly home: Market;
  readonly from: Millis;
  /** No day that ends after it is read. */
  readonly until: Millis;
}

/** What interest is booked with. */
export interface CashPostingParts {
  readonly clock: Clock;
  readonly broker: Broker;
  readonly recorder: Recorder;
  /** Emits when the venue has filled an order that is not ours: it may have closed the account out, and moved money with it. */
  readonly foreignFilled$: Observable<unknown>;
}

/** A day is over for certain, and its bookings have whole seconds, when it is read. */
const ASKED_AFTER_MS = SECOND_MS;

/**
 * Asks after each day's end, and after each fill of an order that is not ours, what the venue booked by itself, and books the same;
 * completes after the last day. A day without an answer is read again with the next.
 */
export function postCash(days: DaysCost | undefined, books: CashPostingParts): Observable<never> {
  if (days === undefined) return EMPTY;
  const { home, until } = days;
  const { clock, broker, recorder, foreignFilled$ } = books;
  let known = days.from;

  const ask = (at: Millis): Observable<unknown> =>
    observed(broker.cashPostings({ from: known, to: at })).pipe(tap((answer) => book(answer, at)));

  function book(answer: Answer<readonly CashPosting[]>, at: Millis): void {
    if (answer.kind !== 'ok') return;
    const news = answer.value.filter((move) => move.at > known);
    known = at;
    for (const { kind: move, ...moved } of news)
      recorder.record({ kind: 'interest-booked', ...moved, move, at: clock.now() });
  }

  const nextAfter = (at: Millis): Millis =>
    millis(midnightOf(home, addDays(dayOf(home, at), 1)) + ASKED_AFTER_MS);

  const dayEnds$ = of(nextAfter(days.from)).pipe(
    expand((at) =>
      at > until
        ? EMPTY
        : concat(
            whenDue(at, clock).pipe(
              concatMap(() => ask(at)),
              ignoreElements(),
            ),
            of(nextAfter(at)),
          ),
    ),
    ignoreElements(),
  );
  const afterFills$ = foreignFilled$.pipe(
    exhaustMap(() => {
      const at = millis(clock.now() + ASKED_AFTER_MS);
      return whenDue(at, clock).pipe(concatMap(() => ask(at)));
    }),
    ignoreElements(),
  );
  return merge(dayEnds$, afterFills$.pipe(takeUntil(whenDue(until, clock))));
}
