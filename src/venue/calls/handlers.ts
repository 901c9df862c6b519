import type { Clock } from '../../ports/clock.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { EndpointName } from '../../wire/endpoints.ts';
import type { AccountAccess } from '../access/account-access.ts';
import type { CredentialStore, RefreshedToken } from '../access/credential-store.ts';
import { marketStatusHandler } from '../quotes/market-status.ts';
import { temperatureHandlers } from '../quotes/market-temperature.ts';
import type { SocketSessions } from '../server/socket-sessions.ts';
import { assetHandlers } from '../trading/asset-handlers.ts';
import type { IdempotencyKeys } from '../trading/idempotency-keys.ts';
import { listingHandlers } from '../trading/listing-handlers.ts';
import type { OrderFactsBook } from '../trading/order-facts.ts';
import { orderHandlers } from '../trading/order-handlers.ts';
import type { BarHistory, MarketHours } from '../venue-options.ts';
import type { Handler } from './call.ts';
import { securityListHandler } from './security-list-handler.ts';
import { sessionHandlers } from './session-handlers.ts';
import { watchlistHandlers } from './watchlist-handlers.ts';
import type { Watchlists } from './watchlists.ts';

/** One handler per endpoint; a missing one is a type error. */
export type Handlers = { readonly [Name in EndpointName]: Handler<Name> };

export interface HandlerParts {
  readonly simulation: Simulation;
  readonly history: BarHistory;
  readonly hours: MarketHours;
  readonly facts: OrderFactsBook;
  readonly access: CredentialStore;
  readonly sessions: SocketSessions;
  readonly machine: Pick<Clock, 'now'>;
  readonly online: (accountId: string) => number;
  readonly onRefresh: (token: RefreshedToken, accountId: string) => void;
  readonly keys: IdempotencyKeys;
  readonly accountAccess: AccountAccess;
  readonly watchlists: Map<string, Watchlists>;
}

export function createHandlers(parts: HandlerParts): Handlers {
  return {
    ...sessionHandlers(parts),
    ...orderHandlers(parts),
    ...listingHandlers(parts),
    ...assetHandlers(parts),
    ...watchlistHandlers(parts),
    securityList: securityListHandler(parts.simulation),
    ...temperatureHandlers(parts),
    marketStatus: marketStatusHandler(parts),
  };
}
