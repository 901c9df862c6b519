import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import { type Charge, type Execution, isTerminalStatus, type OrderTerms } from '../../model/order.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { ListedOrder } from '../../ports/broker.ts';
import { answerTo, type Task } from '../../ports/task.ts';
import { executionsOf } from '../orders/executions-of.ts';
import type { OrderTrackingContext } from '../orders/order-tracking-context.ts';

/** Where orders that are not ours are written down: shown, counted in what the gate judges by, and never touched (T-52). */
export interface ExternalOrders {
  /** Writes down what is new in the rows that belong to no order of ours, and books what was executed of them. */
  handle(rows: readonly ListedOrder[]): Task;
  /** Reads one foreign order, of which a push told. */
  look(orderId: ListedOrder['orderId']): Task;
}

/** Dependencies of the tracking of external orders. */
export interface ExternalOrdersParts extends Pick<OrderTrackingContext, 'broker' | 'recorder' | 'clock'> {
  /** Stops the account from opening before an order with our tag that the journal does not know is written down (F-K11). */
  readonly halt: (rule: string, reason: string) => unknown;
  readonly alarms: Alarms;
  /** Whether the bot knows what a share of the symbol is worth: it trades or holds it. */
  readonly isValued: (symbol: OrderTerms['symbol']) => boolean;
  /** Whether the currency can be converted. */
  readonly hasRate: (currency: Currency) => boolean;
}

/** An execution is booked before the order's new standing is written down, so that a crash in between books it again. */
export function createExternalOrders(parts: ExternalOrdersParts): ExternalOrders {
  const { broker, recorder, clock, alarms } = parts;
  const { state } = recorder;

  function* handle(rows: readonly ListedOrder[]): Task {
    for (const row of rows) if (isForeign(row)) yield* handleOne(row);
  }

  function isForeign({ orderId, intentId }: ListedOrder): boolean {
    return (
      state.intentOf(orderId) === undefined && (intentId === undefined || state.order(intentId) === undefined)
    );
  }

  function* handleOne(row: ListedOrder): Task {
    const known = state.foreign.orders.get(row.orderId);
    if (known !== undefined && isSame(row, known)) return;
    const { orderId, terms, status, rawStatus, executedQuantity, remark, intentId, currency } = row;
    const isForgotten = known === undefined && intentId !== undefined;
    const executed = executedQuantity.gt(known?.executedQuantity ?? ZERO);
    if (known === undefined) noteUnpriced(row);
    if (isForgotten) forgotten(row);
    if (executed) yield* book(row);
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

  /** Such an order cannot be counted in exposure: a person has to know. */
  function noteUnpriced({ orderId, terms, status, currency }: ListedOrder): void {
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

  /** A backup that was put back, or a file whose end was lost: what was sent since is at the venue and nowhere else. */
  function forgotten({ orderId, terms, intentId }: ListedOrder): void {
    const reason = `Order "${orderId}" (${terms.side} ${terms.quantity} ${terms.symbol}) carries our tag for intent "${intentId}", of which the journal knows nothing`;
    alarms.raise({
      code: 'journal-forgot',
      message: `${reason}: the journal is older than the account. Nothing opens until an operator resumes; the order is counted and left alone`,
      at: clock.now(),
      facts: { orderId, intentId: intentId ?? '', symbol: terms.symbol },
    });
    parts.halt('journal-forgot', reason);
  }

  function* book(row: ListedOrder): Task {
    const { orderId, executedQuantity: executed } = row;
    const { executions: booked } = state.foreign;
    const bookedQuantity = state.foreign.orders.get(orderId)?.executedQuantity ?? ZERO;
    const since = state.openedAt ?? clock.now();
    const executions = yield* executionsOf(broker, { orderId, executed, booked, bookedQuantity, since });
    const detail = yield* answerTo(broker.orderDetail(orderId));
    const charges = detail.kind === 'ok' ? (detail.value.charges ?? []) : [];
    if (executions.kind === 'ok') bookRows(row, executions.value, sum(charges));
  }

  /** What was executed before the books opened is in them already. */
  function bookRows(order: ListedOrder, rows: readonly Execution[], total: Decimal): void {
    const opened = state.openedAt ?? clock.now();
    const fresh = rows.filter(
      ({ executionId, time }) => !state.foreign.executions.has(executionId) && time > opened - SECOND_MS,
    );
    const owed = total.minus(state.foreign.charged.get(order.orderId) ?? ZERO);
    const last = fresh.at(-1);
    for (const row of fresh) {
      const fill = { ...row, currency: order.currency, fee: row === last ? owed : ZERO, charges: [] };
      recorder.record({ kind: 'foreign-filled', at: clock.now(), fill });
    }
  }

  function* look(orderId: ListedOrder['orderId']): Task {
    const answer = yield* answerTo(broker.orderDetail(orderId));
    if (answer.kind === 'ok') yield* handle([answer.value]);
  }

  return { handle, look };
}

type Standing = Pick<ListedOrder, 'status' | 'executedQuantity' | 'terms'>;

function isSame(row: Standing, known: Standing): boolean {
  const samePrice = row.terms.price?.toString() === known.terms.price?.toString();
  const sameSize =
    row.executedQuantity.eq(known.executedQuantity) && row.terms.quantity.eq(known.terms.quantity);
  return row.status === known.status && sameSize && samePrice;
}

function sum(charges: readonly Charge[]): Decimal {
  return charges.reduce((total, { amount }) => total.plus(amount), ZERO);
}
