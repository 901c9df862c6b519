import type { CorporateAction } from '../../model/corporate-action.ts';
import type { OrderTerms, VenueStatus } from '../../model/order.ts';
import type { AccountState } from '../account-state.ts';
import { isOpenOrder, type Sending, type VenueOrder } from '../orders/venue-order.ts';
import type { Replacement } from '../simulation.ts';
import type { ExogenousEvent } from './exogenous-events.ts';

/** Something the venue does by itself, most of it with an order. */
export type VenueTask =
  | { readonly kind: 'arrive' | 'open' | 'cancel' | 'expire' | 'new-ticks'; readonly order: VenueOrder }
  | { readonly kind: 'corporate-action'; readonly action: CorporateAction }
  /** Shows a status on the way to another one. */
  | { readonly kind: 'show'; readonly order: VenueOrder; readonly status: VenueStatus }
  | { readonly kind: 'interfere'; readonly what: ExogenousEvent }
  | { readonly kind: 'day-end'; readonly account: AccountState }
  /** `asked`: the terms that the sender of the replacement knew of. */
  | {
      readonly kind: 'replace';
      readonly order: VenueOrder;
      readonly replacement: Replacement;
      readonly asked: OrderTerms;
      readonly sent: Sending;
    };

/** False once nothing is left to do: the order has gone on without it. */
export function isStillDue(task: VenueTask): boolean {
  if (isWithoutOrder(task)) return true;
  const { order } = task;
  switch (task.kind) {
    case 'arrive':
      return order.stage === 'travelling';
    case 'open':
      return order.stage === 'queued';
    case 'show':
    case 'replace':
    case 'expire':
    case 'cancel':
    case 'new-ticks':
      return isOpenOrder(order);
  }
}

/** A day that ends at midnight costs what it costs before anything of the next one happens. */
export function endsDay(task: VenueTask): boolean {
  return task.kind === 'day-end';
}

/** What the venue does by itself without any one order. */
export type TaskWithoutOrder = Exclude<VenueTask, { readonly order: VenueOrder }>;

export function isWithoutOrder(task: VenueTask): task is TaskWithoutOrder {
  return task.kind === 'corporate-action' || task.kind === 'interfere' || task.kind === 'day-end';
}
