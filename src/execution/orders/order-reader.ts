import { Decimal, ZERO } from '../../model/decimal.ts';
import {
  type Charge,
  type Execution,
  type IntentId,
  isTerminalStatus,
  type OrderId,
} from '../../model/order.ts';
import { alarm, isOver, type OrderFacets } from '../../model/order-facets.ts';
import { isLive, stepOrder } from '../../model/order-state.ts';
import type { Millis } from '../../model/time.ts';
import type { Answer, ListedOrder, ReadPurpose } from '../../ports/broker.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';
import { createAmendConfirmation } from './amend-confirmation.ts';
import { chargesBeyond, executionInDetail, executionsOf, isWhole } from './executions-of.ts';
import type { OrderTrackingContext } from './order-tracking-context.ts';
import { fillUpdate, type OrderUpdate, orderUpdate, outcomeOf } from './order-update.ts';

/** Reads single orders and records changes. */
export interface OrderReader {
  /** Reads one of the bot's orders now; does nothing for an external order. */
  pull(orderId: OrderId, purpose?: ReadPurpose): Task<OrderUpdate>;
  /** The same, only if the order is not finished, which saves calls. */
  pullLive(orderId: OrderId, purpose?: ReadPurpose): Task<OrderUpdate>;
  /** The same for an order whose status and executions disagreed. */
  recheck(orderId: OrderId): Task<OrderUpdate>;
  /**
   * Applies a row of the order list instead of reading the order. Its executions are read, unless those of the day were
   * read after the row.
   */
  applyRow(
    intentId: IntentId,
    row: ListedOrder,
    executions?: readonly Execution[],
    purpose?: ReadPurpose,
  ): Task<OrderUpdate>;
  /** Books executions of the day that were read without their orders; their status follows with the next list. */
  bookExecutions(rows: readonly Execution[]): Task<OrderUpdate>;
}

/** Delay before an unanswered read is repeated if no polling timer does so. */
const READ_RETRY_MS = 1_000;
/**
 * Interval and maximum duration of rereads while status and executions disagree.
 * @see docs/reliability.md T-25, T-26
 */
const RECHECK_EVERY_MS = 5_000;
const MISMATCH_MAX_MS = 30_000;

/** How long an amended order may be missing at the venue before an alarm. */
const MISSING_MAX_MS = 30_000;

/** Creates the reader. It books only executions that were read and have an id, before the status of their order. */
export function createOrderReader(context: OrderTrackingContext): OrderReader {
  const { broker, recorder, clock, known } = context;
  const mismatchSince = new Map<OrderId, Millis>();
  const rechecked = new Set<OrderId>();
  const amendConfirmation = createAmendConfirmation(context);

  function* pull(orderId: OrderId, purpose?: ReadPurpose): Task<OrderUpdate> {
    const intentId = recorder.state.intentOf(orderId);
    if (intentId === undefined) return;
    const answer = yield* awaitAnswer(broker.orderDetail(orderId, purpose));
    if (answer.kind === 'ok') yield* applyRow(intentId, answer.value, undefined, purpose);
    else if (answer.kind === 'failed' && !answer.retryable) yield* readHistory(intentId, orderId);
    else retryRead(orderId, answer);
  }

  /**
   * Looks for an order that the venue does not find by id in the order history (T-48). Its absence there proves
   * nothing.
   */
  function* readHistory(intentId: IntentId, orderId: OrderId): Task<OrderUpdate> {
    const answer = yield* awaitAnswer(broker.ordersBefore(known(intentId).decidedAt));
    if (answer.kind !== 'ok') return;
    const row = answer.value.find((each) => each.orderId === orderId);
    if (row === undefined) alarmMissing(intentId, orderId);
    else yield* applyRow(intentId, row);
  }

  /**
   * Raises an alarm for an order missing since its replace: it may have a new id without our tag (F-B18), so only a
   * person can find it.
   */
  function alarmMissing(intentId: IntentId, orderId: OrderId): void {
    const { facets, change } = known(intentId);
    const isOverdue = change !== undefined && clock.now() - change.at >= MISSING_MAX_MS;
    if (!facets.pending.startsWith('replace-') || !isOverdue) return;
    const message = `Order "${orderId}" is not to be found since its replace; it may live under another id without our tag, counted among foreign orders`;
    context.raise(intentId, alarm('replace-missing', message, 'symbol'));
  }

  /** Schedules another read after a missing answer, if no timer does. */
  function retryRead(orderId: OrderId, answer: Exclude<Answer<unknown>, { kind: 'ok' }>): void {
    if (broker.facts.pushComplete && answer.retryable)
      context.schedule(READ_RETRY_MS, { kind: 'moved', orderId });
  }

  function* applyRow(
    intentId: IntentId,
    detail: ListedOrder,
    executions?: readonly Execution[],
    purpose?: ReadPurpose,
  ): Task<OrderUpdate> {
    const before = known(intentId).facets;
    if (hasNewExecutions(intentId, detail)) {
      const rows = yield* newExecutions(intentId, detail, { read: executions, purpose });
      if (rows !== undefined) yield* book(intentId, detail, rows);
    }
    const replaced = amendConfirmation.read(known(intentId), detail);
    if (replaced !== undefined) yield replaced;
    recordStatus(intentId, detail);
    bookLateCharges(intentId, detail);
    const changed = updateFor(intentId, before, detail.message);
    if (changed !== undefined) yield changed;
    checkConsistency(intentId, detail);
  }

  function hasNewExecutions(intentId: IntentId, detail: ListedOrder): boolean {
    const { facets } = known(intentId);
    const isShort = detail.status === 'FilledStatus' && facets.executed.lt(facets.ordered);
    return isShort || detail.executedQuantity.gt(facets.executed);
  }

  function* newExecutions(
    intentId: IntentId,
    detail: ListedOrder,
    {
      read,
      purpose,
    }: { readonly read: readonly Execution[] | undefined; readonly purpose: ReadPurpose | undefined },
  ): Task<never, readonly Execution[] | undefined> {
    const { facets, decidedAt: since } = known(intentId);
    const { executions: booked, executed: bookedQuantity } = facets;
    if (broker.facts.listsOrders === false) {
      const row = executionInDetail(detail, booked);
      return row === undefined ? undefined : [row];
    }
    const { orderId, executedQuantity: executed } = detail;
    const order = { orderId, executed, booked, bookedQuantity, since };
    const own = read?.filter((row) => row.orderId === orderId);
    if (own !== undefined && isWhole(own, order)) return own;
    const answer = yield* executionsOf(broker, order, purpose);
    if (answer.kind === 'ok') return answer.value;
    retryRead(orderId, answer);
    return undefined;
  }

  function* bookExecutions(rows: readonly Execution[]): Task<OrderUpdate> {
    const { live, intentOf } = recorder.state;
    for (const [orderId, own] of Map.groupBy(rows, (row) => row.orderId)) {
      const intentId = intentOf(orderId);
      const currency =
        intentId === undefined ? undefined : context.currencyOf?.(known(intentId).terms.symbol);
      if (intentId !== undefined && currency !== undefined && live.has(intentId))
        yield* book(intentId, { currency, charges: undefined }, own);
    }
  }

  function* book(
    intentId: IntentId,
    detail: Pick<ListedOrder, 'currency' | 'charges'>,
    rows: readonly Execution[],
  ): Task<OrderUpdate> {
    const fresh: Execution[] = [];
    for (const row of rows) {
      if (known(intentId).facets.executions.has(row.executionId)) checkExecution(intentId, row);
      else if (!fresh.some((other) => other.executionId === row.executionId)) fresh.push(row);
    }
    let left = fresh.reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
    for (const row of fresh) {
      checkExecution(intentId, row);
      const due = chargesBeyond(detail.charges ?? [], known(intentId).charged);
      const charges = row.quantity.eq(left) ? due : shareOf(due, row.quantity.div(left));
      left = left.minus(row.quantity);
      const fee = charges.reduce((sum, charge) => sum.plus(charge.amount), ZERO);
      const fill = { ...row, intentId, currency: detail.currency, fee, charges };
      const open = detail.charges === undefined ? ({ chargesOpen: true } as const) : {};
      recorder.record({ kind: 'order-filled', at: clock.now(), intentId, fill, ...open });
      yield fillUpdate(fill, clock.now());
    }
  }

  /** Books charges and refunds that follow after all executions are booked (I-13). */
  function bookLateCharges(intentId: IntentId, detail: ListedOrder): void {
    const order = known(intentId);
    if (detail.charges === undefined || !order.facets.executed.eq(detail.executedQuantity)) return;
    const charges = chargesBeyond(detail.charges, order.charged);
    if (charges.length === 0 && !recorder.state.uncharged.has(intentId)) return;
    const fee = charges.reduce((sum, charge) => sum.plus(charge.amount), ZERO);
    const { currency } = detail;
    recorder.record({ kind: 'order-charged', at: clock.now(), intentId, currency, fee, charges });
  }

  /** Raises the alarms of an execution row before it is booked (T-24, T-28, T-29). */
  function checkExecution(intentId: IntentId, row: Execution): void {
    const { executionId, quantity, price } = row;
    const { effects } = stepOrder(known(intentId).facets, { kind: 'executed', executionId, quantity, price });
    for (const effect of effects) if (effect.kind === 'alarm') context.raise(intentId, effect);
  }

  function recordStatus(intentId: IntentId, detail: ListedOrder): void {
    const { facets } = known(intentId);
    // Finished, but not all executions are booked (T-26): the status waits for them.
    if (isTerminalStatus(detail.status) && detail.executedQuantity.gt(facets.executed)) return;
    const { status, rawStatus, executedQuantity, message } = detail;
    const at = clock.now();
    const { order, effects } = stepOrder(facets, {
      kind: 'status',
      status,
      by: 'pull',
      executedQuantity,
      at,
    });
    if (order !== facets)
      recorder.record({ kind: 'order-moved', at, intentId, status, rawStatus, executedQuantity, message });
    context.handle(intentId, effects);
  }

  /** Returns the update for a changed status, or for an end once it is proven. */
  function updateFor(intentId: IntentId, before: OrderFacets, message: string): OrderUpdate | undefined {
    const order = known(intentId);
    const { facets } = order;
    if (facets.venue === 'none' || (isOver(facets) && isLive(facets))) return undefined;
    const outcome = outcomeOf(facets.venue);
    if (outcome === undefined || (facets.venue === before.venue && isLive(before) === isLive(facets)))
      return undefined;
    const tooLate = outcome === 'filled' && facets.cancels > 0;
    const why = tooLate && message === '' ? 'too late to cancel' : message;
    return orderUpdate(order, { outcome, why, time: clock.now() });
  }

  /** Raises an alarm if status and executions disagree for too long (T-25, T-26). */
  function checkConsistency(intentId: IntentId, detail: ListedOrder): void {
    const { facets } = known(intentId);
    const { orderId } = detail;
    const isMissing =
      (isTerminalStatus(detail.status) && detail.executedQuantity.gt(facets.executed)) ||
      (isOver(facets) && isLive(facets));
    const isEarly = !isMissing && !isOver(facets) && facets.executed.gte(facets.ordered);
    if (!isMissing && !isEarly) {
      mismatchSince.delete(orderId);
      return;
    }
    const since = mismatchSince.get(orderId) ?? clock.now();
    mismatchSince.set(orderId, since);
    if (clock.now() - since >= MISMATCH_MAX_MS) {
      const facts = `venue reports ${detail.status} with ${detail.executedQuantity} executed, ${facets.executed} of ${facets.ordered} are booked`;
      const effect = isMissing
        ? alarm('executions-missing', `Executions are missing: ${facts}`, 'account')
        : alarm('status-missing', `Order is not called filled: ${facts}`);
      context.raise(intentId, effect);
      return;
    }
    if (rechecked.has(orderId)) return;
    rechecked.add(orderId);
    context.schedule(RECHECK_EVERY_MS, { kind: 'recheck', orderId });
  }

  function* pullLive(orderId: OrderId, purpose?: ReadPurpose): Task<OrderUpdate> {
    const intentId = recorder.state.intentOf(orderId);
    if (intentId !== undefined && isLive(known(intentId).facets)) yield* pull(orderId, purpose);
  }

  function* recheck(orderId: OrderId): Task<OrderUpdate> {
    rechecked.delete(orderId);
    yield* pull(orderId);
  }

  return { pull, pullLive, recheck, applyRow, bookExecutions };
}

/**
 * Returns an execution's share of charges that the venue states for the whole order: by quantity, rounded half up to
 * the decimal places of the amount, at least two. The last execution booked together takes the remainder, so the sum
 * is exact.
 */
function shareOf(charges: readonly Charge[], share: Decimal): readonly Charge[] {
  return charges
    .map((charge) => {
      const places = Math.max(CENT_PLACES, charge.amount.decimalPlaces());
      return { ...charge, amount: charge.amount.times(share).toDecimalPlaces(places, Decimal.ROUND_HALF_UP) };
    })
    .filter(({ amount }) => !amount.isZero());
}

const CENT_PLACES = 2;
