import type { IntentId } from '../model/order.ts';
import type { Millis } from '../model/time.ts';

/** What every event has. */
export interface EventOf<K extends string> {
  readonly kind: K;
  /** Market time at which it was written. */
  readonly at: Millis;
}

/** An event about one order of the bot. */
export interface OrderEventOf<K extends string> extends EventOf<K> {
  readonly intentId: IntentId;
}
