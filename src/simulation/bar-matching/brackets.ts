import type { Millis } from '../../model/time.ts';
import { isOpenOrder, type VenueOrder } from '../orders/venue-order.ts';

/** Which orders hang together as brackets: an entry and its children. */
export class Brackets {
  readonly #childrenOf = new Map<VenueOrder, VenueOrder[]>();
  readonly #parentOf = new Map<VenueOrder, VenueOrder>();

  join(child: VenueOrder, parent: VenueOrder): void {
    this.#parentOf.set(child, parent);
    const children = this.#childrenOf.get(parent);
    if (children === undefined) this.#childrenOf.set(parent, [child]);
    else children.push(child);
  }

  /** True while a child must not meet the bar of that stamp: its entry has not filled, or only within the bar. */
  isWaiting(order: VenueOrder, stamp: Millis): boolean {
    const parent = this.#parentOf.get(order);
    return parent !== undefined && (parent.status !== 'FilledStatus' || stamp <= parent.updatedAt);
  }

  /** Open orders that end because this one has ended. */
  endedBy(order: VenueOrder): readonly VenueOrder[] {
    const parent = this.#parentOf.get(order);
    if (parent === undefined && order.status === 'FilledStatus') return [];
    const group = [parent ?? order, ...(this.#childrenOf.get(parent ?? order) ?? [])];
    return group.filter((other) => other !== order && isOpenOrder(other));
  }

  /** Forgets a bracket of which nothing is open any more. */
  forget(order: VenueOrder): void {
    const parent = this.#parentOf.get(order) ?? order;
    const children = this.#childrenOf.get(parent) ?? [];
    if (isOpenOrder(parent) || children.some(isOpenOrder)) return;
    for (const child of children) this.#parentOf.delete(child);
    this.#childrenOf.delete(parent);
  }
}
