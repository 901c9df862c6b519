import type { IntentId, OrderId } from '../../model/order.ts';
import type { Task } from '../../ports/task.ts';
import type { OrderReader } from './order-reader.ts';
import type { OrderTask, OrderTrackingContext } from './order-tracking-context.ts';
import type { OrderUpdate } from './order-update.ts';
import { CHARGES_EVERY_MS, CHARGES_READS_MAX } from './polling-intervals.ts';

/** Reads the charges of executed orders, which the order list does not contain. */
export interface FeeReader {
  /** Schedules a read of every order with unknown charges. */
  plan(): void;
  read(task: Extract<OrderTask, { kind: 'charges' }>): Task<OrderUpdate>;
  /** Reads the charges of one external order, and schedules the next. */
  readExternal(): Task;
}

/**
 * Creates the fee reader. It reads one order at a time with spare calls: charges are not urgent, as reconciliation
 * allows for them.
 */
export function createFeeReader(
  { recorder: { state }, schedule, limiter, known, foreign }: OrderTrackingContext,
  reader: Pick<OrderReader, 'pull'>,
): FeeReader {
  const planned = new Set<IntentId>();
  /** Reads of an external order's charges; limited in number. */
  const externalReads = new Map<OrderId, number>();
  let isExternalPlanned = false;

  /** Returns the external order whose charges were read least often. */
  function nextExternal(): OrderId | undefined {
    let next: { readonly orderId: OrderId; readonly reads: number } | undefined;
    for (const orderId of state.foreign.uncharged.keys()) {
      const reads = externalReads.get(orderId) ?? 0;
      if (reads < (next?.reads ?? CHARGES_READS_MAX)) next = { orderId, reads };
      if (reads === 0) break;
    }
    return next?.orderId;
  }

  function planExternal(): void {
    if (isExternalPlanned || foreign === undefined || nextExternal() === undefined) return;
    isExternalPlanned = true;
    schedule(CHARGES_EVERY_MS, { kind: 'external-charges' });
  }

  return {
    plan() {
      for (const intentId of state.uncharged.keys()) {
        if (planned.has(intentId)) continue;
        planned.add(intentId);
        schedule(CHARGES_EVERY_MS, { kind: 'charges', intentId, reads: 0 });
      }
      planExternal();
    },
    *readExternal() {
      isExternalPlanned = false;
      const orderId = nextExternal();
      if (orderId === undefined || foreign === undefined) return;
      if (limiter.take(1, LEFT_FOR_OURS)) {
        externalReads.set(orderId, (externalReads.get(orderId) ?? 0) + 1);
        yield* foreign.readCharges(orderId);
        if (!state.foreign.uncharged.has(orderId)) externalReads.delete(orderId);
      }
      planExternal();
    },
    *read({ intentId, reads }) {
      const { submission } = known(intentId).facets;
      if (!state.uncharged.has(intentId)) planned.delete(intentId);
      if (submission.kind !== 'acked' || !planned.has(intentId) || reads >= CHARGES_READS_MAX) return;
      const isSpare = limiter.take(1, LEFT_FOR_UPDATES);
      schedule(CHARGES_EVERY_MS, { kind: 'charges', intentId, reads: reads + (isSpare ? 1 : 0) });
      if (isSpare) yield* reader.pull(submission.orderId);
    },
  };
}

/** Spare calls that charges leave unused. */
const LEFT_FOR_UPDATES = 2;
/** Spare calls that charges of external orders leave unused: for an update of one of our orders, and its charges. */
const LEFT_FOR_OURS = 4;
