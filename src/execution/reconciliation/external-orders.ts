import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import {
  type Charge,
  type Execution,
  isTerminalStatus,
  type OrderId,
  type OrderTerms,
} from '../../model/order.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { ListedOrder } from '../../ports/broker.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';
import { executionsOf, isWhole } from '../orders/executions-of.ts';
import type {
  ExternalOrders,
  ExternalReads,
  OrderTrackingContext,
} from '../orders/order-tracking-context.ts';
import { CALLS_PER_READ } from '../orders/polling-intervals.ts';

interface ExternalOrdersParts extends Pick<OrderTrackingContext, 'broker' | 'recorder' | 'clock'> {
  /**
   * Blocks opening in the account before an order with our tag that the journal does not contain is journaled
   * (F-K11).
   */
  readonly halt: (rule: string, reason: string) => unknown;
  readonly alarms: Alarms;
  /** Whether the bot can value a share of the symbol, because it trades or holds it. */
  readonly isValued: (symbol: OrderTerms['symbol']) => boolean;
  /** Whether the currency can be converted. */
  readonly hasRate: (currency: Currency) => boolean;
}

/**
 * Creates the tracking of external orders. An execution is journaled before the order's new state, so a crash in
 * between books it again.
 */
export function createExternalOrders(parts: ExternalOrdersParts): ExternalOrders {
  const { broker, recorder, clock, alarms } = parts;
  const { state } = recorder;

  /** With a call budget, reads executions of several orders in one call, and their charges later. */
  function* handle(
    rows: readonly ListedOrder[],
    { executions, isLimited, take }: ExternalReads,
  ): Task<never, boolean> {
    const changed = rows.filter((row) => isForeign(row) && !isKnown(row));
    const executed = new Set(changed.filter(isExecuted));
    let dayExecutions = executions;
    if (isLimited && dayExecutions === undefined && executed.size > 1) {
      const answer = yield* awaitAnswer(broker.executionsToday());
      dayExecutions = answer.kind === 'ok' ? answer.value : [];
    }
    const byOrder = Map.groupBy(dayExecutions ?? [], (row) => row.orderId);
    let isComplete = true;
    for (const row of changed) {
      const isBooked = !executed.has(row) || (yield* book(row, byOrder.get(row.orderId) ?? [], take));
      if (isBooked) recordOrder(row);
      else isComplete = false;
    }
    return isComplete;
  }

  function isForeign({ orderId, intentId }: ListedOrder): boolean {
    return (
      state.intentOf(orderId) === undefined && (intentId === undefined || state.order(intentId) === undefined)
    );
  }

  function isKnown(row: ListedOrder): boolean {
    const known = state.foreign.orders.get(row.orderId);
    return known !== undefined && isSame(row, known);
  }

  function isExecuted({ orderId, executedQuantity }: ListedOrder): boolean {
    return executedQuantity.gt(state.foreign.orders.get(orderId)?.executedQuantity ?? ZERO);
  }

  function recordOrder(row: ListedOrder): void {
    const { orderId, terms, status, rawStatus, executedQuantity, remark, intentId, currency } = row;
    if (!state.foreign.orders.has(orderId)) {
      alarmUnpriced(row);
      if (intentId !== undefined) haltForUnknownTag(row);
    }
    recorder.record({
      kind: 'foreign-moved',
      at: clock.now(),
      orderId,
      terms,
      status,
      rawStatus,
      executedQuantity,
      remark,
      currency,
    });
  }

  /** Raises an alarm if the order cannot be counted in exposure. */
  function alarmUnpriced({ orderId, terms, status, currency }: ListedOrder): void {
    const { symbol, side, quantity, price, triggerPrice } = terms;
    if (isTerminalStatus(status) || parts.isValued(symbol)) return;
    const isPriced = price !== undefined || triggerPrice !== undefined;
    if (isPriced && parts.hasRate(currency)) return;
    const what = isPriced ? `has no exchange rate for ${currency}` : 'names no price';
    alarms.raise({
      code: 'foreign-unpriced',
      message: `Order "${orderId}" (${side} ${quantity} ${symbol}) is not ours and ${what}: the limits on exposure leave it out`,
      at: clock.now(),
      facts: { orderId, symbol },
    });
  }

  /**
   * Halts the account: the journal was restored from a backup or lost its end, so orders sent since then exist only
   * at the venue.
   */
  function haltForUnknownTag({ orderId, terms, intentId }: ListedOrder): void {
    const reason = `Order "${orderId}" (${terms.side} ${terms.quantity} ${terms.symbol}) carries our tag for intent "${intentId}", of which the journal knows nothing`;
    alarms.raise({
      code: 'journal-forgot',
      message: `${reason}: the journal is older than the account. Nothing opens until an operator resumes; the order is counted and left alone`,
      at: clock.now(),
      facts: { orderId, intentId: intentId ?? '', symbol: terms.symbol },
    });
    parts.halt('journal-forgot', reason);
  }

  /** Books the given executions of an order if they are complete; otherwise reads them. */
  function* book(
    row: ListedOrder,
    ofOrder: readonly Execution[],
    take: ExternalReads['take'],
  ): Task<never, boolean> {
    const { orderId, executedQuantity: executed } = row;
    const { executions: booked, orders } = state.foreign;
    const bookedQuantity = orders.get(orderId)?.executedQuantity ?? ZERO;
    const order = { orderId, executed, booked, bookedQuantity, since: state.openedAt ?? clock.now() };
    if (ofOrder.length > 0 && isWhole(ofOrder, order)) {
      bookRows(row, ofOrder, row.charges);
      return true;
    }
    if (!take(row.charges === undefined ? CALLS_PER_READ : 1, CALLS_PER_READ)) return false;
    const executions = yield* executionsOf(broker, order);
    if (executions.kind !== 'ok') return false;
    bookRows(row, executions.value, row.charges ?? (yield* chargesOf(orderId)));
    return true;
  }

  function* chargesOf(orderId: OrderId): Task<never, readonly Charge[] | undefined> {
    const detail = yield* awaitAnswer(broker.orderDetail(orderId));
    return detail.kind === 'ok' ? (detail.value.charges ?? []) : undefined;
  }

  /** Books new executions; those before our books opened are already in the opening figures. */
  function bookRows(
    order: ListedOrder,
    rows: readonly Execution[],
    charges: readonly Charge[] | undefined,
  ): void {
    const opened = state.openedAt ?? clock.now();
    const fresh = rows.filter(
      ({ executionId, time }) => !state.foreign.executions.has(executionId) && time > opened - SECOND_MS,
    );
    const open = charges === undefined ? ({ chargesOpen: true } as const) : {};
    const owed = charges === undefined ? ZERO : unbookedCharges(order.orderId, charges);
    const last = fresh.at(-1);
    for (const row of fresh) {
      const fill = { ...row, currency: order.currency, fee: row === last ? owed : ZERO, charges: [] };
      recorder.record({ kind: 'foreign-filled', at: clock.now(), fill, ...open });
    }
  }

  function unbookedCharges(orderId: OrderId, charges: readonly Charge[]): Decimal {
    return sum(charges).minus(state.foreign.charged.get(orderId) ?? ZERO);
  }

  function* read(orderId: OrderId, reads: ExternalReads): Task<never, boolean> {
    const answer = yield* awaitAnswer(broker.orderDetail(orderId));
    if (answer.kind !== 'ok') return false;
    return yield* handle([{ ...answer.value, charges: answer.value.charges ?? [] }], reads);
  }

  /** Reads missing charges of an order. If it has unbooked executions, the charges follow with its next fill. */
  function* readCharges(orderId: OrderId): Task {
    const open = state.foreign.uncharged.get(orderId);
    if (open === undefined) return;
    const answer = yield* awaitAnswer(broker.orderDetail(orderId, 'read'));
    if (answer.kind !== 'ok' || answer.value.charges === undefined) return;
    const { charges, executedQuantity } = answer.value;
    if (executedQuantity.gt(state.foreign.orders.get(orderId)?.executedQuantity ?? ZERO)) return;
    const fee = unbookedCharges(orderId, charges);
    recorder.record({ kind: 'foreign-charged', at: clock.now(), orderId, currency: open.currency, fee });
  }

  return { handle, read, readCharges };
}

type ListedState = Pick<ListedOrder, 'status' | 'executedQuantity' | 'terms'>;

function isSame(row: ListedState, known: ListedState): boolean {
  const samePrice = row.terms.price?.toString() === known.terms.price?.toString();
  const sameSize =
    row.executedQuantity.eq(known.executedQuantity) && row.terms.quantity.eq(known.terms.quantity);
  return row.status === known.status && sameSize && samePrice;
}

function sum(charges: readonly Charge[]): Decimal {
  return charges.reduce((total, { amount }) => total.plus(amount), ZERO);
}
