import type { Currency } from '../../model/money.ts';
import type { Execution } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Broker, ListedOrder } from '../../ports/broker.ts';
import type { CallBudget } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import { hearing, type Task } from '../../ports/task.ts';
import type { Aged, QuoteFact } from '../../risk/facts.ts';
import type { GateTransition } from '../../risk/gate-state.ts';
import type { OrderNews } from '../orders/order-news.ts';
import type { Recorder } from '../recorder.ts';
import {
  cashDifferences,
  type Difference,
  differenceText,
  positionDifferences,
} from './account-differences.ts';
import {
  type AnnouncedSplit,
  awaitedText,
  hasBegun,
  splitBehind,
  splitBooking,
  splitHint,
  splitsAwaited,
} from './announced-splits.ts';
import { createMarginWatch } from './margin-watch.ts';
import { type AccountRead, STABLE_TRIES, type StableRead, stableRead } from './stable-read.ts';

/** A reason to compare the books with the venue's. */
export interface ReconcileTask {
  readonly kind: 'reconcile';
}

/** Makes our books agree with the venue's, or reports where they do not. */
export interface Reconciler {
  /** Handles that pushes are no longer received, or are again: then the books are compared. */
  linkChanged(state: 'down' | 'up'): void;
  /** Reads the account, books what is new, and compares; one turn of the event queue. */
  follow(): Task<OrderNews>;
  /** Compares the books with an account that has just been read and taken in; an announced split is booked. */
  compare(account: AccountRead): Task<OrderNews>;
  /** Reads and compares within a second, because a difference was seen. */
  lookAgain(): void;
  /** True while a split is announced for today and the venue has not carried it out. */
  awaitsSplit(): boolean;
  /** Whether order changes are pushed and the connection is up. */
  isPushed(): boolean;
  /** Reasons against opening that are not imposed on the gate because they end by themselves. */
  doubts(): readonly BooksDoubt[];
  /** Reasons against opening, and since when they are known; an empty list: the books agreed. */
  books(): Aged<readonly string[]> | undefined;
}

/** A reason for which our books may not be the venue's. */
export interface BooksDoubt {
  readonly cause: 'orders-unheard' | 'books-unconfirmed';
  readonly why: string;
  readonly since: Millis;
}

/** What a reconciler works with. */
export interface ReconcilerParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** Queues a task. */
  readonly due: (task: ReconcileTask) => void;
  readonly currency: Currency;
  readonly alarms: Alarms;
  /** Adopts and reads whatever the orders of the day call for. */
  readonly handle: (orders: readonly ListedOrder[], executions: readonly Execution[]) => Task<OrderNews>;
  readonly move: (transition: GateTransition) => unknown;
  /** Where the account may make only so many calls; absent: calls are not counted. */
  readonly budget?: CallBudget | undefined;
  /** Announced splits; absent: none, or others book them. */
  readonly splits?: SplitSources;
}

/** What splits are known and booked by. */
export interface SplitSources {
  announced(): readonly AnnouncedSplit[];
  quote(symbol: SecuritySymbol): QuoteFact | undefined;
  /** Cancels orders in shares before the split, and sends exits again. */
  after(symbol: SecuritySymbol): Task<OrderNews>;
}

/**
 * Two reads that agree with each other and differ from us are at least this far apart.
 * @see docs/reliability.md, "Stable reads"
 */
const SECOND_READ_AFTER_MS = 1_000;
/** How often the books are compared where pushes may be lost. */
export const RECONCILE_EVERY_MS = 60_000;
/** An account that did not answer, or kept moving, is read again after this long. */
const AGAIN_AFTER_MS = 5_000;

/** The cause of the pause while the books differ: it ends when they agree again. */
export const BOOKS_DIFFER = 'books-differ';

/** Silence of the venue before an alarm; calls that lack a place for a moment end sooner. */
const UNREAD_ALARM_MS = 60_000;

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
  const handleMargin = createMarginWatch({ alarms, clock });
  let compared: Aged<readonly string[]> | undefined;
  let sighted: { readonly at: Millis; readonly words: string } | undefined;
  let splitSeen: typeof sighted;
  let isHalted = false;
  /** `unread`: pushes arrive again, and events of the interruption have not been read yet. */
  let link: Link = 'heard';
  let linkSince = clock.now();
  /** Comparisons that are scheduled. */
  let scheduled = 0;
  /** Since when no comparison has come to its end; a venue that does not answer is an alarm once, not at every try. */
  let failingSince: Millis | undefined;
  let isUnread = false;
  /** Since when a comparison finds no places for its calls. */
  let crowdedSince: Millis | undefined;

  function linkChanged(state: 'down' | 'up'): void {
    if (state === 'up' && link === 'heard') return;
    if (link === 'heard') linkSince = clock.now();
    link = state === 'up' ? 'unread' : 'down';
    if (state === 'up') parts.due({ kind: 'reconcile' });
  }

  function schedule(afterMs: number): void {
    scheduled += 1;
    clock.at(millis(clock.now() + afterMs), 'timer', () => {
      scheduled -= 1;
      parts.due({ kind: 'reconcile' });
    });
  }

  /** A comparison has places for all its calls before the first: it fails for want of none, and nothing waits behind it. */
  function* follow(): Task<OrderNews> {
    const { budget } = parts;
    if (budget === undefined) {
      yield* read(STABLE_TRIES);
      return;
    }
    // After pushes were missed every order that opens waits for it; and orders that open do not keep it out for ever.
    const now = clock.now();
    const isUrgent =
      link === 'unread' || (crowdedSince !== undefined && now - crowdedSince >= RECONCILE_EVERY_MS);
    if (!budget.hold(isUrgent ? 'watch' : 'read', CALLS_OF_A_READ)) {
      crowdedSince ??= now;
      if (scheduled === 0) schedule(PLACES_AGAIN_MS);
      return;
    }
    crowdedSince = undefined;
    try {
      yield* read(1);
    } finally {
      budget.release();
    }
  }

  /** What was executed after the read would look like a difference: then it is read again. */
  function* read(tries: number): Task<OrderNews> {
    for (let left = tries; ; left -= 1) {
      const linkThen = link;
      const result = yield* stableRead(broker, currency, recorder.state);
      if (result.kind !== 'stable') {
        unread(result);
        return;
      }
      isUnread = false;
      failingSince = undefined;
      const isLate = yield* takeIn(result.account);
      if (isLate && left > 1) continue;
      if (isLate && parts.budget !== undefined) {
        schedule(PLACES_AGAIN_MS);
        return;
      }
      if (link === 'unread' && linkThen === 'unread') link = 'heard';
      yield* compare(result.account);
      return;
    }
  }

  /** Returns whether something was filled that the account did not list yet. */
  function* takeIn({ orders, executions }: AccountRead): Task<OrderNews, boolean> {
    const listed = new Set(executions.map((row) => row.executionId));
    const news: OrderNews[] = [];
    yield* hearing(parts.handle(orders, executions), (each) => {
      news.push(each);
    });
    yield* news;
    return news.some((each) => each.kind === 'fill' && !listed.has(each.fill.executionId));
  }

  /** No answer, or an account that does not hold still: what was known grows old, and that alone stops opens. */
  function unread(result: Exclude<StableRead, { kind: 'stable' }>): void {
    const now = clock.now();
    if (result.kind === 'failed') failingSince ??= now;
    if (result.kind === 'failed' && !isUnread && now - (failingSince ?? now) >= UNREAD_ALARM_MS) {
      isUnread = true;
      const { what, code, message } = result;
      alarms.raise({
        code: 'books-unread',
        message: `Cannot compare the books with the venue's for ${UNREAD_ALARM_MS / 1_000} s: it did not tell ${what} (${code}: ${message})`,
        at: now,
        facts: { what, code: String(code) },
      });
    }
    if (result.kind === 'failed' || link === 'unread' || parts.budget !== undefined) schedule(AGAIN_AFTER_MS);
  }

  function* compare(account: AccountRead): Task<OrderNews> {
    const { positions, balance } = account;
    handleMargin(balance);
    const facts = splitFacts();
    const found = [...positionDifferences(facts.state, positions), ...cashDifferences(facts.state, balance)];
    const behind = found.map((each) => splitBehind(each, facts));
    const split = behind.find((each) => each !== undefined && hasBegun(each, facts.now));
    if (split === undefined) splitSeen = undefined;
    else if (isSeenAgain(found, facts.now)) {
      yield* bookSplit(split, found, account);
      return;
    }
    // If the venue applied a split one day early, opening is blocked and no alarm is raised.
    const unexplained = found.filter((_, index) => behind[index] === undefined);
    const awaited = splitsAwaited(facts).map(awaitedText);
    compared = { value: [...found.map(differenceText), ...awaited], at: facts.now };
    if (split !== undefined) schedule(SECOND_READ_AFTER_MS);
    else if (unexplained.length > 0) differs(unexplained, facts.now);
    else if (found.length === 0) agreed();
  }

  /** Positions may be ahead of executions: what looks like a split may be a purchase, until it is read twice. */
  function isSeenAgain(found: readonly Difference[], at: Millis): boolean {
    const words = found.map(differenceText).join('; ');
    if (splitSeen?.words !== words) splitSeen = { at, words };
    return at - splitSeen.at >= SECOND_READ_AFTER_MS;
  }

  function splitFacts() {
    return { state: recorder.state, announced: parts.splits?.announced() ?? [], now: clock.now() };
  }

  /** Our books become the venue's; whatever else differs is found by comparing once more. */
  function* bookSplit(
    split: AnnouncedSplit,
    found: readonly Difference[],
    account: AccountRead,
  ): Task<OrderNews> {
    const { state, now } = splitFacts();
    const quote = parts.splits?.quote(split.symbol);
    const event = splitBooking(split, found, { state, now, quote });
    if (event === undefined) {
      differs(found, now);
      return;
    }
    recorder.record(event);
    if (parts.splits !== undefined) yield* parts.splits.after(split.symbol);
    yield* compare(account);
  }

  function agreed(): void {
    sighted = undefined;
    isHalted = false;
    if (!recorder.state.gate.restrictions.has(BOOKS_DIFFER)) return;
    const reason = "Our books are the venue's again";
    parts.move({ to: 'active', by: 'books', rule: 'books-agree', reason });
  }

  function differs(found: readonly Difference[], at: Millis): void {
    const words = found.map(differenceText).join('; ');
    const isSame = sighted?.words === words;
    if (isSame && at - (sighted?.at ?? at) >= SECOND_READ_AFTER_MS) {
      if (!isHalted) diverged(found, at);
      return;
    }
    // Other figures than those that halted are another divergence: a person may have resumed since.
    if (!isSame) {
      sighted = { at, words };
      isHalted = false;
    }
    schedule(SECOND_READ_AFTER_MS);
    parts.move({ to: 'reduce-only', by: 'books', rule: BOOKS_DIFFER, reason: words });
  }

  function diverged(found: readonly Difference[], at: Millis): void {
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
    parts.move({ to: 'halted', by: 'books', rule: 'books-diverged', reason: words });
  }

  /** Books that were found to differ are imposed on the gate; what else was found, such as a split to come, is a doubt. */
  function doubts(): readonly BooksDoubt[] {
    if (link !== 'heard') return [{ cause: 'orders-unheard', why: UNHEARD[link], since: linkSince }];
    const isImposed = recorder.state.gate.restrictions.has(BOOKS_DIFFER);
    if (compared === undefined || compared.value.length === 0 || isImposed) return [];
    return [{ cause: 'books-unconfirmed', why: compared.value.join('; '), since: compared.at }];
  }

  return {
    linkChanged,
    follow,
    compare,
    lookAgain: () => schedule(SECOND_READ_AFTER_MS),
    awaitsSplit: () => splitsAwaited(splitFacts()).length > 0,
    doubts,
    isPushed: () => broker.pushes$ !== undefined && link !== 'down',
    books: () => (link === 'heard' ? compared : { value: [UNHEARD[link]], at: clock.now() }),
  };
}
