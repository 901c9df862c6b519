import type { IntentId } from '../../model/order.ts';
import type { Task } from '../../ports/task.ts';
import type { OrderNews } from './order-news.ts';
import type { OrderReader } from './order-reader.ts';
import type { OrderTask, OrderTrackingContext } from './order-tracking-context.ts';
import { CHARGES_EVERY_MS, CHARGES_READS_MAX } from './polling-intervals.ts';

/** Learns what a listing does not tell of an order that was executed: its charges. */
export interface FeeReader {
  /** Sees to it that every order whose charges are still to be told is asked for them. */
  plan(): void;
  read(task: Extract<OrderTask, { kind: 'charges' }>): Task<OrderNews>;
}

/** One order after the other, out of calls that nothing else needs: no money waits for it, the books allow for them. */
export function createFeeReader(
  { recorder: { state }, schedule, limiter, known }: OrderTrackingContext,
  reader: Pick<OrderReader, 'pull'>,
): FeeReader {
  const planned = new Set<IntentId>();

  return {
    plan() {
      for (const intentId of state.uncharged.keys()) {
        if (planned.has(intentId)) continue;
        planned.add(intentId);
        schedule(CHARGES_EVERY_MS, { kind: 'charges', intentId, reads: 0 });
      }
    },
    *read({ intentId, reads }) {
      const { submission } = known(intentId).facets;
      if (!state.uncharged.has(intentId)) planned.delete(intentId);
      if (submission.kind !== 'acked' || !planned.has(intentId) || reads >= CHARGES_READS_MAX) return;
      const isSpare = limiter.take(1, LEFT_FOR_NEWS);
      schedule(CHARGES_EVERY_MS, { kind: 'charges', intentId, reads: reads + (isSpare ? 1 : 0) });
      if (isSpare) yield* reader.pull(submission.orderId);
    },
  };
}

/** Spare calls that charges do not take. */
const LEFT_FOR_NEWS = 2;
