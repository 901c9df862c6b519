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
import { createOrderReader } from './order-reader.ts';
import { createOrderSearch } from './order-search.ts';
import { createOrderTrackingContext, type OrderTask, type TrackerParts } from './order-tracking-context.ts';
import type { OrderUpdate } from './order-update.ts';
import {
  ABANDON_READS_MIN,
  CALLS_PER_READ,
  COUNTED_LISTING_EVERY_MS,
  DETAIL_DELAYS_MS,
  LISTING_EVERY_MS,
  SEARCH_EVERY_MS,
  WHOLE_DAY_EVERY_MS,
} from './polling-intervals.ts';
import { createSingleReads } from './single-reads.ts';

/** Follows our orders until they are done, by reading them; pushes and timers only trigger reads. */
export interface OrderTracker {
  /** Queues a read of an order that changed; an order is queued at most once. */
  queueHint(hint: OrderHint): void;
  /** Handles a late answer: with an id, it binds the order; without one it proves nothing (T-11, T-15). */
  handleLateAnswer(late: LateAnswer): void;
  /** Refusal codes that proved false in this run (T-17); they mean "unknown" from then on. */
  readonly distrustedCodes: ReadonlySet<number>;
  run(task: OrderTask): Task<OrderUpdate>;
  /** Reads one order now (T-05). */
  pull(orderId: OrderId): Task<OrderUpdate>;
  /** Cancels an order, now or as soon as it has an id (T-32, T-33). */
  cancel(intentId: IntentId): Task<OrderUpdate>;
  /**
   * Handles the orders of the day: adopts, reads and cancels as required, including external ones. Executions read
   * after them save a call.
   */
  handle(orders: readonly ListedOrder[], executions?: readonly Execution[]): Task<OrderUpdate>;
  /** Reads and handles the day's orders for a kill: one call shows the outcome of all cancels. */
  confirm(): Task<OrderUpdate>;
  /**
   * Handles orders of earlier days: adopts orders with the bot's tag that were not found yet, and records external
   * ones.
   */
  handleEarlier(orders: readonly ListedOrder[]): Task<OrderUpdate>;
  /** Binds an order whose answer was lost to the id that an operator found, and reads it. */
  adopt(intentId: IntentId, orderId: OrderId): Task<OrderUpdate>;
  /** Resumes an order of an earlier process: follows it, searches for it, or repeats its cancel. */
  resume(order: TrackedOrder): void;
  /** Cancels several orders; with a call budget, one list shows the outcome of all. */
  cancelAll(intentIds: readonly IntentId[]): Task<OrderUpdate>;
  /** Continues after cancels that were sent outside the event queue and are journaled. */
  handleCancelAnswers(cancels: readonly Cancelled[]): Task<OrderUpdate>;
  /** Starts to follow an order that the venue accepted. */
  watch(intent: OrderIntent): void;
  /** Reads an order until it shows the outcome of its replace. */
  watchChange(intentId: IntentId): void;
  /** Starts to search the venue's list for an order whose answer was lost (T-09). */
  search(intent: OrderIntent): void;
}

export function createOrderTracker(parts: TrackerParts): OrderTracker {
  const { broker, recorder, clock, queueTask } = parts;
  const { state } = recorder;
  const queued = new Set<OrderId>();
  /** Orders whose queued hint was already covered by a later list. */
  const listed = new Set<OrderId>();
  const cancelAfter = new Map<IntentId, number>();
  const distrustedCodes = new Set<number>();
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
  const dayWatch = createDayWatch(context, reader);
  const cancels = createOrderCanceller(context, reader, () => day.read('kill'));
  const listing = createOrderListReconciler(context, reader, {
    distrust: (code) => distrustedCodes.add(code),
    watch: watchOrder,
    deferExternal,
  });
  const day = createDayListing(context, { listing, reader, fees: charges });
  const orderSearch = createOrderSearch(context, listing);
  const single = createSingleReads(context, reader);

  function queueHint({ orderId, intentId }: OrderHint): void {
    if (queued.has(orderId)) return;
    queued.add(orderId);
    queueTask({ kind: 'moved', orderId, intentId });
  }

  function* run(task: OrderTask): Task<OrderUpdate> {
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
        return yield* dayWatch.check(task);
      case 'look-for':
        return yield* orderSearch.search(task);
      case 'listing':
        // A read scheduled for later was brought forward.
        if (readsAt === undefined || clock.now() < readsAt) return;
        readsAt = undefined;
        yield* list();
    }
  }

  /** Handles a push, which only triggers reads; one with the tag of an order without an id binds it (T-12). */
  function* handleHint({ orderId, intentId }: Extract<OrderTask, { kind: 'moved' }>): Task<OrderUpdate> {
    const ours = state.intentOf(orderId);
    if (ours !== undefined) return yield* readMoved(ours, orderId);
    const order = intentId === undefined ? undefined : state.order(intentId);
    if (order === undefined) {
      yield* readExternal(orderId);
      return;
    }
    // A second id under the tag: the list of the day shows which one is the duplicate (T-16).
    if (order.facets.submission.kind === 'acked') yield* day.read('watch', 'day');
    else yield* listing.adopt(order.intentId, orderId, 'push');
  }

  /**
   * Reads an order that changed, if there are spare calls. If others wait, one list covers all of them; without spare
   * calls, the next periodic list does.
   */
  function* readMoved(intentId: IntentId, orderId: OrderId): Task<OrderUpdate> {
    if (closesByFlatten(intentId)) return yield* reader.pull(orderId, 'kill');
    if (!limiter.isLimited) return yield* reader.pull(orderId);
    if (!limiter.take(CALLS_PER_READ)) {
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
   * Reads an external order that changed, if no other one waits; otherwise one list of the day covers all. There may be
   * more external orders than calls, so some spare calls remain for our orders: without them every poll would list the
   * whole of a long day.
   */
  function* readExternal(orderId: OrderId): Task {
    const { foreign } = parts;
    if (foreign === undefined) return;
    const isAlone = !limiter.isLimited || (queued.size === 0 && limiter.take(CALLS_PER_READ, CALLS_PER_READ));
    // The calls for the order and its executions are already reserved.
    const reads = { isLimited: limiter.isLimited, take: () => true };
    if (!isAlone || !(yield* foreign.read(orderId, reads))) deferExternal();
    charges.plan();
  }

  function deferExternal(): void {
    deferredAt = clock.now();
    if (isExternalDue || !isListed) return;
    isExternalDue = true;
    schedule(day.isLong() ? WHOLE_DAY_EVERY_MS : listingEveryMs, { kind: 'external' });
  }

  function* listForExternal(): Task<OrderUpdate> {
    isExternalDue = false;
    if (day.listedAt() > deferredAt) return;
    yield* day.read('watch', 'day');
    if (day.listedAt() <= deferredAt) deferExternal();
  }

  function* handleEarlier(orders: readonly ListedOrder[]): Task<OrderUpdate> {
    yield* listing.handleRows(orders, 'some');
    yield* listing.handleExternal(orders);
  }

  const listingEveryMs = limiter.isLimited ? COUNTED_LISTING_EVERY_MS : LISTING_EVERY_MS;

  function scheduleListing(): void {
    if (!polls) return;
    const at = millis(clock.now() + (isListed ? listingEveryMs : single.nextAfterMs()));
    if (readsAt !== undefined && readsAt <= at) return;
    readsAt = at;
    schedule(at - clock.now(), { kind: 'listing' });
  }

  function* list(): Task<OrderUpdate> {
    if (![...state.live.values()].some(({ facets }) => facets.submission.kind === 'acked')) return;
    if (!isListed) {
      yield* single.read();
      scheduleListing();
      return;
    }
    scheduleListing();
    if (parts.budget?.hasCapacity('watch') === false) yield* readFills();
    else yield* day.read('poll');
  }

  /** True for the order with which a flatten closes a position: its reads use the calls of the flatten. */
  function closesByFlatten(intentId: IntentId | undefined): boolean {
    return intentId !== undefined && state.flattening.get(known(intentId).terms.symbol) === intentId;
  }

  /** Reads only the day's executions when each poll has one call left: they contain every fill. */
  function* readFills(): Task<OrderUpdate> {
    const purpose = [...state.live.keys()].some(closesByFlatten) ? 'kill' : 'poll';
    const answer = yield* awaitAnswer(broker.executionsToday(undefined, purpose));
    if (answer.kind === 'ok') yield* reader.bookExecutions(answer.value);
  }

  function watchOrder(intentId: IntentId): void {
    const cancelAfterMs = cancelAfter.get(intentId);
    cancelAfter.delete(intentId);
    if (cancelAfterMs !== undefined) schedule(cancelAfterMs, { kind: 'cancel-due', intentId });
    scheduleListing();
    if (!polls) return;
    if (scheduleReads(intentId)) dayWatch.watch(intentId);
  }

  function scheduleReads(intentId: IntentId): boolean {
    const { submission } = known(intentId).facets;
    if (submission.kind !== 'acked') return false;
    for (const afterMs of DETAIL_DELAYS_MS)
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
        if (order.replacing !== undefined) scheduleReads(intentId);
        return;
      case 'unknown':
        schedule(orderSearch.firstAfterMs, { kind: 'look-for', intent, reads: 0, since: clock.now() });
        return;
      case 'abandoned':
        if (!isListed) return;
        schedule(SEARCH_EVERY_MS, { kind: 'look-for', intent, reads: ABANDON_READS_MIN, since: decidedAt });
        return;
      default:
    }
  }

  function keepCancelDelay({ id, cancelAfterMs }: OrderIntent): void {
    if (cancelAfterMs !== undefined) cancelAfter.set(id, cancelAfterMs);
  }

  return {
    queueHint,
    handleLateAnswer: ({ intentId, answer }) => {
      if (answer.kind === 'accepted') queueTask({ kind: 'late', intentId, orderId: answer.orderId });
    },
    distrustedCodes,
    run,
    pull: reader.pull,
    cancel: cancels.cancel,
    handle: (orders, executions) => day.handle(orders, executions),
    confirm: () => day.read('kill'),
    handleEarlier,
    adopt: (intentId, orderId) => listing.adopt(intentId, orderId, 'operator'),
    resume,
    cancelAll: cancels.cancelAll,
    handleCancelAnswers: cancels.handleAnswers,
    watch: (intent) => {
      keepCancelDelay(intent);
      watchOrder(intent.id);
    },
    watchChange: (intentId) => {
      if (known(intentId).replacing !== undefined) scheduleReads(intentId);
    },
    search: (intent) => {
      keepCancelDelay(intent);
      schedule(orderSearch.firstAfterMs, { kind: 'look-for', intent, reads: 0, since: clock.now() });
    },
  };
}

/** Returns the intent of a tracked order, with the fields needed to follow it. */
export function toIntent({ intentId, terms, decidedAt, cancelAfterMs, isTarget }: TrackedOrder): OrderIntent {
  return { id: intentId, terms, reason: '', decidedAt, ...omitUndefined({ cancelAfterMs, isTarget }) };
}
