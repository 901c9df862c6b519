import type { EndpointName } from './endpoints.ts';

/**
 * Endpoints of interface A that the source document names. It gives no path for the token refresh, and leaves the
 * one-time password, which opens the quote connection, to the SDK.
 * @see docs/wire-protocol.md, "Calls"
 */
export const DOCUMENTED_ENDPOINTS: ReadonlySet<EndpointName> = new Set<EndpointName>([
  'connectivityTest',
  'positions',
  'submitOrder',
  'orderDetail',
  'buyLimit',
  'account',
  'securityList',
  'marginRatio',
  'watchlistGroups',
  'signatureSelfTest',
  'refreshToken',
  'socketToken',
]);

/**
 * Business commands of the quote connection that the source document names, by code.
 * @see docs/wire-protocol.md, "Calls"
 */
export const DOCUMENTED_COMMANDS: ReadonlySet<number> = new Set([10, 24, 25, 27]);
