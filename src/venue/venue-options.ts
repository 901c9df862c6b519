import type { CatalogueOptions } from '../catalogue/server.ts';
import type { BarColumns } from '../model/bar.ts';
import type { Period } from '../model/period.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Simulation } from '../simulation/simulation.ts';
import type { WireProfile } from '../wire/profiles.ts';
import type { Credentials } from '../wire/signature.ts';
import type { AccessTerms } from './access/account-access.ts';
import type { Capability } from './calls/capabilities.ts';
import type { VenueState } from './market/state-file.ts';
import type { LivePrices } from './quotes/live-prices.ts';
import type { BookStyle } from './quotes/order-book.ts';
import type { ServerLimits, TlsOption } from './server/web-server.ts';

/**
 * How market time advances.
 * - `stepped`: only when the bot reports over the admin port that it has finished with an instant.
 * - `scaled`: `speed` market seconds per machine second.
 * - `wall`: at the machine's pace, continuing from the simulation's time or (`from: 'machine'`) equal to the
 * machine's time.
 */
export type MarketClockOption =
  | { readonly kind: 'stepped' }
  | { readonly kind: 'scaled'; readonly speed: number }
  | { readonly kind: 'wall'; readonly from?: 'simulation' | 'machine' };

/**
 * Published call limits that the venue enforces: `endpoint` counts every trade endpoint separately, `account` their
 * sum, `off` counts nothing. Windows are in market time.
 */
export type RateLimits = 'endpoint' | 'account' | 'off';

export interface VenueAccount {
  readonly id: string;
  readonly credentials: Credentials;
}

/** Opening hours reported to clients: the calendar's, or around the clock. */
export type MarketHours = 'calendar' | 'always';

/** Bars of a symbol, past and future. The venue shows closed bars, and aggregates the open one from prints. */
export type BarHistory = (symbol: SecuritySymbol, period: Period) => BarColumns | undefined;
/** Called with internal errors for which a client received 500000 or 301602. */
export type FaultReport = (fault: unknown) => void;

/** Times in milliseconds. */
export interface VenueOptions {
  /** Created with `quotes: true`; from now on only the venue may drive it. */
  readonly simulation: Simulation;
  readonly accountId: string;
  readonly credentials: Credentials;
  readonly moreAccounts?: readonly VenueAccount[];
  readonly history: BarHistory;
  readonly profile: WireProfile;
  /** Address to listen on; default `127.0.0.1`. */
  readonly host?: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Port on loopback; 0 selects a free one. No admin port if absent. */
  readonly adminPort?: number;
  /** Token required by the admin port; random if absent. */
  readonly adminToken?: string;
  readonly marketClock: MarketClockOption;
  readonly machine: Clock;
  readonly random: Random;
  /** Maximum difference between X-Timestamp and machine time; 0 disables the check. */
  readonly skewToleranceMs: number;
  /** Default `off`. */
  readonly rateLimits?: RateLimits;
  /** Capabilities that the venue lacks; none if absent. */
  readonly without?: readonly Capability[];
  /**
   * Serves exactly what the source document describes: no listings, no cancel or replace, no pushes, no trade socket.
   * Default false.
   */
  readonly onlyDocumented?: boolean;
  /** Initial access of all accounts; everything if absent. */
  readonly access?: AccessTerms;
  /** Default `calendar`. */
  readonly hours?: MarketHours;
  /** Style of the invented book; default `thin`. */
  readonly book?: BookStyle;
  /** Restarts the market at a market time for `POST /reset`; without it, a reset is refused. */
  readonly renew?: (at: Millis) => Simulation;
  /** State that survives a restart, created for this simulation; without it, nothing does. */
  readonly state?: VenueState;
  /** Overrides of the web server's limits, for tests. */
  readonly serverLimits?: Partial<ServerLimits>;
  /** Plain HTTP and sockets if absent. */
  readonly tls?: TlsOption;
  /** Interface B at the same base URL; not served if absent. */
  readonly catalogue?: Omit<CatalogueOptions, 'clock'>;
  /** Delivers external prices until the returned function is called; if absent, the simulation has its own. */
  readonly prices?: (listener: LivePrices) => Cancel;
  /** If absent, an internal error ends the process, as a broken invariant does. */
  readonly onFault?: FaultReport;
}

/** A running venue. `close` closes all connections and frees the ports; it may be called twice. */
export interface RunningVenue {
  /** Base URL of the HTTP side, without a trailing slash. */
  readonly http: string;
  readonly quoteWs: string;
  readonly tradeWs: string;
  /** Base URL of the admin port; undefined without one. */
  readonly admin: string | undefined;
  /** Bearer token of the admin port; undefined without one. */
  readonly adminToken: string | undefined;
  close(): Promise<void>;
}
