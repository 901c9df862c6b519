import type { EndpointName } from '../../wire/endpoints.ts';

/** Optional capabilities of a venue. @see docs/reliability.md, "Submits and unknown orders" */
export const CAPABILITIES = [
  'orders.today',
  'orders.history',
  'executions.today',
  'order.cancel',
  'order.replace',
  'push.private',
  'push.complete',
  'submit.requestKey',
  'prices.origin',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

const ENDPOINTS_OF: Partial<Record<Capability, readonly EndpointName[]>> = {
  'orders.today': ['todayOrders'],
  'orders.history': ['historyOrders'],
  'executions.today': ['todayExecutions', 'allExecutions'],
  'order.cancel': ['cancelOrder'],
  'order.replace': ['replaceOrder'],
};

export function endpointsOf(capability: Capability): readonly EndpointName[] {
  return ENDPOINTS_OF[capability] ?? [];
}
