import type { IntentId } from '../../model/order.ts';
import { alarm, isOver } from '../../model/order-facets.ts';
import { plural } from '../../model/plural.ts';
import { marketOf } from '../../model/symbol.ts';
import type { Task } from '../../ports/task.ts';
import { tradingDayEnd } from '../gate/trading-time.ts';
import type { OrderReader } from './order-reader.ts';
import type { OrderTask, OrderTrackingContext } from './order-tracking-context.ts';
import type { OrderUpdate } from './order-update.ts';
import { DAY_OVER_AFTER_MS, DAY_OVER_EVERY_MS, DAY_OVER_READS_MAX } from './polling-intervals.ts';

/** Checks that a day order ends soon after its trading day (T-49): reads one that does not, then raises an alarm. */
export function createDayWatch(
  { known, schedule, raise, clock }: OrderTrackingContext,
  reader: Pick<OrderReader, 'pull'>,
) {
  return {
    watch(intentId: IntentId): void {
      const { terms, decidedAt } = known(intentId);
      const end =
        terms.timeInForce === 'day'
          ? tradingDayEnd(marketOf(terms.symbol), decidedAt, terms.outsideRth)
          : undefined;
      if (end === undefined) return;
      const afterMs = Math.max(0, end + DAY_OVER_AFTER_MS - clock.now());
      schedule(afterMs, { kind: 'day-over', intentId, reads: 0 });
    },
    *check({ intentId, reads }: Extract<OrderTask, { kind: 'day-over' }>): Task<OrderUpdate> {
      const { facets } = known(intentId);
      const { submission } = facets;
      if (submission.kind !== 'acked' || isOver(facets)) return;
      if (reads >= DAY_OVER_READS_MAX) {
        const message = `Day order is still ${facets.venue}, read ${plural(reads, 'time')} since its trading day ended`;
        raise(intentId, alarm('day-order-lives', message));
        return;
      }
      schedule(DAY_OVER_EVERY_MS, { kind: 'day-over', intentId, reads: reads + 1 });
      yield* reader.pull(submission.orderId);
    },
  };
}
