import type { ReplaySetup } from '../../backtest/setup.ts';
import type { BarStore } from '../../market-data/store.ts';
import { barClose } from '../../markets/bar-span.ts';
import type { CHARGE_SCHEDULES } from '../../markets/charge-schedules.ts';
import { dayOf } from '../../markets/sessions.ts';
import { Decimal } from '../../model/decimal.ts';
import type { Period } from '../../model/period.ts';
import { marketOf, type SecuritySymbol, securitySymbol } from '../../model/symbol.ts';
import { type CalendarDay, calendarDay, millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { marginUnder, type SimulationRules, securityUnder, VENUE_RULES } from '../../simulation/rules.ts';
import { type AccessTerms, readAccess } from '../../venue/access/account-access.ts';
import { CAPABILITIES, type Capability } from '../../venue/calls/capabilities.ts';
import type { SyntheticHours } from '../../venue/synthetic/synthetic-market.ts';
import { VenueError } from '../../venue/venue-error.ts';
import type { MarketClockOption, RateLimits } from '../../venue/venue-options.ts';
import { PROFILES } from '../../wire/profiles.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { systemRandom } from '../clock/system-random.ts';
import {
  actionsUnder,
  barsUntil,
  bidAskUnder,
  chargesUnder,
  fxSeriesOf,
  heardBars,
} from '../load/load-run.ts';
import { openStore } from '../storage/open-store.ts';
import { openUpstream, type Upstream, type UpstreamRequest } from './upstream.ts';
import { type LaunchedVenue, launchVenue } from './venue-launch.ts';
import type { MarketSource, OpeningTerms } from './venue-market.ts';
import { ratesWithDefaults } from './venue-rates.ts';
import { readTls } from './venue-tls.ts';

/** The environment, and the callback for failures of the upstream. */
export type UpstreamSource = Pick<UpstreamRequest, 'environment' | 'warn'>;

/** Settings of a venue; absent ones have defaults. */
export interface VenueSettings {
  readonly host: string;
  readonly port: number;
  readonly adminPort?: number;
  readonly symbol?: readonly SecuritySymbol[];
  readonly period?: Period;
  readonly data?: string;
  readonly from?: CalendarDay;
  readonly to?: CalendarDay;
  /** Default: a synthetic market never closes, an upstream one has its exchange's hours. */
  readonly sessions?: SyntheticHours;
  /** Takes the market from a real broker's quotes. */
  readonly upstream?: UpstreamSource;
  readonly seed: number;
  readonly accounts: number;
  readonly state?: string;
  readonly currency: string;
  readonly cash?: Readonly<Record<string, Decimal>>;
  readonly fx?: Readonly<Record<string, Decimal>>;
  /** Files of dated rates by pair. */
  readonly fxSeries?: Readonly<Record<string, string>>;
  /** True for no rates except those of `fx`; otherwise those between HKD, USD and CNH have defaults. */
  readonly onlyFx?: boolean;
  readonly charges: keyof typeof CHARGE_SCHEDULES;
  readonly margin?: boolean;
  readonly short?: boolean;
  readonly simulation?: SimulationRules;
  readonly profile: keyof typeof PROFILES;
  readonly rateLimits?: RateLimits;
  readonly without?: readonly string[];
  readonly onlyDocumented?: boolean;
  readonly verboseStates?: boolean;
  /** Services and quote levels, as JSON. */
  readonly access?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly clock: MarketClockOption['kind'];
  readonly speed: number;
}

/** Default symbol of a replay: the included generated stock. */
const DEFAULT_SYMBOL = securitySymbol('DEMO.HK');
const DEFAULT_PERIOD: Period = '1m';
const DEFAULT_DATA = 'backtest-data';
/** Starting capital of a paper account. @see ADR 0019 */
const DEFAULT_CASH = { HKD: new Decimal(1_000_000), USD: new Decimal(100_000) };

/**
 * Opens a venue with a synthetic market, or with a replay of the project's data if any option of a replay is given.
 * Throws VenueError, or DataError for invalid data.
 */
export async function openVenueFromSettings(
  settings: VenueSettings,
  project: string,
  machine: Clock = createSystemClock(),
): Promise<LaunchedVenue> {
  if (settings.upstream === undefined) return launch(settings, marketFor(settings, project), machine);
  const upstream = await upstreamFor(settings, settings.upstream, project);
  const market: MarketSource = {
    kind: 'upstream',
    upstream,
    hours: settings.sessions ?? 'real',
    terms: termsOf(settings, project),
  };
  try {
    const venue = await launch(settings, market, machine);
    const close = async (): Promise<void> => {
      await venue.close();
      await upstream.close();
    };
    return { ...venue, close };
  } catch (error) {
    await upstream.close();
    throw error;
  }
}

function upstreamFor(settings: VenueSettings, source: UpstreamSource, project: string): Promise<Upstream> {
  const { symbol, period, data, from, to, state, clock } = settings;
  const replays = [period, data, from, to, state].some((each) => each !== undefined);
  if (replays || clock !== 'wall') {
    const message =
      'Cannot take quotes from upstream and replay a past: "--upstream" goes without --period, --data, --from, --to and --state, and with "--clock wall" only';
    throw new VenueError('bad-option', message);
  }
  if (symbol === undefined || symbol.length === 0) {
    const message = 'Cannot take quotes from upstream: say which securities with --symbol, once for each';
    throw new VenueError('bad-option', message);
  }
  return openUpstream({ ...source, addresses: {}, symbols: symbol, project, machine: createSystemClock() });
}

async function launch(settings: VenueSettings, market: MarketSource, machine: Clock): Promise<LaunchedVenue> {
  try {
    return await launchVenue(launchOf(settings, market, machine));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Converts cash in a currency without a rate to the account's own.
    const message = `Cannot open the accounts: ${error.message}; say a rate with --fx, such as "--fx USDEUR=0.90", or other --cash`;
    throw new VenueError('bad-option', message, { cause: error });
  }
}

function launchOf(settings: VenueSettings, market: MarketSource, machine: Clock) {
  return {
    market,
    accounts: settings.accounts,
    stateFile: settings.state,
    profile: PROFILES[settings.profile],
    marketClock: clockOf(settings, market),
    rateLimits: settings.rateLimits ?? (settings.clock === 'wall' ? 'endpoint' : 'off'),
    verboseStates: settings.verboseStates === true,
    access: accessOf(settings.access),
    without: (settings.without ?? []).map(capabilityOf),
    onlyDocumented: settings.onlyDocumented === true,
    tls: readTls(settings.tlsCert, settings.tlsKey),
    host: settings.host,
    port: settings.port,
    adminPort: settings.adminPort,
    machine,
    random: systemRandom,
  };
}

function accessOf(text: string | undefined): AccessTerms {
  if (text === undefined) return {};
  const read = readAccess(text);
  if (typeof read !== 'string') return read;
  throw new VenueError('bad-option', `Cannot set "--access ${text.slice(0, 200)}": ${read}`);
}

function capabilityOf(text: string): Capability {
  const found = CAPABILITIES.find((capability) => capability === text);
  if (found !== undefined) return found;
  const message = `Cannot do without "${text}": no venue has that, want one of ${CAPABILITIES.join(', ')}`;
  throw new VenueError('bad-option', message);
}

/** A synthetic market, unless an option of a replay is given. */
function marketFor(settings: VenueSettings, project: string): MarketSource {
  const { symbol, period, data, from, to } = settings;
  if ([symbol, period, data, from, to].every((each) => each === undefined)) {
    return {
      kind: 'synthetic',
      seed: settings.seed,
      hours: settings.sessions ?? 'always',
      terms: termsOf(settings, project),
    };
  }
  const store = openStore(project, data ?? DEFAULT_DATA);
  return { kind: 'replay', replay: replayOf(settings, store, project), store };
}

/** Without a speed, a synthetic market runs in real time. */
function clockOf({ clock, speed }: VenueSettings, market: MarketSource): MarketClockOption {
  if (clock === 'scaled') return { kind: 'scaled', speed };
  if (clock === 'stepped') return { kind: 'stepped' };
  return { kind: 'wall', from: market.kind === 'replay' ? 'simulation' : 'machine' };
}

function termsOf(settings: VenueSettings, project: string): OpeningTerms {
  const rules = settings.simulation ?? VENUE_RULES;
  return {
    currency: settings.currency,
    cash: settings.cash ?? DEFAULT_CASH,
    fx: settings.onlyFx === true ? (settings.fx ?? {}) : ratesWithDefaults(settings.fx),
    ...(settings.fxSeries === undefined ? {} : { fxSeries: fxSeriesOf(settings.fxSeries, project) }),
    charges: chargesUnder(rules, settings.charges),
    margin: marginUnder(rules, settings.margin === true),
    short: rules.shorting ?? settings.short === true,
    rules,
  };
}

function replayOf(settings: VenueSettings, store: BarStore, project: string): ReplaySetup {
  const wanted = settings.symbol ?? [DEFAULT_SYMBOL];
  const period = settings.period ?? DEFAULT_PERIOD;
  const whole = wanted.map((symbol) => store.bars(symbol, period));
  const days = whole.flatMap((bars) => {
    const market = marketOf(bars.symbol);
    const [first, last] = [bars.time.at(0), bars.time.at(-1)];
    if (first === undefined || last === undefined) return [];
    // A week ends on a later day than its timestamp.
    return [millis(first), millis(barClose(market, period, millis(last)) - 1)].map((at) => dayOf(market, at));
  });
  const from = settings.from ?? calendarDay(days.toSorted().at(0) ?? '2000-01-01');
  const to = settings.to ?? calendarDay(days.toSorted().at(-1) ?? '2000-01-01');
  const rules = settings.simulation ?? VENUE_RULES;
  const actions = actionsUnder(rules, wanted, store).filter(({ exDay }) => exDay <= to);
  return {
    ...termsOf(settings, project),
    corporateActions: actions,
    bidAsk: bidAskUnder(rules, wanted, store),
    securities: wanted.map((symbol) => securityUnder(rules, store.security(symbol))),
    history: wanted.map((symbol) => heardBars(barsUntil(store, { symbol, period, to, actions }), rules)),
    from,
    to,
    seed: settings.seed,
  };
}
