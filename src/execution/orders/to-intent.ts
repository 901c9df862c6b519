import type { TrackedOrder } from '../../events/bot-state.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { OrderIntent } from '../../model/order.ts';

/** The intent behind a tracked order, as far as following it needs. */
export function toIntent({ intentId, terms, decidedAt, cancelAfterMs }: TrackedOrder): OrderIntent {
  return { id: intentId, terms, reason: '', decidedAt, ...omitUndefined({ cancelAfterMs }) };
}
