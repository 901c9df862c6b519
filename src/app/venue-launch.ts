import { ACCOUNT_ID, type ReplaySetup, simulationOptions } from '../backtest/setup.ts';
import { DataError } from '../market-data/data-error.ts';
import type { BarStore } from '../market-data/store.ts';
import { openTime } from '../markets/bar-span.ts';
import { midnightOf } from '../markets/sessions.ts';
import { type BarColumns, lowerBound } from '../model/bar.ts';
import type { Period } from '../model/period.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { createSimulation } from '../simulation/create-simulation.ts';
import { startVenue } from '../venue/start-venue.ts';
import type { MarketClockOption, RunningVenue } from '../venue/venue-options.ts';
import type { WireProfile } from '../wire/profiles.ts';
import type { Credentials } from '../wire/signature.ts';

/** What an embedded venue is launched with. */
export interface VenueLaunch {
  readonly replay: ReplaySetup;
  readonly store: BarStore;
  readonly profile: WireProfile;
  readonly marketClock: MarketClockOption;
  readonly port: number;
  /** Undefined: no admin port. */
  readonly adminPort: number | undefined;
  readonly machine: Clock;
  readonly random: Random;
}

/** A venue that runs, and the credentials that open its account. */
export interface LaunchedVenue extends RunningVenue {
  readonly credentials: Credentials;
}

/** How far a request's stamp may lie from the machine's time. @see reference: HTTP API 13, row 1 */
const SKEW_TOLERANCE_MS = 300_000;

/**
 * Starts a venue that replays a past. Stepped, its market begins at midnight of the first day; otherwise at the first
 * instant of trading, so that nobody waits for the market to open.
 */
export async function launchVenue(launch: VenueLaunch): Promise<LaunchedVenue> {
  const { replay, store, profile, marketClock, port, adminPort, machine, random } = launch;
  const start = marketClock.kind === 'stepped' ? undefined : firstTrading(replay);
  const credentials = mintCredentials(random);
  const venue = await startVenue({
    simulation: createSimulation(simulationOptions(replay, true, start)),
    accountId: ACCOUNT_ID,
    credentials,
    history: (symbol, period) => historyOf(store, symbol, period),
    profile,
    port,
    ...(adminPort === undefined ? {} : { adminPort }),
    marketClock,
    machine,
    random,
    skewToleranceMs: SKEW_TOLERANCE_MS,
  });
  return { ...venue, credentials };
}

function firstTrading(replay: ReplaySetup): Millis {
  const opens = replay.history.map((bars) => {
    const market = marketOf(bars.symbol);
    const first = bars.time[lowerBound(bars, midnightOf(market, replay.from))];
    return first === undefined ? Number.POSITIVE_INFINITY : openTime(market, bars.period, millis(first));
  });
  return millis(Math.min(...opens));
}

/** Test credentials that say what they are. */
function mintCredentials(random: Random): Credentials {
  const text = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('hex');
  return {
    appKey: `ak_paper_${text(8)}`,
    appSecret: `as_paper_${text(24)}`,
    accessToken: `at_paper_${text(24)}`,
  };
}

function historyOf(store: BarStore, symbol: SecuritySymbol, period: Period): BarColumns | undefined {
  try {
    return store.bars(symbol, period);
  } catch (error) {
    if (error instanceof DataError && (error.code === 'unknown-symbol' || error.code === 'unknown-period'))
      return undefined;
    throw error;
  }
}
