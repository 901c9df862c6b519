import type { TrackedOrder } from '../../events/bot-state.ts';
import type { OrderIntent } from '../../model/order.ts';

/** The intent behind a tracked order, as far as following it needs. */
export function toIntent({ intentId, terms, decidedAt, cancelAfterMs }: TrackedOrder): OrderIntent {
  const cancel = cancelAfterMs === undefined ? {} : { cancelAfterMs };
  return { id: intentId, terms, reason: '', decidedAt, ...cancel };
}
