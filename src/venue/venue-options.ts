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
 * How the venue's market time goes. `stepped`: it moves only when the bot reports, over the admin port, that it is done with
 * an instant. `scaled`: `speed` market seconds in one machine second. `wall`: one in one, continuing from the time of the simulation,
 * or (`from: 'machine'`) being the machine's own time.
 */
export type MarketClockOption =
  | { readonly kind: 'stepped' }
  | { readonly kind: 'scaled'; readonly speed: number }
  | { readonly kind: 'wall'; readonly from?: 'simulation' | 'machine' };

/**
 * Which published call limits the venue enforces: `endpoint` counts every trade endpoint by itself, `account` their sum,
 * `off` counts nothing. Windows are market time.
 */
export type RateLimits = 'endpoint' | 'account' | 'off';

/** An account of the simulation and the credentials that open it. */
export interface VenueAccount {
  readonly id: string;
  readonly credentials: Credentials;
}

/** The opening hours that clients receive: those of the calendar, or around the clock. */
export type MarketHours = 'calendar' | 'always';

/** Bars of a symbol, past and future; the venue shows those that have closed, and folds the open one from its prints. */
export type BarHistory = (symbol: SecuritySymbol, period: Period) => BarColumns | undefined;
/** Called with faults inside the venue for which a client was answered 500000 or 301602. */
export type FaultReport = (fault: unknown) => void;

/** All settings of a venue. Times in milliseconds. */
export interface VenueOptions {
  /** Made with `quotes: true`; the venue alone drives it from now on. */
  readonly simulation: Simulation;
  readonly accountId: string;
  readonly credentials: Credentials;
  /** Accounts of the simulation besides the first one. */
  readonly moreAccounts?: readonly VenueAccount[];
  readonly history: BarHistory;
  readonly profile: WireProfile;
  /** Address to listen on, `127.0.0.1` when absent. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Absent: no admin port. 0 takes a free one. Always on loopback. */
  readonly adminPort?: number;
  /** What requests to the admin port must carry; a random one when absent. */
  readonly adminToken?: string;
  readonly marketClock: MarketClockOption;
  readonly machine: Clock;
  readonly random: Random;
  /** Maximum distance of X-Timestamp from the machine's time; 0 switches the check off. */
  readonly skewToleranceMs: number;
  /** `off` when absent. */
  readonly rateLimits?: RateLimits;
  /** What this venue does not offer; nothing when absent. */
  readonly without?: readonly Capability[];
  /** Serves exactly what the source document describes: no listings, no cancel or replace, no pushes, no trade socket. False when absent. */
  readonly onlyDocumented?: boolean;
  /** What is enabled for all accounts until the operator changes it; everything when absent. */
  readonly access?: AccessTerms;
  /** Whether clients receive the market's own calendar, or that it never closes; `calendar` when absent. */
  readonly hours?: MarketHours;
  /** How the invented book looks; `thin` when absent. */
  readonly book?: BookStyle;
  /** Restarts the market for `POST /reset` at that market time; absent: nothing is ever reset. */
  readonly renew?: (at: Millis) => Simulation;
  /** What survives a restart, made for this very simulation; absent: nothing does. */
  readonly state?: VenueState;
  /** Limits of the web server that differ from the house's, for tests. */
  readonly serverLimits?: Partial<ServerLimits>;
  /** Absent: plain HTTP and sockets. */
  readonly tls?: TlsOption;
  /** Interface B, served at the same base URL; absent: not served. */
  readonly catalogue?: Omit<CatalogueOptions, 'clock'>;
  /** Tells prices of a market elsewhere from now on, until the result is called; absent: the simulation has its own. */
  readonly prices?: (listener: LivePrices) => Cancel;
  /** Absent: a fault ends the process, as a broken invariant does. */
  readonly onFault?: FaultReport;
}

/** A venue that answers. `close` hangs up on everybody and frees the ports; it may be called twice. */
export interface RunningVenue {
  /** Base URL of the HTTP side, without a slash at the end. */
  readonly http: string;
  readonly quoteWs: string;
  readonly tradeWs: string;
  /** Base URL of the admin port; undefined when there is none. */
  readonly admin: string | undefined;
  /** Bearer token of the admin port; undefined when there is none. */
  readonly adminToken: string | undefined;
  close(): Promise<void>;
}
