import type { CorporateAction } from '../../model/corporate-action.ts';
import type { OrderTerms, VenueStatus } from '../../model/order.ts';
import type { AccountState } from '../account-state.ts';
import { isOpenOrder, type Sending, type VenueOrder } from '../orders/venue-order.ts';
import type { Replacement } from '../simulation.ts';
import type { ExogenousEvent } from './exogenous-events.ts';

export type VenueTask =
  | { readonly kind: 'arrive' | 'open' | 'cancel' | 'expire' | 'new-ticks'; readonly order: VenueOrder }
  | { readonly kind: 'corporate-action'; readonly action: CorporateAction }
  /** Reports a transitional status. */
  | { readonly kind: 'show'; readonly order: VenueOrder; readonly status: VenueStatus }
  | { readonly kind: 'exogenous-event'; readonly what: ExogenousEvent }
  | { readonly kind: 'day-end'; readonly account: AccountState }
  /** `termsAtRequest`: the terms at the time of the request. */
  | {
      readonly kind: 'replace';
      readonly order: VenueOrder;
      readonly replacement: Replacement;
      readonly termsAtRequest: OrderTerms;
      readonly sent: Sending;
    };

/** False if the order's stage has made the task obsolete. */
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

/** True for day-end tasks: interest of a day is booked before anything else at midnight. */
export function endsDay(task: VenueTask): boolean {
  return task.kind === 'day-end';
}

export type TaskWithoutOrder = Exclude<VenueTask, { readonly order: VenueOrder }>;

export function isWithoutOrder(task: VenueTask): task is TaskWithoutOrder {
  return task.kind === 'corporate-action' || task.kind === 'exogenous-event' || task.kind === 'day-end';
}
