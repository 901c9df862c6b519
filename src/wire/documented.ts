import type { EndpointName } from './endpoints.ts';

/**
 * Endpoints of interface A that the source document names. The token refresh is named without its path, and the one-time password
 * is how the quote connection is opened, which the document leaves to the SDK.
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
 * Business commands of the quote connection that the source document names, by number.
 * @see docs/wire-protocol.md, "Calls"
 */
export const DOCUMENTED_COMMANDS: ReadonlySet<number> = new Set([10, 24, 25, 27]);
