import type { Clock } from '../ports/clock.ts';
import type { Simulation } from '../simulation/simulation.ts';
import type { EndpointName } from '../wire/endpoints.ts';
import type { WireProfile } from '../wire/profiles.ts';
import type { AccessBook, RefreshedToken } from './access-book.ts';
import type { AccountAccess } from './account-access.ts';
import { assetHandlers } from './asset-handlers.ts';
import type { Handler } from './call.ts';
import type { Faults } from './faults.ts';
import { listingHandlers } from './listing-handlers.ts';
import type { OrderFactsBook } from './order-facts.ts';
import { orderHandlers } from './order-handlers.ts';
import type { RequestKeys } from './request-keys.ts';
import { securityListHandler } from './security-list-handler.ts';
import { sessionHandlers } from './session-handlers.ts';
import type { SocketSessions } from './socket-sessions.ts';
import { watchlistHandlers } from './watchlist-handlers.ts';
import type { Watchlists } from './watchlists.ts';

/** One handler per row of the endpoint table; a row without one does not compile. */
export type Handlers = { readonly [Name in EndpointName]: Handler<Name> };

/** What requests are answered from. */
export interface HandlerParts {
  readonly simulation: Simulation;
  readonly facts: OrderFactsBook;
  readonly profile: WireProfile;
  readonly access: AccessBook;
  readonly sessions: SocketSessions;
  readonly machine: Pick<Clock, 'now'>;
  readonly online: (accountId: string) => number;
  readonly onRefresh: (token: RefreshedToken, accountId: string) => void;
  readonly keys: RequestKeys;
  readonly faults: Pick<Faults, 'lacks'>;
  readonly rights: AccountAccess;
  readonly watchlists: Map<string, Watchlists>;
}

/** The whole HTTP side of interface A. */
export function createHandlers(parts: HandlerParts): Handlers {
  return {
    ...sessionHandlers(parts),
    ...orderHandlers(parts),
    ...listingHandlers(parts),
    ...assetHandlers(parts),
    ...watchlistHandlers(parts),
    securityList: securityListHandler(parts.simulation),
  };
}
