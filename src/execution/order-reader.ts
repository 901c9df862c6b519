import { EMPTY, type Observable } from 'rxjs';
import type { TrackedOrder } from '../events/fold.ts';
import { ZERO } from '../model/decimal.ts';
import {
  type Charge,
  type Execution,
  type IntentId,
  isTerminalStatus,
  type OrderId,
} from '../model/order.ts';
import { alarm, isOver, type OrderFacets } from '../model/order-facets.ts';
import { isLive, stepOrder } from '../model/order-state.ts';
import type { Millis } from '../model/time.ts';
import type { Answer, ListedOrder, ReadPurpose } from '../ports/broker.ts';
import { act, allOf, andThen, atOnce, eachAs, inOrder, silent } from '../ports/steps.ts';
import { executionInDetail, executionsOf, isWhole } from './executions-of.ts';
import { eachInTurn } from './in-turn.ts';
import type { OrderDesk } from './order-desk.ts';
import { fillNews, type OrderNews, orderNews, outcomeOf } from './order-news.ts';
import { createTermsReader } from './terms-reader.ts';

/** Reads orders one by one and writes down what is new in them. */
export interface OrderReader {
  /** Reads one order of ours now; nothing comes out for an order that is not ours. */
  pull(orderId: OrderId): Observable<OrderNews>;
  /** The same while the order lives: one that is over needs no further look, and the calls are for those that are not. */
  pullLive(orderId: OrderId, purpose?: ReadPurpose): Observable<OrderNews>;
  /** The same for an order that was found at odds with itself. */
  recheck(orderId: OrderId): Observable<OrderNews>;
  /** Takes in a row of the listing instead of asking for the order, with executions of the day that were read after it. */
  absorb(intentId: IntentId, row: ListedOrder, executions: readonly Execution[]): Observable<OrderNews>;
  /** Books executions of the day that were read without a word about their orders; the status follows with the next listing. */
  absorbExecutions(rows: readonly Execution[]): Observable<OrderNews>;
}

/** A question without an answer is asked again after this long where no timer does it. */
const ASK_AGAIN_MS = 1_000;
/** How often and how long an order may be at odds with its executions. @see docs/reliability.md T-25, T-26 */
const RECHECK_EVERY_MS = 5_000;
const AT_ODDS_MAX_MS = 30_000;

/** How long an order may be found nowhere after its replace before a person hears of it. */
const MISSING_MAX_MS = 30_000;

/** Only pulled rows with an execution id enter the books: executions first, then the status. */
export function createOrderReader(desk: OrderDesk): OrderReader {
  const { broker, recorder, clock, known } = desk;
  const oddsSince = new Map<OrderId, Millis>();
  const rechecked = new Set<OrderId>();
  const termsReader = createTermsReader(desk);

  function pull(orderId: OrderId, purpose?: ReadPurpose): Observable<OrderNews> {
    return inOrder(() => {
      const intentId = recorder.state.intentOf(orderId);
      if (intentId === undefined) return EMPTY;
      return andThen(broker.orderDetail(orderId, purpose), (answer) =>
        answer.kind === 'failed' && !answer.retryable
          ? fromHistory(intentId, orderId)
          : whenOk(orderId, answer, (detail) => absorb(intentId, detail)),
      );
    });
  }

  /** An order that the venue does not tell by its id may still stand in its history (T-48); that it does not proves nothing. */
  function fromHistory(intentId: IntentId, orderId: OrderId): Observable<OrderNews> {
    return andThen(broker.ordersBefore(known(intentId).decidedAt), (answer) => {
      if (answer.kind !== 'ok') return EMPTY;
      const row = answer.value.find((each) => each.orderId === orderId);
      return row === undefined ? act(() => missing(intentId, orderId)) : absorb(intentId, row);
    });
  }

  /** A replace may have given the order another id and taken our tag from it (F-B18): then only a person can find it. */
  function missing(intentId: IntentId, orderId: OrderId): void {
    const { facets, change } = known(intentId);
    const isOverdue = change !== undefined && clock.now() - change.at >= MISSING_MAX_MS;
    if (!facets.pending.startsWith('replace-') || !isOverdue) return;
    const message = `Order "${orderId}" is not to be found since its replace; it may live under another id without our tag, counted among foreign orders`;
    desk.raise(intentId, alarm('replace-missing', message, 'symbol'));
  }

  /** A question without an answer skips a beat; where no timer sets the next one, it is set here. */
  function whenOk<T>(
    orderId: OrderId,
    answer: Answer<T>,
    use: (value: T) => Observable<OrderNews>,
  ): Observable<OrderNews> {
    if (answer.kind === 'ok') return use(answer.value);
    if (broker.facts.pushComplete && answer.retryable) desk.remind(ASK_AGAIN_MS, { kind: 'moved', orderId });
    return EMPTY;
  }

  function absorb(
    intentId: IntentId,
    detail: ListedOrder,
    executions?: readonly Execution[],
  ): Observable<OrderNews> {
    const before = known(intentId).facets;
    return inOrder<OrderNews>(
      () => newExecutions(intentId, detail, executions),
      () => termsReader.read(known(intentId), detail),
      () => newStatus(intentId, detail),
      () => lateCharges(intentId, detail),
      () => tellChange(intentId, before, detail.message),
      () => act(() => compare(intentId, detail)),
    );
  }

  function newExecutions(
    intentId: IntentId,
    detail: ListedOrder,
    read: readonly Execution[] | undefined,
  ): Observable<OrderNews> {
    const { facets } = known(intentId);
    const isShort = detail.status === 'FilledStatus' && facets.executed.lt(facets.ordered);
    if (!isShort && detail.executedQuantity.lte(facets.executed)) return EMPTY;
    const { executions: booked, executed: bookedQuantity } = facets;
    if (broker.facts.listsOrders === false) {
      const row = executionInDetail(detail, booked);
      return row === undefined ? EMPTY : book(intentId, detail, [row]);
    }
    const { orderId, executedQuantity: executed } = detail;
    const since = known(intentId).decidedAt;
    const order = { orderId, executed, booked, bookedQuantity, since };
    const own = read?.filter((row) => row.orderId === orderId);
    if (own !== undefined && isWhole(own, order)) return book(intentId, detail, own);
    return andThen(executionsOf(broker, order), (answer) =>
      whenOk(orderId, answer, (rows) => book(intentId, detail, rows)),
    );
  }

  function absorbExecutions(rows: readonly Execution[]): Observable<OrderNews> {
    const { live, intentOf } = recorder.state;
    const byOrder = Map.groupBy(rows, ({ orderId }) => orderId);
    return eachInTurn(allOf([...byOrder]), ([orderId, own]) => {
      const intentId = intentOf(orderId);
      const currency = intentId === undefined ? undefined : desk.currencyOf?.(known(intentId).terms.symbol);
      if (intentId === undefined || currency === undefined || !live.has(intentId)) return EMPTY;
      return book(intentId, { currency, charges: undefined }, own);
    });
  }

  function book(
    intentId: IntentId,
    detail: Pick<ListedOrder, 'currency' | 'charges'>,
    rows: readonly Execution[],
  ): Observable<OrderNews> {
    const fresh: Execution[] = [];
    for (const row of rows) {
      if (known(intentId).facets.executions.has(row.executionId)) heedRow(intentId, row);
      else if (!fresh.some((other) => other.executionId === row.executionId)) fresh.push(row);
    }
    const last = fresh.at(-1);
    return eachInTurn(allOf(fresh), (row) => {
      heedRow(intentId, row);
      const charges = row === last ? newCharges(known(intentId), detail.charges ?? []) : [];
      const fee = charges.reduce((sum, charge) => sum.plus(charge.amount), ZERO);
      const fill = { ...row, intentId, currency: detail.currency, fee, charges };
      const open = detail.charges === undefined ? ({ chargesOpen: true } as const) : {};
      const filled$ = recorder.record({ kind: 'order-filled', at: clock.now(), intentId, fill, ...open });
      return eachAs(filled$, (event) => fillNews(event.fill, clock.now()));
    });
  }

  /** What the venue charges, or gives back, once all executions are booked (I-13). */
  function lateCharges(intentId: IntentId, detail: ListedOrder): Observable<never> {
    const order = known(intentId);
    if (detail.charges === undefined || !order.facets.executed.eq(detail.executedQuantity)) return EMPTY;
    const charges = newCharges(order, detail.charges);
    if (charges.length === 0 && !recorder.state.uncharged.has(intentId)) return EMPTY;
    const fee = charges.reduce((sum, charge) => sum.plus(charge.amount), ZERO);
    const { currency } = detail;
    return silent(
      recorder.record({ kind: 'order-charged', at: clock.now(), intentId, currency, fee, charges }),
    );
  }

  /** Raises what an execution row calls for before it is booked (T-24, T-28, T-29). */
  function heedRow(intentId: IntentId, row: Execution): void {
    const { executionId, quantity, price } = row;
    const { wishes } = stepOrder(known(intentId).facets, { kind: 'executed', executionId, quantity, price });
    for (const wish of wishes) if (wish.kind === 'alarm') desk.raise(intentId, wish);
  }

  function newStatus(intentId: IntentId, detail: ListedOrder): Observable<OrderNews> {
    const { facets } = known(intentId);
    // Finished, but not all of it is booked (T-26): it stays as it is until its executions were read.
    if (isTerminalStatus(detail.status) && detail.executedQuantity.gt(facets.executed)) return EMPTY;
    const { status, rawStatus, executedQuantity, message } = detail;
    const at = clock.now();
    const { order, wishes } = stepOrder(facets, { kind: 'status', status, by: 'pull', executedQuantity, at });
    const heeded$ = desk.heed(intentId, wishes);
    if (order === facets) return heeded$;
    return inOrder(
      () =>
        silent(
          recorder.record({
            kind: 'order-moved',
            at,
            intentId,
            status,
            rawStatus,
            executedQuantity,
            message,
          }),
        ),
      () => heeded$,
    );
  }

  /** Tells a strategy of a new status, and of an end when it is proved. */
  function tellChange(intentId: IntentId, before: OrderFacets, message: string): Observable<OrderNews> {
    const order = known(intentId);
    const { facets } = order;
    if (facets.venue === 'none' || (isOver(facets) && isLive(facets))) return EMPTY;
    const outcome = outcomeOf(facets.venue);
    if (outcome === undefined || (facets.venue === before.venue && isLive(before) === isLive(facets)))
      return EMPTY;
    const tooLate = outcome === 'filled' && facets.cancels > 0;
    const why = tooLate && message === '' ? 'too late to cancel' : message;
    return atOnce(() => orderNews(order, { outcome, why, time: clock.now() }));
  }

  /** Status and executions may be at odds for a while; then a person hears of it (T-25, T-26). */
  function compare(intentId: IntentId, detail: ListedOrder): void {
    const { facets } = known(intentId);
    const { orderId } = detail;
    const isMissing =
      (isTerminalStatus(detail.status) && detail.executedQuantity.gt(facets.executed)) ||
      (isOver(facets) && isLive(facets));
    const isEarly = !isMissing && !isOver(facets) && facets.executed.gte(facets.ordered);
    if (!isMissing && !isEarly) {
      oddsSince.delete(orderId);
      return;
    }
    const since = oddsSince.get(orderId) ?? clock.now();
    oddsSince.set(orderId, since);
    if (clock.now() - since >= AT_ODDS_MAX_MS) {
      const facts = `venue says ${detail.status} with ${detail.executedQuantity} executed, ${facets.executed} of ${facets.ordered} are booked`;
      const wish = isMissing
        ? alarm('executions-missing', `Executions do not come: ${facts}`, 'account')
        : alarm('status-missing', `Order is not called filled: ${facts}`);
      desk.raise(intentId, wish);
      return;
    }
    if (rechecked.has(orderId)) return;
    rechecked.add(orderId);
    desk.remind(RECHECK_EVERY_MS, { kind: 'recheck', orderId });
  }

  return {
    pull: (orderId) => pull(orderId),
    absorb,
    absorbExecutions: (rows) => inOrder(() => absorbExecutions(rows)),
    pullLive: (orderId, purpose) => {
      const intentId = recorder.state.intentOf(orderId);
      return intentId !== undefined && isLive(known(intentId).facets) ? pull(orderId, purpose) : EMPTY;
    },
    recheck: (orderId) => {
      rechecked.delete(orderId);
      return pull(orderId);
    },
  };
}

/** What an order has been charged beyond what was booked with its earlier fills. */
function newCharges(order: TrackedOrder, total: readonly Charge[]): readonly Charge[] {
  return total
    .map((charge) => ({ ...charge, amount: charge.amount.minus(order.charged.get(charge.code) ?? ZERO) }))
    .filter((charge) => !charge.amount.isZero());
}
