import { orderUpdate } from '../../execution/orders/order-update.ts';
import type { IntentId, OrderTerms } from '../../model/order.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { OrderEvent } from '../../strategy/strategy-event.ts';
import { bailOut } from './bail-out.ts';

/** An order as `onOrder` receives it. */
export interface TrackedTerms {
  readonly intentId: IntentId;
  readonly terms: OrderTerms;
}

/** Calls `onOrder` with an event. `knownAt`: the strategy sees the closes up to this time. */
type CallHook = (event: OrderEvent, knownAt: Millis) => void;

/** Events of orders for `onOrder`, in the sequence of the full engine. */
export class OrderEvents {
  readonly #call: CallHook;
  /** Denials of the current decision, and orders that the open market accepted, not yet delivered. */
  readonly #denials: OrderEvent[] = [];
  readonly #accepted: TrackedTerms[] = [];

  constructor(call: CallHook) {
    this.#call = call;
  }

  /** Records a denial, which is delivered once all orders of the decision are placed. */
  denied(order: TrackedTerms, why: string, time: Millis): void {
    this.#denials.push(orderUpdate(order, { outcome: 'denied', why, time }));
  }

  deliverDenials(): void {
    for (let event = this.#denials.shift(); event !== undefined; event = this.#denials.shift())
      this.#call(event, event.time);
  }

  /** Records that the open market accepted an order, which is delivered after all closes of the current time. */
  accepted(order: TrackedTerms): void {
    this.#accepted.push(order);
  }

  deliverAccepted(time: Millis): void {
    for (let order = this.#accepted.shift(); order !== undefined; order = this.#accepted.shift())
      this.deliver(order, 'working', time);
  }

  /** Delivers an event of an order that happens now. */
  deliver(order: TrackedTerms, outcome: OrderEvent['outcome'], time: Millis): void {
    this.#call(orderUpdate(order, { outcome, why: '', time }), time);
  }

  /** Delivers an event that precedes the closes of its time; `now` is the time of the latest event. */
  deliverBeforeCloses(
    order: TrackedTerms,
    outcome: OrderEvent['outcome'],
    { time, now }: { readonly time: Millis; readonly now: Millis },
  ): void {
    if (now >= time) bailOut('an order changes at the time of another event');
    this.#call(orderUpdate(order, { outcome, why: '', time }), millis(time - 1));
  }
}
