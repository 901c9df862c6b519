import { ZERO } from '../../model/decimal.ts';
import { alarm } from '../../model/order-facets.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';
import type { OrderListReconciler } from './order-list-reconciler.ts';
import type { OrderTask, OrderTrackingContext } from './order-tracking-context.ts';
import { type OrderUpdate, orderUpdate } from './order-update.ts';
import {
  ABANDON_AFTER_MS,
  ABANDON_READS_MIN,
  SEARCH_DELAYS_MS,
  SEARCH_EVERY_MS,
  WATCH_FOR_MS,
} from './polling-intervals.ts';

type SearchTask = Extract<OrderTask, { kind: 'look-for' }>;

/**
 * Searches for orders whose answer was lost.
 * @see docs/reliability.md, "Submits and unknown orders"
 */
export function createOrderSearch(context: OrderTrackingContext, listing: OrderListReconciler) {
  const { broker, recorder, clock, known, schedule } = context;
  const isListed = broker.facts.listsOrders !== false;

  /**
   * Searches the day's list for the tag once, and schedules the next read; ends the search after a time limit (T-10,
   * T-13).
   */
  function* search(task: SearchTask): Task<OrderUpdate> {
    const { id } = task.intent;
    const state = known(id).facets.submission.kind;
    if (state !== 'unknown' && state !== 'abandoned') return;
    if (!isListed) {
      if (state === 'unknown') yield* leaveToOperator(task);
      return;
    }
    const answer = yield* awaitAnswer(broker.ordersToday());
    if (answer.kind === 'ok') {
      const own = answer.value.filter((row) => row.intentId === id);
      yield* listing.handleRows(own, 'some');
    }
    const abandoned = notFound(task, answer.kind === 'ok');
    if (abandoned !== undefined) yield abandoned;
  }

  function notFound(task: SearchTask, wasRead: boolean): OrderUpdate | undefined {
    const { id } = task.intent;
    const { kind } = known(id).facets.submission;
    const reads = task.reads + (wasRead ? 1 : 0);
    const age = clock.now() - task.since;
    if (kind === 'unknown' && age >= ABANDON_AFTER_MS && reads >= ABANDON_READS_MIN)
      return abandon({ ...task, reads });
    const isOpen = kind === 'unknown' || (kind === 'abandoned' && age < WATCH_FOR_MS);
    if (!isOpen) return undefined;
    const next = SEARCH_DELAYS_MS.find((after) => after > age);
    schedule(next === undefined ? SEARCH_EVERY_MS : next - age, { ...task, reads });
    return undefined;
  }

  function abandon(task: SearchTask): OrderUpdate {
    const { intent, reads } = task;
    const why = `not in ${reads} listings, never sent again, its money stays reserved`;
    recorder.record({ kind: 'submit-abandoned', at: clock.now(), intentId: intent.id, reads });
    context.raise(intent.id, alarm('unproven', `Order is ${why}`));
    schedule(SEARCH_EVERY_MS, task);
    return orderUpdate(known(intent.id), { outcome: 'unproven', why, time: clock.now() });
  }

  /**
   * Abandons an order that no list can show, so that only a late answer or the operator can settle it. The current
   * position is only evidence, since another party may trade the account.
   */
  function* leaveToOperator({ intent: { id, terms } }: SearchTask): Task<OrderUpdate> {
    const answer = yield* awaitAnswer(broker.positions());
    const theirs =
      answer.kind === 'ok'
        ? (answer.value.find(({ symbol }) => symbol === terms.symbol)?.quantity ?? ZERO)
        : undefined;
    const ours = recorder.state.portfolio.holdings.get(terms.symbol)?.quantity ?? ZERO;
    const evidence =
      theirs === undefined
        ? 'the venue did not state the position either'
        : theirs.eq(ours)
          ? `the position is ${ours}, as without it: it was not sent, or works unfilled`
          : `the position is ${theirs} and would be ${ours} without it`;
    const why = `its answer never came and this API lists no orders; ${evidence}. It is never sent again, its money stays reserved and ${terms.symbol} opens nothing. Look it up at the broker, then run "sluice settle ${id}"`;
    recorder.record({ kind: 'submit-abandoned', at: clock.now(), intentId: id, reads: 0 });
    context.raise(id, alarm('unproven', `Order ${id} is unknown: ${why}`));
    yield orderUpdate(known(id), { outcome: 'unproven', why, time: clock.now() });
  }

  const firstAfterMs = isListed ? SEARCH_DELAYS_MS[0] : ABANDON_AFTER_MS;
  return { search, firstAfterMs };
}
