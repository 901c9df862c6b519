import { concat, concatMap, defer, EMPTY, from, map, merge, type Observable, of, Subject } from 'rxjs';
import type { TrackedOrder } from '../events/fold.ts';
import { ZERO } from '../model/decimal.ts';
import {
  type Charge,
  type Execution,
  type IntentId,
  isTerminalStatus,
  type OrderId,
  type OrderIntent,
} from '../model/order.ts';
import { isLive } from '../model/order-state.ts';
import { type Millis, millis } from '../model/time.ts';
import type { Answer, Broker, ListedOrder } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import { inTurn } from './in-turn.ts';
import { fillNews, type OrderNews, orderNews, outcomeOf } from './order-news.ts';
import type { Recorder } from './recorder.ts';

/** One reason to look at an order; each is followed in turn. */
export type Lead =
  | { readonly kind: 'moved'; readonly orderId: OrderId }
  | { readonly kind: 'cancel-due'; readonly intentId: IntentId }
  | {
      readonly kind: 'look-for';
      readonly intent: OrderIntent;
      readonly reads: number;
      readonly since: Millis;
    }
  | { readonly kind: 'listing' };

/** Follows every order of ours until it is done, by reading; pushes and timers only say when to read. */
export interface OrderTracker {
  /** Leads as they come up, the same order at most once in the queue. */
  readonly leads$: Observable<Lead>;
  /** Does what a lead asks for and tells what came of it. */
  follow(lead: Lead): Observable<OrderNews>;
  /** Reads one order now (T-05). */
  pull(orderId: OrderId): Observable<OrderNews>;
  /** Begins to follow an order that the venue took. */
  watch(intent: OrderIntent): void;
  /** Begins to search the venue's listing for an order whose answer never came (T-09). */
  lookFor(intent: OrderIntent): void;
}

/** What a tracker works with. */
export interface TrackerParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

/** Reads of the listing after an unknown submit, in milliseconds after it; then every 30 s. @see reliability.md 2.2 */
const LOOK_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000] as const;
const LOOK_EVERY_MS = 30_000;
const ABANDON_AFTER_MS = 120_000;
const ABANDON_READS_MIN = 6;
/** Reads of one order after activity, where pushes may be lost. @see reliability.md 2.4 */
const DETAIL_AFTER_MS = [1_000, 2_000, 4_000] as const;
const LISTING_EVERY_MS = 5_000;

/** Ties the venue's word on our orders to the journal: only pulled rows with an execution id enter the books. */
export function createOrderTracker({ broker, recorder, clock }: TrackerParts): OrderTracker {
  const { state } = recorder;
  const due$ = new Subject<Lead>();
  const queued = new Set<OrderId>();
  let listingArmed = false;

  const hinted$ = broker.hints$.pipe(
    concatMap(({ orderId }) => (queued.has(orderId) ? EMPTY : of(orderId))),
    map((orderId): Lead => {
      queued.add(orderId);
      return { kind: 'moved', orderId };
    }),
  );

  function remind(afterMs: number, lead: Lead): void {
    clock.at(millis(clock.now() + afterMs), 'timer', () => due$.next(lead));
  }

  function armListing(): void {
    if (broker.facts.pushComplete || listingArmed) return;
    listingArmed = true;
    remind(LISTING_EVERY_MS, { kind: 'listing' });
  }

  function follow(lead: Lead): Observable<OrderNews> {
    switch (lead.kind) {
      case 'moved':
        queued.delete(lead.orderId);
        return pull(lead.orderId);
      case 'cancel-due':
        return cancel(lead.intentId);
      case 'look-for':
        return search(lead);
      case 'listing':
        listingArmed = false;
        return list();
    }
  }

  function pull(orderId: OrderId): Observable<OrderNews> {
    return defer(() => {
      const intentId = state.intentOf(orderId);
      if (intentId === undefined) return EMPTY;
      return broker
        .orderDetail(orderId)
        .pipe(concatMap((answer) => whenOk(orderId, answer, (detail) => absorb(intentId, detail))));
    });
  }

  /** A question without an answer skips a beat; where no timer sets the next one, it is set here. */
  function whenOk<T>(
    orderId: OrderId,
    answer: Answer<T>,
    use: (value: T) => Observable<OrderNews>,
  ): Observable<OrderNews> {
    if (answer.kind === 'ok') return use(answer.value);
    if (broker.facts.pushComplete && answer.retryable) remind(DETAIL_AFTER_MS[0], { kind: 'moved', orderId });
    return EMPTY;
  }

  /** Books what is new in a pulled order: executions first, then its status. */
  function absorb(intentId: IntentId, detail: ListedOrder): Observable<OrderNews> {
    return concat(
      defer(() => newExecutions(intentId, detail)),
      defer(() => newStatus(intentId, detail)),
    );
  }

  function newExecutions(intentId: IntentId, detail: ListedOrder): Observable<OrderNews> {
    const order = known(intentId);
    if (detail.executedQuantity.lte(order.facets.executed)) return EMPTY;
    return broker
      .executionsToday(detail.orderId)
      .pipe(concatMap((answer) => whenOk(detail.orderId, answer, (rows) => book(intentId, detail, rows))));
  }

  function book(intentId: IntentId, detail: ListedOrder, rows: readonly Execution[]): Observable<OrderNews> {
    const fresh = rows.filter((row) => !known(intentId).facets.executions.has(row.executionId));
    return from(fresh.map((row, index) => ({ row, last: index === fresh.length - 1 }))).pipe(
      concatMap(({ row, last }) => {
        const charges = last ? newCharges(known(intentId), detail.charges ?? []) : [];
        const fee = charges.reduce((sum, charge) => sum.plus(charge.amount), ZERO);
        const fill = { ...row, intentId, currency: detail.currency, fee, charges };
        return recorder.record({ kind: 'order-filled', at: clock.now(), intentId, fill });
      }),
      map((event) => fillNews(event.fill, clock.now())),
    );
  }

  function newStatus(intentId: IntentId, detail: ListedOrder): Observable<OrderNews> {
    const order = known(intentId);
    if (detail.status === order.facets.venue || !isLive(order.facets)) return EMPTY;
    // Finished, but not all of it is booked (T-26): it stays live until its executions were read.
    if (isTerminalStatus(detail.status) && detail.executedQuantity.gt(order.facets.executed)) return EMPTY;
    const { status, rawStatus, executedQuantity, message } = detail;
    return recorder
      .record({
        kind: 'order-moved',
        at: clock.now(),
        intentId,
        status,
        rawStatus,
        executedQuantity,
        message,
      })
      .pipe(concatMap(() => tellStatus(intentId, detail)));
  }

  function tellStatus(intentId: IntentId, detail: ListedOrder): Observable<OrderNews> {
    const outcome = outcomeOf(detail.status);
    if (outcome === undefined) return EMPTY;
    return of(orderNews(known(intentId), { outcome, why: detail.message, time: clock.now() }));
  }

  function cancel(intentId: IntentId): Observable<OrderNews> {
    const order = known(intentId);
    const { submission } = order.facets;
    if (!isLive(order.facets) || submission.kind !== 'acked' || order.facets.pending !== 'none') return EMPTY;
    const { orderId } = submission;
    return recorder.record({ kind: 'cancel-sending', at: clock.now(), intentId }).pipe(
      concatMap(() => broker.cancel(orderId)),
      concatMap((answer) => {
        const message = answer.kind === 'accepted' ? '' : answer.message;
        return recorder.record({
          kind: 'cancel-answered',
          at: clock.now(),
          intentId,
          answer: answer.kind,
          message,
        });
      }),
      concatMap(() => pull(orderId)),
    );
  }

  function search(lead: Extract<Lead, { kind: 'look-for' }>): Observable<OrderNews> {
    const order = known(lead.intent.id);
    if (order.facets.submission.kind !== 'unknown') return EMPTY;
    return broker.ordersToday().pipe(
      concatMap((answer) => {
        const listed =
          answer.kind === 'ok' ? answer.value.find((row) => row.intentId === lead.intent.id) : undefined;
        return listed === undefined ? stillUnknown(lead, answer.kind === 'ok') : adopt(lead.intent, listed);
      }),
    );
  }

  /** Binds an order found by its tag (T-10); a cancel that was asked for is due from now on (T-33). */
  function adopt(intent: OrderIntent, listed: ListedOrder): Observable<OrderNews> {
    const { orderId } = listed;
    return recorder
      .record({ kind: 'submit-acked', at: clock.now(), intentId: intent.id, orderId, by: 'listing' })
      .pipe(
        concatMap(() => {
          watch(intent);
          return pull(orderId);
        }),
      );
  }

  function stillUnknown(lead: Extract<Lead, { kind: 'look-for' }>, wasRead: boolean): Observable<OrderNews> {
    const reads = lead.reads + (wasRead ? 1 : 0);
    const age = clock.now() - lead.since;
    if (age >= ABANDON_AFTER_MS && reads >= ABANDON_READS_MIN) return abandon(lead.intent.id, reads);
    const next = LOOK_AFTER_MS.find((after) => after > age);
    remind(next === undefined ? LOOK_EVERY_MS : next - age, { ...lead, reads });
    return EMPTY;
  }

  function abandon(intentId: IntentId, reads: number): Observable<OrderNews> {
    const why = `not in ${reads} listings, never sent again, its money stays reserved`;
    return recorder
      .record({ kind: 'submit-abandoned', at: clock.now(), intentId, reads })
      .pipe(map(() => orderNews(known(intentId), { outcome: 'unproven', why, time: clock.now() })));
  }

  function list(): Observable<OrderNews> {
    if (state.live.size === 0) return EMPTY;
    armListing();
    return broker
      .ordersToday()
      .pipe(
        concatMap((answer) => from(answer.kind === 'ok' ? answer.value : []).pipe(inTurn(pullWhenChanged))),
      );
  }

  function pullWhenChanged(row: ListedOrder): Observable<OrderNews> {
    const order = row.intentId === undefined ? undefined : state.order(row.intentId);
    if (order === undefined) return EMPTY;
    const same = row.status === order.facets.venue && row.executedQuantity.eq(order.facets.executed);
    return same ? EMPTY : pull(row.orderId);
  }

  function watch(intent: OrderIntent): void {
    if (intent.cancelAfterMs !== undefined)
      remind(intent.cancelAfterMs, { kind: 'cancel-due', intentId: intent.id });
    armListing();
    if (broker.facts.pushComplete) return;
    const { submission } = known(intent.id).facets;
    if (submission.kind !== 'acked') return;
    for (const afterMs of DETAIL_AFTER_MS) remind(afterMs, { kind: 'moved', orderId: submission.orderId });
  }

  function known(intentId: IntentId): TrackedOrder {
    const order = state.order(intentId);
    if (order === undefined) throw new Error(`No intent "${intentId}" in the state`);
    return order;
  }

  return {
    leads$: merge(hinted$, due$),
    follow: (lead) => defer(() => follow(lead)),
    pull,
    watch,
    lookFor: (intent) => {
      remind(LOOK_AFTER_MS[0], { kind: 'look-for', intent, reads: 0, since: clock.now() });
    },
  };
}

/** What an order has been charged beyond what was booked with its earlier fills. */
function newCharges(order: TrackedOrder, total: readonly Charge[]): readonly Charge[] {
  return total
    .map((charge) => ({ ...charge, amount: charge.amount.minus(order.charged.get(charge.code) ?? ZERO) }))
    .filter((charge) => !charge.amount.isZero());
}
