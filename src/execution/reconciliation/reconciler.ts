import type { Position } from '../../model/account.ts';
import type { Currency } from '../../model/money.ts';
import type { Execution } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Broker, ListedOrder } from '../../ports/broker.ts';
import type { CallBudget } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import { forwardEvents, type Task } from '../../ports/task.ts';
import type { Aged, QuoteFact } from '../../risk/facts.ts';
import type { GateTransition } from '../../risk/gate-state.ts';
import type { OrderUpdate } from '../orders/order-update.ts';
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
  explainingSplit,
  hasBegun,
  isDue,
  oldSharesText,
  splitBooking,
  splitHint,
  splitsAwaited,
} from './announced-splits.ts';
import { createMarginWatch } from './margin-watch.ts';
import { type AccountRead, STABLE_TRIES, type StableRead, stableRead } from './stable-read.ts';

/** A request for a reconciliation. */
export interface ReconcileTask {
  readonly kind: 'reconcile';
}

/** Reconciles our books with the venue, or reports where they differ. */
export type Reconciler = ReturnType<typeof createReconciler>;

/** A reason why our books may differ from the venue's. */
export interface BooksDoubt {
  readonly cause: 'orders-unheard' | 'books-unconfirmed';
  readonly why: string;
  readonly since: Millis;
}

interface ReconcilerParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly queueTask: (task: ReconcileTask) => void;
  readonly currency: Currency;
  readonly alarms: Alarms;
  /** Adopts and reads orders as the day's list requires. */
  readonly handle: (orders: readonly ListedOrder[], executions: readonly Execution[]) => Task<OrderUpdate>;
  readonly move: (transition: GateTransition) => unknown;
  /** Call budget of the account; absent if the venue does not limit calls. */
  readonly budget?: CallBudget | undefined;
  /** Announced splits; absent if there are none, or others book them. */
  readonly splits?: SplitSources;
}

/** Sources of announced splits and of the prices to book them. */
interface SplitSources {
  announced(): readonly AnnouncedSplit[];
  quote(symbol: SecuritySymbol): QuoteFact | undefined;
  /** Cancels orders in old shares, and sends exits again. */
  after(symbol: SecuritySymbol): Task<OrderUpdate>;
}

/**
 * Minimum time between two reads that agree with each other and differ from our books.
 * @see docs/reliability.md, "Stable reads"
 */
const SECOND_READ_AFTER_MS = 1_000;
/** Interval of reconciliations at a venue whose pushes may be lost. */
export const RECONCILE_EVERY_MS = 60_000;
/** Delay before a read is repeated that failed, or whose account changed during it. */
const READ_RETRY_MS = 5_000;

/** Cause of the restriction while the books differ: it ends when they agree again. */
export const BOOKS_DIFFER = 'books-differ';

/** Duration of failed reads before an alarm; longer than a shortage of calls usually lasts. */
const UNREAD_ALARM_MS = 60_000;

/** Calls of one stable read, and the delay before the call budget is checked again. */
const CALLS_OF_A_READ = 5;
const CALLS_RETRY_MS = 1_000;

type Link = 'up' | 'unread' | 'down';

const LINK_PROBLEMS: Readonly<Record<Exclude<Link, 'up'>, string>> = {
  down: 'order changes are not heard, the connection is down',
  unread: 'what happened while the connection was down has not been read yet',
};

/**
 * Creates the reconciler.
 * @see docs/reliability.md, I-13, F-N13, F-B21, F-B22
 */
export function createReconciler(parts: ReconcilerParts) {
  const { broker, recorder, clock, currency, alarms } = parts;
  const handleMargin = createMarginWatch({ alarms, clock });
  let compared: Aged<readonly string[]> | undefined;
  let lastDifference: { readonly at: Millis; readonly text: string } | undefined;
  let lastSplitDifference: typeof lastDifference;
  let isHalted = false;
  /** `unread`: pushes arrive again, but events of the interruption have not been read yet. */
  let link: Link = 'up';
  let linkSince = clock.now();
  let scheduled = 0;
  /** Start of the current series of failed reads; the alarm is raised once per series. */
  let failingSince: Millis | undefined;
  let isUnread = false;
  /** Since when the call budget has not allowed a reconciliation. */
  let outOfCallsSince: Millis | undefined;

  /** Handles a loss or recovery of pushes; a recovery requests a reconciliation. */
  function handlePushState(state: 'down' | 'up'): void {
    if (state === 'up' && link === 'up') return;
    if (link === 'up') linkSince = clock.now();
    link = state === 'up' ? 'unread' : 'down';
    if (state === 'up') parts.queueTask({ kind: 'reconcile' });
  }

  function schedule(afterMs: number): void {
    scheduled += 1;
    clock.at(millis(clock.now() + afterMs), 'timer', () => {
      scheduled -= 1;
      parts.queueTask({ kind: 'reconcile' });
    });
  }

  /**
   * Reserves calls for a whole read before the first one; without them it schedules another try, so nothing waits
   * behind it.
   */
  function* run(): Task<OrderUpdate> {
    const { budget } = parts;
    if (budget === undefined) {
      yield* read(STABLE_TRIES);
      return;
    }
    // After missed pushes every opening order waits for this read; and opening orders must not postpone it forever.
    const now = clock.now();
    const isUrgent =
      link === 'unread' || (outOfCallsSince !== undefined && now - outOfCallsSince >= RECONCILE_EVERY_MS);
    if (!budget.reserve(isUrgent ? 'watch' : 'read', CALLS_OF_A_READ)) {
      outOfCallsSince ??= now;
      if (scheduled === 0) schedule(CALLS_RETRY_MS);
      return;
    }
    outOfCallsSince = undefined;
    try {
      yield* read(1);
    } finally {
      budget.release();
    }
  }

  /**
   * Reads and compares. An execution after the read would look like a difference, so the account is then read again.
   */
  function* read(tries: number): Task<OrderUpdate> {
    for (let triesLeft = tries; ; triesLeft -= 1) {
      const linkThen = link;
      const result = yield* stableRead(broker, currency, recorder.state);
      if (result.kind !== 'stable') {
        handleFailedRead(result);
        return;
      }
      isUnread = false;
      failingSince = undefined;
      const isLate = yield* bookAccount(result.account);
      if (isLate && triesLeft > 1) continue;
      if (isLate && parts.budget !== undefined) {
        schedule(CALLS_RETRY_MS);
        return;
      }
      if (link === 'unread' && linkThen === 'unread') link = 'up';
      yield* compare(result.account);
      return;
    }
  }

  /** Books an account. Returns whether a fill was booked that its executions did not list. */
  function* bookAccount({ orders, executions }: AccountRead): Task<OrderUpdate, boolean> {
    const listed = new Set(executions.map((row) => row.executionId));
    const updates: OrderUpdate[] = [];
    yield* forwardEvents(parts.handle(orders, executions), (each) => {
      updates.push(each);
    });
    yield* updates;
    return updates.some((each) => each.kind === 'fill' && !listed.has(each.fill.executionId));
  }

  /** Handles a failed or unstable read: the known facts age, and their age limits block opening. */
  function handleFailedRead(result: Exclude<StableRead, { kind: 'stable' }>): void {
    const now = clock.now();
    if (result.kind === 'failed') failingSince ??= now;
    if (result.kind === 'failed' && !isUnread && now - (failingSince ?? now) >= UNREAD_ALARM_MS) {
      isUnread = true;
      const { what, code, message } = result;
      alarms.raise({
        code: 'books-unread',
        message: `Cannot compare the books with the venue's for ${UNREAD_ALARM_MS / 1_000} s: it did not state ${what} (${code}: ${message})`,
        at: now,
        facts: { what, code: String(code) },
      });
    }
    if (result.kind === 'failed' || link === 'unread' || parts.budget !== undefined) schedule(READ_RETRY_MS);
  }

  /** Compares the books with an account that was just read and booked; books an announced split. */
  function* compare(account: AccountRead): Task<OrderUpdate> {
    const { positions, balance } = account;
    handleMargin(balance);
    const facts = splitFacts();
    const found = [...positionDifferences(facts.state, positions), ...cashDifferences(facts.state, balance)];
    const explanations = found.map((each) => explainingSplit(each, facts));
    const split = explanations.find((each) => each !== undefined && hasBegun(each, facts.now));
    if (split === undefined) lastSplitDifference = undefined;
    else if (isSeenAgain(found, facts.now)) {
      yield* bookSplit(split, found, account);
      return;
    }
    // If the venue applied a split one day early, opening is blocked and no alarm is raised.
    const unexplained = found.filter((_, index) => explanations[index] === undefined);
    const awaited = splitsAwaited(facts).map(awaitedText);
    compared = { value: [...found.map(differenceText), ...awaited], at: facts.now };
    if (split !== undefined) schedule(SECOND_READ_AFTER_MS);
    else if (unexplained.length > 0) handleDifference(unexplained, facts.now);
    else if (found.length === 0) handleAgreement();
  }

  /**
   * True if the same differences were seen at least a second ago: positions may be ahead of executions, so a purchase
   * can look like a split.
   */
  function isSeenAgain(found: readonly Difference[], at: Millis): boolean {
    const text = found.map(differenceText).join('; ');
    if (lastSplitDifference?.text !== text) lastSplitDifference = { at, text };
    return at - lastSplitDifference.at >= SECOND_READ_AFTER_MS;
  }

  function splitFacts() {
    return { state: recorder.state, announced: parts.splits?.announced() ?? [], now: clock.now() };
  }

  /** Books a split, then compares again to find other differences. */
  function* bookSplit(
    split: AnnouncedSplit,
    found: readonly Difference[],
    account: AccountRead,
  ): Task<OrderUpdate> {
    const { state, now } = splitFacts();
    const quote = parts.splits?.quote(split.symbol);
    const event = splitBooking(split, found, { state, now, quote });
    if (event === undefined) {
      handleDifference(found, now);
      return;
    }
    recorder.record(event);
    if (parts.splits !== undefined) yield* parts.splits.after(split.symbol);
    yield* compare(account);
  }

  function handleAgreement(): void {
    lastDifference = undefined;
    isHalted = false;
    if (!recorder.state.gate.restrictions.has(BOOKS_DIFFER)) return;
    const reason = "Our books are the venue's again";
    parts.move({ to: 'active', by: 'books', rule: 'books-agree', reason });
  }

  function handleDifference(found: readonly Difference[], at: Millis): void {
    const text = found.map(differenceText).join('; ');
    const isSame = lastDifference?.text === text;
    if (isSame && at - (lastDifference?.at ?? at) >= SECOND_READ_AFTER_MS) {
      if (!isHalted) haltOnDivergence(found, at);
      return;
    }
    // Other differences than those that caused the halt are a new divergence: the operator may have resumed since.
    if (!isSame) {
      lastDifference = { at, text };
      isHalted = false;
    }
    schedule(SECOND_READ_AFTER_MS);
    parts.move({ to: 'reduce-only', by: 'books', rule: BOOKS_DIFFER, reason: text });
  }

  function haltOnDivergence(found: readonly Difference[], at: Millis): void {
    isHalted = true;
    const text = found.map(differenceText).join('; ');
    alarms.raise({
      code: 'books-diverged',
      message: `Our books are not the venue's, read twice: ${text}. Nothing opens until an operator has settled it${splitHint(found, at)}`,
      at,
      facts: Object.fromEntries(
        found.flatMap(({ what, ours, venue }) => [[what, `ours ${ours}, venue ${venue}`]]),
      ),
    });
    parts.move({ to: 'halted', by: 'books', rule: 'books-diverged', reason: text });
  }

  /** Returns causes that are not imposed on the gate, such as missed pushes or a split not yet booked. */
  function doubts(): readonly BooksDoubt[] {
    if (link !== 'up') return [{ cause: 'orders-unheard', why: LINK_PROBLEMS[link], since: linkSince }];
    const isImposed = recorder.state.gate.restrictions.has(BOOKS_DIFFER);
    if (compared === undefined || compared.value.length === 0 || isImposed) return [];
    return [{ cause: 'books-unconfirmed', why: compared.value.join('; '), since: compared.at }];
  }

  return {
    handlePushState,
    run,
    compare,
    /** Schedules a reconciliation in one second, after a difference was seen. */
    reconcileSoon: () => schedule(SECOND_READ_AFTER_MS),
    /** True while an announced split of a position is not booked. */
    isSplitDue: (symbol: SecuritySymbol) => isDue(splitFacts(), symbol),
    /** Returns why an order in old shares is not sent, if positions show a split that is not booked. */
    splitShown(symbol: SecuritySymbol, positions: readonly Position[]): string | undefined {
      const facts = splitFacts();
      const difference = positionDifferences(facts.state, positions).find(({ what }) => what === symbol);
      const split = difference && explainingSplit(difference, facts);
      return split && oldSharesText(split);
    },
    /** True while a split is announced for today and the venue has not applied it. */
    awaitsSplit: () => splitsAwaited(splitFacts()).length > 0,
    doubts,
    /** Whether order changes are pushed and the connection is up. */
    isPushConnected: () => broker.pushes$ !== undefined && link !== 'down',
    /** Reasons against opening, and since when they are known; an empty list if the books agreed. */
    books: () => (link === 'up' ? compared : { value: [LINK_PROBLEMS[link]], at: clock.now() }),
  };
}
