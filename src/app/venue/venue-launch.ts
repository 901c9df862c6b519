import { openCatalogueStore } from '../../catalogue/store.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { AccessTerms } from '../../venue/access/account-access.ts';
import type { Capability } from '../../venue/calls/capabilities.ts';
import { openVenueState, START_FACT, type VenueState } from '../../venue/market/state-file.ts';
import type { TlsOption } from '../../venue/server/web-server.ts';
import { startVenue } from '../../venue/start-venue.ts';
import type { MarketClockOption, RateLimits, RunningVenue } from '../../venue/venue-options.ts';
import type { WireProfile } from '../../wire/profiles.ts';
import type { Credentials } from '../../wire/signature.ts';
import { accountIds, type MarketSource, type VenueMarket, venueMarket } from './venue-market.ts';
import {
  type AccountSecrets,
  accountSecrets,
  adminSecret,
  type CatalogueSecrets,
  catalogueSecrets,
  withRenewedTokens,
} from './venue-secrets.ts';

/** Settings of an embedded venue. */
export interface VenueLaunch {
  readonly market: MarketSource;
  /** Number of accounts, all with the same opening terms. */
  readonly accounts: number;
  /** File of its state; undefined: nothing survives a restart. */
  readonly stateFile: string | undefined;
  readonly profile: WireProfile;
  readonly marketClock: MarketClockOption;
  readonly rateLimits: RateLimits;
  /** Capabilities that it does not offer. */
  readonly without: readonly Capability[];
  /** True if it serves only what the source document describes. */
  readonly onlyDocumented?: boolean;
  /** True if orders show every intermediate status. */
  readonly verboseStates?: boolean;
  /** Services of its accounts. */
  readonly access?: AccessTerms;
  readonly tls: TlsOption | undefined;
  readonly host: string;
  readonly port: number;
  /** Undefined: no admin port. */
  readonly adminPort: number | undefined;
  readonly machine: Clock;
  readonly random: Random;
}

/** A running venue, the credentials of its accounts, and the keys of its catalogue. */
export interface LaunchedVenue extends RunningVenue {
  readonly credentials: Credentials;
  readonly accounts: readonly AccountSecrets[];
  readonly catalogue: CatalogueSecrets;
}

/** How long an intermediate status is shown, in milliseconds. @see ADR 0019 */
const IN_BETWEEN_MS = 100;

/** Maximum difference between a request's timestamp and the machine's time. @see ADR 0019 */
const SKEW_TOLERANCE_MS = 300_000;

/**
 * Starts a venue. A replay starts at midnight of its first day if stepped, otherwise at the first trading time, so
 * that the user need not wait for the market to open; a synthetic market starts now. With a state file it continues
 * where it was, with the same credentials. Throws VenueError.
 */
export async function launchVenue(launch: VenueLaunch): Promise<LaunchedVenue> {
  const { random, stateFile, machine } = launch;
  const { market, state } = openMarket(launch);
  const accounts = accountSecrets(accountIds(launch.accounts), random, state);
  const store = openCatalogueStore(stateFile === undefined ? ':memory:' : `${stateFile}.catalogue`);
  const catalogue = catalogueSecrets(store, random, state);
  const [first, ...others] = accounts.map(({ id, ...credentials }) => ({ id, credentials }));
  if (first === undefined) throw new RangeError('Cannot launch a venue without accounts');
  const venue = await startVenue({
    accountId: first.id,
    credentials: first.credentials,
    moreAccounts: others,
    simulation: market.begin(market.start),
    renew: market.begin,
    history: market.history,
    ...omitUndefined({ book: market.book, prices: market.prices, hours: market.hours, state }),
    ...(launch.adminPort === undefined
      ? {}
      : { adminPort: launch.adminPort, adminToken: adminSecret(random, state) }),
    ...omitUndefined({ tls: launch.tls }),
    profile: launch.profile,
    rateLimits: launch.rateLimits,
    without: launch.without,
    onlyDocumented: launch.onlyDocumented === true,
    ...omitUndefined({ access: launch.access }),
    host: launch.host,
    port: launch.port,
    marketClock: launch.marketClock,
    machine,
    random,
    catalogue: { store, keys: store },
    skewToleranceMs: SKEW_TOLERANCE_MS,
  });
  const close = async (): Promise<void> => {
    await venue.close();
    store.close();
  };
  const renewed = withRenewedTokens(accounts, state);
  const { accessToken } = renewed[0] ?? first.credentials;
  return {
    ...venue,
    close,
    credentials: { ...first.credentials, accessToken },
    accounts: renewed,
    catalogue,
  };
}

/** The market of a launch and its stored state; the file records where the market started. */
function openMarket(launch: VenueLaunch): {
  readonly market: VenueMarket;
  readonly state: VenueState | undefined;
} {
  const { market: source, accounts, stateFile, machine, marketClock } = launch;
  const inBetween = launch.verboseStates === true ? { inBetweenMs: IN_BETWEEN_MS } : {};
  const timing = { stepped: marketClock.kind === 'stepped', now: machine.now(), began: undefined, inBetween };
  const fresh = venueMarket(source, accounts, timing);
  if (stateFile === undefined) return { market: fresh, state: undefined };
  const state = openVenueState(stateFile, fresh.recipe);
  const began = state.fact(START_FACT);
  if (began !== undefined)
    return { market: venueMarket(source, accounts, { ...timing, began: millis(Number(began)) }), state };
  state.setFact(START_FACT, String(fresh.start));
  return { market: fresh, state };
}
