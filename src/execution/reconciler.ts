import {
  concat,
  concatMap,
  defer,
  EMPTY,
  finalize,
  ignoreElements,
  interval,
  map,
  merge,
  type Observable,
  of,
  Subject,
  tap,
} from 'rxjs';
import type { Currency } from '../model/money.ts';
import type { Execution, ExecutionId } from '../model/order.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import type { Alarms } from '../ports/alarms.ts';
import type { Broker, ListedOrder } from '../ports/broker.ts';
import type { CallBudget } from '../ports/call-budget.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { Aged, QuoteFact } from '../risk/facts.ts';
import type { GateWish } from '../risk/gate-state.ts';
import { cashDifferences, type Difference, differenceText, positionDifferences } from './books.ts';
import { createMarginWatch } from './margin-watch.ts';
import type { OrderNews } from './order-news.ts';
import type { Recorder } from './recorder.ts';
import { type AccountRead, openOrders, STABLE_TRIES, type StableRead, stableRead } from './stable-read.ts';
import {
  awaitedText,
  hasBegun,
  splitBehind,
  splitBooking,
  splitHint,
  splitsAwaited,
  type ToldSplit,
} from './told-splits.ts';

/** A reason to compare the books with the venue's. */
export interface ReconcileLead {
  readonly kind: 'reconcile';
}

/** Makes our books agree with the venue's, or says where they do not. */
export interface Reconciler {
  /** Comes up when pushes are heard again, and every minute where pushes may be lost. */
  readonly leads$: Observable<ReconcileLead>;
  /** Reads the account, books what is new, and compares; one turn of the lane. */
  follow(): Observable<OrderNews>;
  /** Compares the books with an account that has just been read and taken in; a split that was told of is booked. */
  compare(account: AccountRead): Observable<OrderNews>;
  /** Reads and compares within a second: somebody saw a difference. */
  lookAgain(): void;
  /** True while a split of today is told of and the venue has not carried it out. */
  awaitsSplit(): boolean;
  /** Whether changes of orders are pushed, and heard. */
  isPushed(): boolean;
  /** What speaks against opening, and since when it is known; an empty list: books that agreed then. */
  books(): Aged<readonly string[]> | undefined;
}

/** What a reconciler works with. */
export interface ReconcilerParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly currency: Currency;
  readonly alarms: Alarms;
  /** Adopts and reads whatever the orders of the day call for. */
  readonly heed: (orders: readonly ListedOrder[], executions: readonly Execution[]) => Observable<OrderNews>;
  readonly move: (wish: GateWish) => Observable<unknown>;
  /** Where the account may make only so many calls; absent: calls are not counted. */
  readonly budget?: CallBudget | undefined;
  /** Splits that were told of; absent: none, or others book them. */
  readonly splits?: SplitSources;
}

/** What splits are known and booked by. */
export interface SplitSources {
  told(): readonly ToldSplit[];
  quote(symbol: SecuritySymbol): QuoteFact | undefined;
  /** Has orders of the shares of before taken back, and exits sent anew. */
  after(symbol: SecuritySymbol): Observable<OrderNews>;
}

/**
 * Two reads that agree with each other and differ from us lie at least this far apart.
 * @see docs/reliability.md, "Stable reads"
 */
const SECOND_READ_AFTER_MS = 1_000;
/** How often the books are compared where pushes may be lost. */
const EVERY_MS = 60_000;
/** An account that did not answer, or kept moving, is read again after this long. */
const AGAIN_AFTER_MS = 5_000;

/** The cause of the pause while the books differ: it ends when they agree again. */
export const BOOKS_DIFFER = 'books-differ';

/** Calls of one stable read, and how soon places for them are looked for again. */
const CALLS_OF_A_READ = 5;
const PLACES_AGAIN_MS = 1_000;

type Link = 'heard' | 'unread' | 'down';

const UNHEARD: Readonly<Record<Exclude<Link, 'heard'>, string>> = {
  down: 'order changes are not heard, the connection is down',
  unread: 'what happened while the connection was down has not been read yet',
};

/** @see docs/reliability.md, I-13, F-N13, F-B21, F-B22 */
export function createReconciler(parts: ReconcilerParts): Reconciler {
  const { broker, recorder, clock, currency, alarms } = parts;
  const due$ = new Subject<ReconcileLead>();
  const heedMargin = createMarginWatch({ alarms, clock });
  let compared: Aged<readonly string[]> | undefined;
  let sighted: { readonly at: Millis; readonly words: string } | undefined;
  let splitSeen: typeof sighted;
  let isHalted = false;
  /** `unread`: pushes are heard again, and what happened meanwhile has not been read yet. */
  let link: Link = 'heard';
  const reminders = new Set<Cancel>();
  let isOver = false;
  /** A venue that does not answer is an alarm once, not at every try. */
  let isUnread = false;

  const link$ = (broker.pushes$ ?? EMPTY).pipe(
    concatMap((said) => {
      if (said === 'up' && link === 'heard') return EMPTY;
      link = said === 'up' ? 'unread' : 'down';
      return said === 'up' ? of<ReconcileLead>({ kind: 'reconcile' }) : EMPTY;
    }),
  );

  const every$ = (broker.facts.pushComplete ? EMPTY : interval(EVERY_MS, clock.scheduler)).pipe(
    map((): ReconcileLead => ({ kind: 'reconcile' })),
  );

  function remind(afterMs: number): void {
    if (isOver) return;
    const cancel = clock.at(millis(clock.now() + afterMs), 'timer', () => {
      reminders.delete(cancel);
      due$.next({ kind: 'reconcile' });
    });
    reminders.add(cancel);
  }

  /** A comparison has places for all its calls before the first: it fails for want of none, and nothing waits behind it. */
  function follow(): Observable<OrderNews> {
    return defer(() => {
      const { budget } = parts;
      if (budget === undefined) return read(STABLE_TRIES);
      // After pushes were missed every order that opens waits for it.
      return budget.hold(link === 'unread' ? 'watch' : 'read', CALLS_OF_A_READ)
        ? read(1).pipe(finalize(budget.release))
        : later();
    });
  }

  function later(): Observable<never> {
    remind(PLACES_AGAIN_MS);
    return EMPTY;
  }

  function read(tries: number): Observable<OrderNews> {
    const linkThen = link;
    return stableRead(broker, currency, () => openOrders(recorder.state)).pipe(
      concatMap((result) => {
        if (result.kind !== 'stable') return unread(result);
        isUnread = false;
        return absorb(result.account, tries, () => {
          if (link === 'unread' && linkThen === 'unread') link = 'heard';
        });
      }),
    );
  }

  /** What was executed after the read would look like a difference: then it is read again. */
  function absorb(account: AccountRead, tries: number, done: () => void): Observable<OrderNews> {
    const listed = new Set(account.executions.map((row) => row.executionId));
    const before = new Set<ExecutionId>();
    let isLate = false;
    return concat(
      parts.heed(account.orders, account.executions).pipe(
        tap((news) => {
          if (news.kind !== 'fill' || before.has(news.fill.executionId)) return;
          before.add(news.fill.executionId);
          isLate ||= !listed.has(news.fill.executionId);
        }),
      ),
      defer(() => {
        if (isLate && tries > 1) return read(tries - 1);
        if (isLate && parts.budget !== undefined) return later();
        done();
        return compare(account);
      }),
    );
  }

  /** No answer, or an account that does not hold still: what was known grows old, and that alone stops opens. */
  function unread(result: Exclude<StableRead, { kind: 'stable' }>): Observable<never> {
    if (result.kind === 'failed' && !isUnread) {
      isUnread = true;
      const { what, code, message } = result;
      alarms.raise({
        code: 'books-unread',
        message: `Cannot compare the books with the venue's: it did not tell ${what} (${code}: ${message})`,
        at: clock.now(),
        facts: { what, code: String(code) },
      });
    }
    if (link === 'unread' || (result.kind === 'busy' && parts.budget !== undefined)) remind(AGAIN_AFTER_MS);
    return EMPTY;
  }

  function compare(account: AccountRead): Observable<OrderNews> {
    return defer(() => {
      const { positions, balance } = account;
      heedMargin(balance);
      const facts = splitFacts();
      const found = [
        ...positionDifferences(facts.state, positions),
        ...cashDifferences(facts.state, balance),
      ];
      const behind = found.map((each) => splitBehind(each, facts));
      const split = behind.find((each) => each !== undefined && hasBegun(each, facts.now));
      if (split === undefined) splitSeen = undefined;
      else if (isSeenAgain(found, facts.now)) return bookSplit(split, found, account);
      // Where the venue is a day ahead of a split nothing opens, and nobody has to be called.
      const unexplained = found.filter((_, index) => behind[index] === undefined);
      const awaited = splitsAwaited(facts).map(awaitedText);
      compared = { value: [...found.map(differenceText), ...awaited], at: facts.now };
      if (split !== undefined) {
        remind(SECOND_READ_AFTER_MS);
        return EMPTY;
      }
      return unexplained.length === 0
        ? found.length === 0
          ? agreed()
          : EMPTY
        : differs(unexplained, facts.now);
    });
  }

  /** Positions may be ahead of executions: what looks like a split may be a purchase, until it is read twice. */
  function isSeenAgain(found: readonly Difference[], at: Millis): boolean {
    const words = found.map(differenceText).join('; ');
    if (splitSeen?.words !== words) splitSeen = { at, words };
    return at - splitSeen.at >= SECOND_READ_AFTER_MS;
  }

  function splitFacts() {
    return { state: recorder.state, told: parts.splits?.told() ?? [], now: clock.now() };
  }

  /** Our books become the venue's; whatever else differs is found by comparing once more. */
  function bookSplit(
    split: ToldSplit,
    found: readonly Difference[],
    account: AccountRead,
  ): Observable<OrderNews> {
    const { state, now } = splitFacts();
    const quote = parts.splits?.quote(split.symbol);
    const event = splitBooking(split, found, { state, now, quote });
    if (event === undefined) return EMPTY;
    return concat(
      recorder.record(event).pipe(ignoreElements()),
      defer(() => parts.splits?.after(split.symbol) ?? EMPTY),
      defer(() => compare(account)),
    );
  }

  function agreed(): Observable<never> {
    sighted = undefined;
    isHalted = false;
    if (!recorder.state.gate.restrictions.has(BOOKS_DIFFER)) return EMPTY;
    const reason = "Our books are the venue's again";
    return parts.move({ to: 'active', by: 'books', rule: 'books-agree', reason }).pipe(ignoreElements());
  }

  function differs(found: readonly Difference[], at: Millis): Observable<never> {
    const words = found.map(differenceText).join('; ');
    const isSame = sighted?.words === words;
    if (isSame && at - (sighted?.at ?? at) >= SECOND_READ_AFTER_MS)
      return isHalted ? EMPTY : diverged(found, at);
    // Other figures than those that halted are another divergence: a person may have resumed since.
    if (!isSame) {
      sighted = { at, words };
      isHalted = false;
    }
    remind(SECOND_READ_AFTER_MS);
    return parts
      .move({ to: 'reduce-only', by: 'books', rule: BOOKS_DIFFER, reason: words })
      .pipe(ignoreElements());
  }

  function diverged(found: readonly Difference[], at: Millis): Observable<never> {
    isHalted = true;
    const words = found.map(differenceText).join('; ');
    alarms.raise({
      code: 'books-diverged',
      message: `Our books are not the venue's, read twice: ${words}. Nothing opens until an operator has settled it${splitHint(found, at)}`,
      at,
      facts: Object.fromEntries(
        found.flatMap(({ what, ours, venue }) => [[what, `ours ${ours}, venue ${venue}`]]),
      ),
    });
    return parts
      .move({ to: 'halted', by: 'books', rule: 'books-diverged', reason: words })
      .pipe(ignoreElements());
  }

  return {
    leads$: merge(due$, link$, every$).pipe(
      finalize(() => {
        isOver = true;
        for (const cancel of reminders) cancel();
      }),
    ),
    follow,
    compare,
    lookAgain: () => remind(SECOND_READ_AFTER_MS),
    awaitsSplit: () => splitsAwaited(splitFacts()).length > 0,
    isPushed: () => broker.pushes$ !== undefined && link !== 'down',
    books: () => (link === 'heard' ? compared : { value: [UNHEARD[link]], at: clock.now() }),
  };
}
