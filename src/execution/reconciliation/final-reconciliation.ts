import type { BotState } from '../../events/bot-state.ts';
import type { Broker } from '../../ports/broker.ts';
import type { Clock } from '../../ports/clock.ts';
import { awaitAnswer, type Task } from '../../ports/task.ts';
import { delay } from '../orders/delay.ts';
import type { OrderTracker } from '../orders/order-tracker.ts';
import type { OrderUpdate } from '../orders/order-update.ts';

/**
 * Waits between reads for orders of unknown outcome before a run ends, in milliseconds; ten seconds in total.
 * @see docs/reliability.md, F-P02
 */
const WAITS_MS = [0, 500, 500, 1_000, 2_000, 3_000, 3_000] as const;
/** If pushes are complete, simulated time stops with the run, so one read is enough. */
const ONE_READ_MS = [0] as const;

/** Number of unfinished orders at the end of a run, and how many of them have an unknown outcome. */
interface UnfinishedOrders {
  readonly live: number;
  readonly inDoubt: number;
}

/** Counts the orders that a run leaves unfinished; the next start recovers them. */
export function unfinishedOrders({ live }: BotState): UnfinishedOrders {
  const orders = [...live.values()];
  return {
    live: orders.length,
    inDoubt: orders.filter(({ facets }) => isInDoubt(facets.submission.kind)).length,
  };
}

/** Queries the venue before a run ends, until no order has an unknown outcome or ten seconds have passed. */
export function* finalReconciliation({
  broker,
  clock,
  tracker,
  state,
}: {
  readonly broker: Broker;
  readonly clock: Clock;
  readonly tracker: Pick<OrderTracker, 'handle'>;
  readonly state: BotState;
}): Task<OrderUpdate> {
  for (const waitMs of broker.facts.pushComplete ? ONE_READ_MS : WAITS_MS) {
    // If the venue lists no orders, no read finds an order without an id.
    if (unfinishedOrders(state).inDoubt === 0 || broker.facts.listsOrders === false) return;
    if (waitMs > 0) yield* awaitAnswer(delay(clock, waitMs));
    const answer = yield* awaitAnswer(broker.ordersToday());
    if (answer.kind === 'ok') yield* tracker.handle(answer.value);
  }
}

function isInDoubt(submission: string): boolean {
  return submission === 'unknown' || submission === 'sending';
}
