import type { TrackedOrder } from '../../events/bot-state.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { Execution, IntentId, OrderId, OrderIntent } from '../../model/order.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { LateAnswer, ListedOrder, OrderHint } from '../../ports/broker.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';
import { createDayListing } from './day-listing.ts';
import { createDayWatch } from './expiry-watch.ts';
import { createFeeReader } from './fee-reader.ts';
import { type Cancelled, createOrderCanceller, OVERDUE_AFTER_MS } from './order-canceller.ts';
import { createOrderListReconciler } from './order-list-reconciler.ts';
import type { OrderNews } from './order-news.ts';
import { createOrderReader } from './order-reader.ts';
import { createOrderSearch } from './order-search.ts';
import { createOrderTrackingContext, type OrderTask, type TrackerParts } from './order-tracking-context.ts';
import {
  ABANDON_READS_MIN,
  CALLS_OF_A_LOOK,
  COUNTED_LISTING_EVERY_MS,
  DETAIL_AFTER_MS,
  LISTING_EVERY_MS,
  LOOK_EVERY_MS,
  WHOLE_DAY_EVERY_MS,
} from './polling-intervals.ts';
import { createSingleReads } from './single-reads.ts';

/** Follows our orders until they are done, by reading them; pushes and timers only trigger reads. */
export interface OrderTracker {
  /** Queues a read of an order that changed; an order is queued at most once. */
  hinted(hint: OrderHint): void;
  /** Handles a late answer: with an id, it binds the order; without one it proves nothing (T-11, T-15). */
  answeredLate(late: LateAnswer): void;
  /** Refusal codes that proved false in this run (T-17); they mean "unknown" from then on. */
  readonly distrusted: ReadonlySet<number>;
  follow(task: OrderTask): Task<OrderNews>;
  /** Reads one order now (T-05). */
  pull(orderId: OrderId): Task<OrderNews>;
  /** Cancels an order, now or as soon as it has an id (T-32, T-33). */
  cancel(intentId: IntentId): Task<OrderNews>;
  /**
   * Handles the orders of the day: adopts, reads and cancels as required, including external ones. Executions read
   * after them save a call.
   */
  handle(orders: readonly ListedOrder[], executions?: readonly Execution[]): Task<OrderNews>;
  /** Reads and handles the day's orders for a kill: one call shows the outcome of all cancels. */
  confirm(): Task<OrderNews>;
  /**
   * Handles orders of earlier days: adopts orders with the bot's tag that were not found yet, and records external
   * ones.
   */
  find(orders: readonly ListedOrder[]): Task<OrderNews>;
  /** Binds an order whose answer was lost to the id that an operator found, and reads it. */
  adopt(intentId: IntentId, orderId: OrderId): Task<OrderNews>;
  /** Resumes an order of an earlier process: follows it, searches for it, or repeats its cancel. */
  resume(order: TrackedOrder): void;
  /** Cancels several orders; with a call budget, one list shows the outcome of all. */
  cancelAll(intentIds: readonly IntentId[]): Task<OrderNews>;
  /** Continues after cancels that were sent outside the event queue and are journaled. */
  handleCancelAnswers(cancels: readonly Cancelled[]): Task<OrderNews>;
  /** Starts to follow an order that the venue accepted. */
  watch(intent: OrderIntent): void;
  /** Reads an order until it shows the outcome of its replace. */
  watchChange(intentId: IntentId): void;
  /** Starts to search the venue's list for an order whose answer was lost (T-09). */
  lookFor(intent: OrderIntent): void;
}

export function createOrderTracker(parts: TrackerParts): OrderTracker {
  const { broker, recorder, clock, due } = parts;
  const { state } = recorder;
  const queued = new Set<OrderId>();
  /** Orders whose queued hint was already covered by a later list. */
  const listed = new Set<OrderId>();
  const cancelAfter = new Map<IntentId, number>();
  const distrusted = new Set<number>();
  /** Time of the next read; undefined if none is scheduled. */
  let readsAt: Millis | undefined;
  /** When external orders were deferred to the next list of the day, and whether that is scheduled. */
  let deferredAt = clock.now();
  let isExternalDue = false;
  const isListed = broker.facts.listsOrders !== false;
  /** Whether orders are read on timers, because their changes may not be pushed. */
  const polls = !broker.facts.pushComplete || !isListed;

  const context = createOrderTrackingContext(parts);
  const { known, schedule, limiter } = context;
  const reader = createOrderReader(context);
  const charges = createFeeReader(context, reader);
  const days = createDayWatch(context, reader);
  const cancels = createOrderCanceller(context, reader, () => day.read('kill'));
  const listing = createOrderListReconciler(context, reader, {
    distrust: (code) => distrusted.add(code),
    watch: watchOrder,
    deferExternal,
  });
  const day = createDayListing(context, { listing, reader, fees: charges });
  const search = createOrderSearch(context, listing);
  const single = createSingleReads(context, reader);

  function hinted({ orderId, intentId }: OrderHint): void {
    if (queued.has(orderId)) return;
    queued.add(orderId);
    due({ kind: 'moved', orderId, intentId });
  }

  function* follow(task: OrderTask): Task<OrderNews> {
    switch (task.kind) {
      case 'moved':
        queued.delete(task.orderId);
        if (!listed.delete(task.orderId)) yield* handleHint(task);
        return;
      case 'late':
        return yield* listing.adopt(task.intentId, task.orderId, 'late-answer');
      case 'follow-up':
        if (closesByFlatten(state.intentOf(task.orderId))) yield* reader.pullLive(task.orderId, 'kill');
        else if (limiter.take(1)) yield* reader.pullLive(task.orderId);
        return;
      case 'charges':
        return yield* charges.read(task);
      case 'external':
        return yield* listForExternal();
      case 'external-charges':
        return yield* charges.readExternal();
      case 'recheck':
        return yield* reader.recheck(task.orderId);
      case 'cancel-due':
        return yield* cancels.cancel(task.intentId);
      case 'cancel-overdue':
        return yield* cancels.overdue(task.intentId);
      case 'day-over':
        return yield* days.look(task);
      case 'look-for':
        return yield* search.look(task);
      case 'listing':
        // A read scheduled for later was brought forward.
        if (readsAt === undefined || clock.now() < readsAt) return;
        readsAt = undefined;
        yield* list();
    }
  }

  /** Handles a push, which only triggers reads; one with the tag of an order without an id binds it (T-12). */
  function* handleHint({ orderId, intentId }: Extract<OrderTask, { kind: 'moved' }>): Task<OrderNews> {
    const ours = state.intentOf(orderId);
    if (ours !== undefined) return yield* look(ours, orderId);
    const order = intentId === undefined ? undefined : state.order(intentId);
    if (order === undefined) {
      yield* lookAtExternal(orderId);
      return;
    }
    // A second id under the tag: the list of the day shows which one is the duplicate (T-16).
    if (order.facets.submission.kind === 'acked') yield* day.read('watch', 'day');
    else yield* listing.adopt(order.intentId, orderId, 'push');
  }

  /**
   * Reads an order that moved, if there are spare calls. If others wait, one list covers all of them; without spare
   * calls, the next periodic list does.
   */
  function* look(intentId: IntentId, orderId: OrderId): Task<OrderNews> {
    if (closesByFlatten(intentId)) return yield* reader.pull(orderId, 'kill');
    if (!limiter.isLimited) return yield* reader.pull(orderId);
    if (!limiter.take(CALLS_OF_A_LOOK)) {
      // No list covers an order that is over (T-29).
      if (!state.live.has(intentId)) schedule(LISTING_EVERY_MS, { kind: 'moved', orderId });
      return;
    }
    if (queued.size === 0) return yield* reader.pull(orderId);
    // A list of open orders contains no finished and no external orders.
    const areOpen = [intentId, ...[...queued].map((each) => state.intentOf(each))].every(
      (each) => each !== undefined && state.live.has(each),
    );
    for (const each of queued) listed.add(each);
    queued.clear();
    yield* day.read('watch', areOpen ? undefined : 'day');
  }

  /**
   * Reads an external order that moved, if no other waits; otherwise one list of the day covers all. There may be
   * more external orders than calls, so spare calls for one of our orders are left: without them every poll would
   * list the whole of a long day.
   */
  function* lookAtExternal(orderId: OrderId): Task {
    const { foreign } = parts;
    if (foreign === undefined) return;
    const isAlone =
      !limiter.isLimited || (queued.size === 0 && limiter.take(CALLS_OF_A_LOOK, CALLS_OF_A_LOOK));
    // The calls for the order and its executions are already reserved.
    const reads = { isLimited: limiter.isLimited, take: () => true };
    if (!isAlone || !(yield* foreign.look(orderId, reads))) deferExternal();
    charges.plan();
  }

  function deferExternal(): void {
    deferredAt = clock.now();
    if (isExternalDue || !isListed) return;
    isExternalDue = true;
    schedule(day.isLong() ? WHOLE_DAY_EVERY_MS : listingEveryMs, { kind: 'external' });
  }

  function* listForExternal(): Task<OrderNews> {
    isExternalDue = false;
    if (day.listedAt() > deferredAt) return;
    yield* day.read('watch', 'day');
    if (day.listedAt() <= deferredAt) deferExternal();
  }

  function* find(orders: readonly ListedOrder[]): Task<OrderNews> {
    yield* listing.handleRows(orders, 'some');
    yield* listing.handleExternal(orders);
  }

  const listingEveryMs = limiter.isLimited ? COUNTED_LISTING_EVERY_MS : LISTING_EVERY_MS;

  function armListing(): void {
    if (!polls) return;
    const at = millis(clock.now() + (isListed ? listingEveryMs : single.nextAfterMs()));
    if (readsAt !== undefined && readsAt <= at) return;
    readsAt = at;
    schedule(at - clock.now(), { kind: 'listing' });
  }

  function* list(): Task<OrderNews> {
    if (![...state.live.values()].some(({ facets }) => facets.submission.kind === 'acked')) return;
    if (!isListed) {
      yield* single.read();
      armListing();
      return;
    }
    armListing();
    if (parts.budget?.hasCapacity('watch') === false) yield* readFills();
    else yield* day.read('poll');
  }

  /** True for the order with which a flatten closes a position: its reads use the calls of the flatten. */
  function closesByFlatten(intentId: IntentId | undefined): boolean {
    return intentId !== undefined && state.flattening.get(known(intentId).terms.symbol) === intentId;
  }

  /** Reads only the day's executions when each poll has one call left: they contain every fill. */
  function* readFills(): Task<OrderNews> {
    const purpose = [...state.live.keys()].some(closesByFlatten) ? 'kill' : 'poll';
    const answer = yield* awaitAnswer(broker.executionsToday(undefined, purpose));
    if (answer.kind === 'ok') yield* reader.absorbExecutions(answer.value);
  }

  function watchOrder(intentId: IntentId): void {
    const cancelAfterMs = cancelAfter.get(intentId);
    cancelAfter.delete(intentId);
    if (cancelAfterMs !== undefined) schedule(cancelAfterMs, { kind: 'cancel-due', intentId });
    armListing();
    if (!polls) return;
    if (readSoon(intentId)) days.watch(intentId);
  }

  function readSoon(intentId: IntentId): boolean {
    const { submission } = known(intentId).facets;
    if (submission.kind !== 'acked') return false;
    for (const afterMs of DETAIL_AFTER_MS)
      schedule(afterMs, { kind: 'follow-up', orderId: submission.orderId });
    return true;
  }

  /** Schedules the tasks of an order that kept working while the bot was down. */
  function resume(order: TrackedOrder): void {
    const { intentId, facets, decidedAt, cancelAfterMs } = order;
    const intent = toIntent(order);
    if (cancelAfterMs !== undefined)
      cancelAfter.set(intentId, Math.max(0, decidedAt + cancelAfterMs - clock.now()));
    switch (facets.submission.kind) {
      case 'acked':
        watchOrder(intentId);
        if (facets.pending === 'cancel-acked')
          schedule(OVERDUE_AFTER_MS, { kind: 'cancel-overdue', intentId });
        // A cancel that was refused or not sent is repeated as well.
        else if (facets.cancels > 0) schedule(0, { kind: 'cancel-due', intentId });
        if (order.replacing !== undefined) readSoon(intentId);
        return;
      case 'unknown':
        schedule(search.firstAfterMs, { kind: 'look-for', intent, reads: 0, since: clock.now() });
        return;
      case 'abandoned':
        if (!isListed) return;
        schedule(LOOK_EVERY_MS, { kind: 'look-for', intent, reads: ABANDON_READS_MIN, since: decidedAt });
        return;
      default:
    }
  }

  function remember({ id, cancelAfterMs }: OrderIntent): void {
    if (cancelAfterMs !== undefined) cancelAfter.set(id, cancelAfterMs);
  }

  return {
    hinted,
    answeredLate: ({ intentId, answer }) => {
      if (answer.kind === 'accepted') due({ kind: 'late', intentId, orderId: answer.orderId });
    },
    distrusted,
    follow,
    pull: reader.pull,
    cancel: cancels.cancel,
    handle: (orders, executions) => day.handle(orders, executions),
    confirm: () => day.read('kill'),
    find,
    adopt: (intentId, orderId) => listing.adopt(intentId, orderId, 'operator'),
    resume,
    cancelAll: cancels.cancelAll,
    handleCancelAnswers: cancels.handleAnswers,
    watch: (intent) => {
      remember(intent);
      watchOrder(intent.id);
    },
    watchChange: (intentId) => {
      if (known(intentId).replacing !== undefined) readSoon(intentId);
    },
    lookFor: (intent) => {
      remember(intent);
      schedule(search.firstAfterMs, { kind: 'look-for', intent, reads: 0, since: clock.now() });
    },
  };
}

/** Returns the intent of a tracked order, with the fields needed to follow it. */
export function toIntent({ intentId, terms, decidedAt, cancelAfterMs, isTarget }: TrackedOrder): OrderIntent {
  return { id: intentId, terms, reason: '', decidedAt, ...omitUndefined({ cancelAfterMs, isTarget }) };
}
