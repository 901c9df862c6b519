import { endOf, type ReplaySetup } from '../backtest/setup.ts';
import type { BarStore } from '../market-data/store.ts';
import { CHARGE_SCHEDULES } from '../markets/charge-schedules.ts';
import { dayOf } from '../markets/sessions.ts';
import { Decimal } from '../model/decimal.ts';
import type { Period } from '../model/period.ts';
import { marketOf, type SecuritySymbol, securitySymbol } from '../model/symbol.ts';
import { type CalendarDay, calendarDay, millis } from '../model/time.ts';
import { CASH_ACCOUNT, MARGIN_ACCOUNT } from '../simulation/models.ts';
import type { MarketClockOption } from '../venue/venue-options.ts';
import { PROFILES } from '../wire/profiles.ts';
import { storeOf } from './load-run.ts';
import { createSystemClock } from './system-clock.ts';
import { systemRandom } from './system-random.ts';
import { type LaunchedVenue, launchVenue } from './venue-launch.ts';

/** What a venue of a replay is made from; what is absent has a default. */
export interface VenueSettings {
  readonly port: number;
  readonly adminPort?: number;
  readonly symbol?: readonly SecuritySymbol[];
  readonly period: Period;
  readonly data: string;
  readonly from?: CalendarDay;
  readonly to?: CalendarDay;
  readonly currency: string;
  readonly cash?: Readonly<Record<string, Decimal>>;
  readonly fx?: Readonly<Record<string, Decimal>>;
  readonly charges: keyof typeof CHARGE_SCHEDULES;
  readonly margin?: boolean;
  readonly profile: keyof typeof PROFILES;
  readonly clock: MarketClockOption['kind'];
  readonly speed: number;
}

/** What it replays unless told otherwise: the generated stock that ships. */
const DEFAULT_SYMBOL = securitySymbol('DEMO.HK');
/** Starting capital of a paper account. @see reference: HTTP API 13, row 23 */
const DEFAULT_CASH = { HKD: new Decimal(1_000_000), USD: new Decimal(100_000) };
const DEFAULT_FX = { USDHKD: new Decimal('7.80') };

/** Opens a venue for a replay of the project's data. Throws VenueError, or DataError when the data is not right. */
export function openReplayVenue(settings: VenueSettings, project: string): Promise<LaunchedVenue> {
  const { data, profile, clock, speed, port, adminPort } = settings;
  const store = storeOf(project, data);
  return launchVenue({
    replay: replayOf(settings, store),
    store,
    profile: PROFILES[profile],
    marketClock: clock === 'scaled' ? { kind: 'scaled', speed } : { kind: clock },
    port,
    adminPort,
    machine: createSystemClock(),
    random: systemRandom,
  });
}

function replayOf(settings: VenueSettings, store: BarStore): ReplaySetup {
  const wanted = settings.symbol ?? [DEFAULT_SYMBOL];
  const whole = wanted.map((symbol) => store.bars(symbol, settings.period));
  const days = whole.flatMap((bars) => {
    const market = marketOf(bars.symbol);
    return [bars.time.at(0), bars.time.at(-1)].flatMap((at) =>
      at === undefined ? [] : [dayOf(market, millis(at))],
    );
  });
  const from = settings.from ?? calendarDay(days.toSorted().at(0) ?? '2000-01-01');
  const to = settings.to ?? calendarDay(days.toSorted().at(-1) ?? '2000-01-01');
  return {
    securities: wanted.map((symbol) => store.security(symbol)),
    history: wanted.map((symbol) => store.bars(symbol, settings.period, { to: endOf(symbol, to) })),
    from,
    to,
    currency: settings.currency,
    cash: settings.cash ?? DEFAULT_CASH,
    fx: settings.fx ?? (settings.cash === undefined ? DEFAULT_FX : {}),
    charges: CHARGE_SCHEDULES[settings.charges],
    margin: settings.margin === true ? MARGIN_ACCOUNT : CASH_ACCOUNT,
    seed: 1,
  };
}
