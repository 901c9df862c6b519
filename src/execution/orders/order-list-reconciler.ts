import type { TrackedOrder } from '../../events/bot-state.ts';
import type { SubmitAcked } from '../../events/event.ts';
import { ordersAtVenue } from '../../events/records/open-orders.ts';
import { Decimal } from '../../model/decimal.ts';
import { type Execution, type IntentId, isTerminalStatus, type OrderId } from '../../model/order.ts';
import { alarm } from '../../model/order-facets.ts';
import { isLive, stepOrder } from '../../model/order-state.ts';
import { hasFigures } from '../../model/replaceable-figures.ts';
import type { ListedOrder, ReadPurpose, UnreadOrder } from '../../ports/broker.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';
import { executionsOf, isWhole, totalOf } from './executions-of.ts';
import type { OrderReader } from './order-reader.ts';
import type { OrderTrackingContext } from './order-tracking-context.ts';
import type { OrderUpdate } from './order-update.ts';
import { CALLS_PER_READ } from './polling-intervals.ts';

/** Compares today's orders at the venue with ours, by tag and by id. */
export interface OrderListReconciler {
  /**
   * Adopts, reads and cancels orders as the rows require; an order missing from them proves nothing (T-48). Scopes:
   * `all` orders of the day, after which missing orders of ours are read by id; `open` orders, where the caller reads
   * missing ones; `some` of our orders, without external ones. `executions` of the day, read after the rows, save a
   * call.
   */
  handleRows(
    rows: readonly ListedOrder[],
    scope: 'all' | 'open' | 'some',
    executions?: readonly Execution[],
    purpose?: ReadPurpose,
  ): Task<OrderUpdate>;
  /** Returns open orders of ours that the rows lack. */
  missing(rows: readonly ListedOrder[]): readonly OrderId[];
  /**
   * True if a row with our tag has an id that is not known for its intent: an order without an answer, a successor,
   * or a duplicate. Distinguishing these requires all orders of the day (T-16).
   */
  hasUnknownIds(rows: readonly ListedOrder[]): boolean;
  /** Handles the rows of external orders; those that could not be booked are listed again. */
  handleExternal(rows: readonly ListedOrder[]): Task;
  /** Binds an order with our tag to its id, and reads it (T-10, T-12, T-15, T-17). */
  adopt(intentId: IntentId, orderId: OrderId, by: SubmitAcked['by']): Task<OrderUpdate>;
}

/** Passes refusal codes that proved false to `distrust` (T-17), and adopted orders to `watch`. */
export function createOrderListReconciler(
  context: OrderTrackingContext,
  reader: OrderReader,
  handlers: {
    readonly distrust: (code: number) => void;
    readonly watch: (intentId: IntentId) => void;
    /** Called if external orders must be listed again. */
    readonly deferExternal: () => void;
  },
): OrderListReconciler {
  const { broker, recorder, clock, known, limiter } = context;

  function* handleRows(
    rows: readonly ListedOrder[],
    scope: 'all' | 'open' | 'some',
    executions?: readonly Execution[],
    purpose?: ReadPurpose,
  ): Task<OrderUpdate> {
    const dayExecutions = yield* applyRows(ownRows(rows), executions, purpose);
    for (const order of broker.unread?.() ?? []) yield* handleUnread(order, executions, purpose);
    if (scope === 'some') return;
    yield* handleExternal(rows, dayExecutions);
    if (scope === 'open') return;
    // A missing order is read only with a spare call, because its absence proves nothing.
    for (const orderId of missing(rows)) if (limiter.take(1)) yield* reader.pull(orderId);
  }

  function* handleExternal(rows: readonly ListedOrder[], executions?: readonly Execution[]): Task {
    if (context.foreign === undefined) return;
    const { isLimited, take } = limiter;
    const isComplete = yield* context.foreign.handle(rows, { executions, isLimited, take });
    if (!isComplete) handlers.deferExternal();
  }

  function ownRows(rows: readonly ListedOrder[]): ReadonlyMap<IntentId, readonly ListedOrder[]> {
    const byIntent = new Map<IntentId, ListedOrder[]>();
    for (const row of rows) {
      const intentId = ownerOf(row);
      if (intentId === undefined) continue;
      const rowsOf = byIntent.get(intentId);
      if (rowsOf === undefined) byIntent.set(intentId, [row]);
      else rowsOf.push(row);
    }
    return byIntent;
  }

  /**
   * Returns the intent of a row by its tag, otherwise by its id: an order without its tag remains ours (F-B18). The
   * tag is preferred, because a restarted venue may reuse ids.
   */
  function ownerOf({ intentId, orderId }: Pick<ListedOrder, 'intentId' | 'orderId'>): IntentId | undefined {
    const { state } = recorder;
    return intentId !== undefined && state.order(intentId) !== undefined ? intentId : state.intentOf(orderId);
  }

  /**
   * Handles our orders. With a call budget, orders that changed together are updated from the list and one query of
   * the day's executions, which is returned if known.
   */
  function* applyRows(
    own: ReadonlyMap<IntentId, readonly ListedOrder[]>,
    executions: readonly Execution[] | undefined,
    purpose: ReadPurpose | undefined,
  ): Task<OrderUpdate, readonly Execution[] | undefined> {
    const changed = [...own].filter(([intentId, rows]) =>
      rows.some((row) => isChanged(known(intentId), row)),
    );
    // A list of the day repeats every order; those without changes cost only a comparison.
    const due = [...own].filter(([intentId, rows]) => !isUnchanged(known(intentId), rows));
    let [shared, ofDay] = [executions, executions];
    if (limiter.isLimited && changed.length > 0 && executions === undefined) {
      // If nothing was executed, the rows of the list are complete.
      if (!changed.some(([intentId, rows]) => rows.some((row) => isExecuted(known(intentId), row))))
        shared = [];
      else if (!canReadAlone(changed.length)) {
        const answer = yield* awaitAnswer(broker.executionsToday(undefined, purpose));
        if (answer.kind !== 'ok') return undefined;
        shared = answer.value;
        ofDay = shared;
      }
    } else if (!limiter.isLimited || changed.length === 0) shared = undefined;
    for (const [intentId, rows] of due) yield* handleOrder(intentId, rows, shared);
    return ofDay;
  }

  /** Whether the only changed order may be read singly; reserves the calls for it. */
  function canReadAlone(changed: number): boolean {
    const isSpare = context.budget?.hasCapacity('watch', CALLS_PER_READ) !== false;
    return changed === 1 && isSpare && limiter.take(CALLS_PER_READ);
  }

  /** Handles the rows of one tag: one is the order, any other is a duplicate (T-16). */
  function* handleOrder(
    intentId: IntentId,
    own: readonly ListedOrder[],
    executions: readonly Execution[] | undefined,
  ): Task<OrderUpdate> {
    const [oldest] = own.toSorted(
      (a, b) => a.submittedAt - b.submittedAt || (a.orderId < b.orderId ? -1 : 1),
    );
    if (oldest === undefined) return;
    const { submission, pending } = known(intentId).facets;
    const successor = pending.startsWith('replace-') ? newestUnknownRow(own) : undefined;
    if (successor !== undefined) return yield* adoptSuccessor(intentId, successor, own);
    const bound = submission.kind === 'acked' ? submission.orderId : oldest.orderId;
    const others = [...new Map(own.map((row) => [row.orderId, row])).values()].filter(
      (row) => row.orderId !== bound && recorder.state.intentOf(row.orderId) !== intentId,
    );
    const first = own.find((row) => row.orderId === bound);
    if (first !== undefined) {
      if (submission.kind === 'acked') yield* applyIfChanged(known(intentId), first, executions);
      else yield* adopt(intentId, bound, 'listing');
    }
    for (const row of others) yield* cancelDuplicate(intentId, row);
  }

  /**
   * Books the executions and the final status of one of our orders whose row cannot be read completely: its terms are
   * known (T-53). As its executed quantity may be missing or wrong, its executions are read first; until then it stays
   * open.
   */
  function* handleUnread(
    { orderId, intentId: tag, status, rawStatus, executedQuantity }: UnreadOrder,
    executions: readonly Execution[] | undefined,
    purpose: ReadPurpose | undefined,
  ): Task<OrderUpdate> {
    const intentId = ownerOf({ intentId: tag, orderId });
    if (intentId === undefined || !isTerminalStatus(status)) return;
    if (known(intentId).facets.submission.kind !== 'acked') yield* adopt(intentId, orderId, 'listing');
    const { terms, facets, decidedAt } = known(intentId);
    const hasItsId = facets.submission.kind === 'acked' && facets.submission.orderId === orderId;
    const currency = context.currencyOf?.(terms.symbol);
    if (!hasItsId || !isLive(facets) || currency === undefined) return;
    const { executions: booked, executed: bookedQuantity, ordered } = facets;
    const stated = executedQuantity?.isZero() === false ? executedQuantity : undefined;
    const order = { orderId, executed: stated ?? ordered, booked, bookedQuantity, since: decidedAt };
    const ofDay = executions?.filter((each) => each.orderId === orderId);
    const answer =
      ofDay !== undefined && isWhole(ofDay, order)
        ? ({ kind: 'ok', value: ofDay } as const)
        : yield* executionsOf(broker, order, purpose);
    if (answer.kind !== 'ok') return;
    const total = totalOf(answer.value, order);
    const isFilled = status === 'FilledStatus';
    const executed = stated ?? (isFilled ? Decimal.max(terms.quantity, total) : total);
    // Of a filled order the executed quantity is the whole, also after an amend that was not confirmed.
    const quantity = isFilled ? executed : terms.quantity;
    const row: ListedOrder = {
      orderId,
      intentId,
      terms: { ...terms, quantity },
      status,
      rawStatus,
      executedQuantity: Decimal.max(executed, total),
      executedPrice: undefined,
      currency,
      submittedAt: decidedAt,
      updatedAt: clock.now(),
      triggerAt: undefined,
      message: '',
      remark: '',
      charges: undefined,
    };
    yield* reader.applyRow(intentId, row, answer.value, purpose);
  }

  /** Returns the newest row with an id that none of our orders has had. */
  function newestUnknownRow(own: readonly ListedOrder[]): ListedOrder | undefined {
    return own
      .filter((row) => recorder.state.intentOf(row.orderId) === undefined)
      .toSorted((a, b) => b.submittedAt - a.submittedAt)[0];
  }

  /**
   * Handles a replaced order that has a new id (T-46): both ids belong to the intent, and at most one may be live.
   */
  function* adoptSuccessor(
    intentId: IntentId,
    successor: ListedOrder,
    own: readonly ListedOrder[],
  ): Task<OrderUpdate> {
    const live = own.filter((row) => !isTerminalStatus(row.status)).map((row) => row.orderId);
    const message = `Replaced order lives under ${live.length} ids: ${live.join(', ')}`;
    yield* adopt(intentId, successor.orderId, 'listing');
    if (live.length > 1) context.handle(intentId, [alarm('replace-doubled', message, 'account')]);
  }

  function* applyIfChanged(
    order: TrackedOrder,
    row: ListedOrder,
    executions: readonly Execution[] | undefined,
  ): Task<OrderUpdate> {
    if (!isChanged(order, row)) return;
    if (executions === undefined) yield* reader.pull(row.orderId);
    else yield* reader.applyRow(order.intentId, row, executions);
  }

  function* adopt(intentId: IntentId, orderId: OrderId, by: SubmitAcked['by']): Task<OrderUpdate> {
    const { facets } = known(intentId);
    const { order, effects } = stepOrder(facets, { kind: 'acked', orderId });
    if (order.submission === facets.submission) {
      // A different id under the tag is handled by the list, which shows all of them.
      if (facets.submission.kind !== 'acked') context.handle(intentId, effects);
      return;
    }
    if (facets.submission.kind === 'refused') handlers.distrust(facets.submission.code);
    recorder.record({ kind: 'submit-acked', at: clock.now(), intentId, orderId, by });
    handlers.watch(intentId);
    yield* reader.pull(orderId);
    context.handle(intentId, effects);
  }

  /** Journals a duplicate, then cancels it once; the operator decides on anything further. */
  function* cancelDuplicate(intentId: IntentId, row: ListedOrder): Task {
    const { orderId } = row;
    const { facets } = known(intentId);
    const { order, effects } = stepOrder(facets, { kind: 'doubled', orderId });
    if (order === facets) return;
    recorder.record({ kind: 'order-doubled', at: clock.now(), intentId, orderId });
    context.handle(intentId, effects);
    if (!isTerminalStatus(row.status)) yield* awaitAnswer(broker.cancel(orderId));
  }

  function missing(rows: readonly ListedOrder[]): readonly OrderId[] {
    const listed = new Set(rows.map((row) => row.orderId));
    return ordersAtVenue(recorder.state)
      .map(({ orderId }) => orderId)
      .filter((orderId) => !listed.has(orderId));
  }

  function hasUnknownIds(rows: readonly ListedOrder[]): boolean {
    return rows.some((row) => {
      const intentId = ownerOf(row);
      if (intentId === undefined || recorder.state.intentOf(row.orderId) === intentId) return false;
      const { facets } = known(intentId);
      const isKnownDuplicate = stepOrder(facets, { kind: 'doubled', orderId: row.orderId }).order === facets;
      return !isKnownDuplicate;
    });
  }

  return { handleRows, handleExternal, missing, hasUnknownIds, adopt };
}

/** True if the list shows an order of ours once, under its known id and unchanged. */
function isUnchanged(order: TrackedOrder, rows: readonly ListedOrder[]): boolean {
  const [row, another] = rows;
  const { submission } = order.facets;
  if (row === undefined || another !== undefined) return false;
  return submission.kind === 'acked' && submission.orderId === row.orderId && !isChanged(order, row);
}

/** True if a row with the id of our order shows a change, or may show the outcome of a replace. */
function isChanged(order: TrackedOrder, row: ListedOrder): boolean {
  const { submission, venue, executed } = order.facets;
  const hasItsId = submission.kind === 'acked' && submission.orderId === row.orderId;
  return (
    hasItsId && (row.status !== venue || !row.executedQuantity.eq(executed) || mayShowReplace(order, row))
  );
}

/** True if the row may show the outcome of a replace, also late: all reads after it may have failed (T-41, T-42). */
function mayShowReplace({ facets, terms, change }: TrackedOrder, row: ListedOrder): boolean {
  if (facets.pending.startsWith('replace-')) return true;
  const asked = change?.asked ?? [];
  return asked.some((each) => hasFigures(row.terms, each)) && !hasFigures(row.terms, terms);
}

function isExecuted({ facets }: TrackedOrder, row: ListedOrder): boolean {
  const isShort = row.status === 'FilledStatus' && facets.executed.lt(facets.ordered);
  return isShort || row.executedQuantity.gt(facets.executed);
}
