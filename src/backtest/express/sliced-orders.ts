import { timedSlices } from '../../engine/algorithm-specs.ts';
import { Decimal } from '../../model/decimal.ts';
import { type Millis, millis, NEVER } from '../../model/time.ts';
import { bailOut } from './bail-out.ts';
import type { OpenOrder } from './open-order.ts';
import type { SupportedSlices } from './supported-draft.ts';

/** An order that is sent in parts at their times: a TWAP or VWAP. */
export interface SlicedOrder {
  /** Its number among those of the run, from 1 on. */
  readonly number: number;
  readonly place: number;
  /** Terms of each part. */
  readonly side: OpenOrder['side'];
  readonly type: OpenOrder['type'];
  readonly level: number;
  /** Shares of each part, and when it is sent. */
  readonly slices: readonly { readonly quantity: number; readonly at: Millis }[];
  /** The part that is sent next. */
  next: number;
}

/** The orders of a run that are sent in parts, by the rules of execution/algorithms/slices.ts; here no part is late. */
export class SlicedOrders {
  #active: SlicedOrder[] = [];
  #count = 0;
  readonly #until: Millis;

  /** No part is sent after `until`. */
  constructor(until: Millis) {
    this.#until = until;
  }

  /** Whether parts are still to be sent. */
  get any(): boolean {
    return this.#active.length > 0;
  }

  /** Plans the parts of an order that was sized; the first is due now. */
  start(
    { place, side, type, level, quantity }: OpenOrder,
    draft: SupportedSlices,
    { now, lotSize }: { readonly now: Millis; readonly lotSize: number },
  ): void {
    const slices = timedSlices(new Decimal(quantity), draft, lotSize);
    if (slices === undefined || slices.length === 0) bailOut('an order in parts that make no sense');
    this.#count += 1;
    const own = { place, side, type, level };
    const timed = slices.map((slice) => ({
      quantity: slice.quantity.toNumber(),
      at: millis(now + slice.afterMs),
    }));
    this.#active.push({ ...own, number: this.#count, slices: timed, next: 0 });
  }

  /** The first whose next part is due before an instant; undefined where none is. Leaves where two are due at once. */
  firstBefore(time: number): SlicedOrder | undefined {
    let first: SlicedOrder | undefined;
    for (const order of this.#active) {
      const at = dueAt(order);
      if (at >= time || at > this.#until) continue;
      const firstAt = first === undefined ? NEVER : dueAt(first);
      if (at === firstAt) bailOut('two timers at one instant');
      if (at < firstAt) first = order;
    }
    return first;
  }

  /** Takes the part of an order that is due; returns its shares. */
  take(order: SlicedOrder): number {
    const { quantity } = order.slices[order.next] ?? bailOut('no part is left');
    order.next += 1;
    if (order.next === order.slices.length) this.#active = this.#active.filter((each) => each !== order);
    return quantity;
  }

  /** The one that was started last. */
  get newest(): SlicedOrder | undefined {
    return this.#active.at(-1);
  }

  /** Whether a part of a symbol is due at an instant. */
  isDue(place: number, at: number): boolean {
    return this.#active.some((order) => order.place === place && dueAt(order) <= at);
  }

  /** Whether parts of a symbol are still to be sent. */
  has(place: number): boolean {
    return this.#active.some((order) => order.place === place);
  }
}

/** When the next part of an order is due. */
export function dueAt({ slices, next }: SlicedOrder): Millis {
  return slices[next]?.at ?? NEVER;
}
