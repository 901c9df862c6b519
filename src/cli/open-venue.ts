import { storeOf } from '../app/load-run.ts';
import { createSystemClock } from '../app/system-clock.ts';
import { systemRandom } from '../app/system-random.ts';
import { type LaunchedVenue, launchVenue } from '../app/venue-launch.ts';
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
import { interruptible } from './interruption.ts';
import type { Terminal } from './terminal.ts';

/** The flags of `sluice venue`, read. */
export interface VenueFlags {
  readonly json?: boolean;
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
  readonly untilStdinEnds?: boolean;
}

/** What it replays unless told otherwise: the generated stock that ships. */
const DEFAULT_SYMBOL = securitySymbol('DEMO.HK');
/** Starting capital of a paper account. @see reference: HTTP API 13, row 23 */
const DEFAULT_CASH = { HKD: new Decimal(1_000_000), USD: new Decimal(100_000) };
const DEFAULT_FX = { USDHKD: new Decimal('7.80') };

/** Opens a venue for a replay, says where it is, and keeps it open until somebody ends it. */
export async function openVenue(
  flags: VenueFlags,
  { terminal, project }: { readonly terminal: Terminal; readonly project: string },
): Promise<void> {
  const store = storeOf(project, flags.data);
  await interruptible(async (interrupted) => {
    const venue = await launchVenue({
      replay: replayOf(flags, store),
      store,
      profile: PROFILES[flags.profile],
      marketClock: flags.clock === 'scaled' ? { kind: 'scaled', speed: flags.speed } : { kind: flags.clock },
      port: flags.port,
      adminPort: flags.adminPort,
      machine: createSystemClock(),
      random: systemRandom,
    });
    terminal.out(flags.json === true ? `${JSON.stringify(readyLine(venue))}\n` : readyText(venue));
    await over(interrupted, flags.untilStdinEnds === true);
    await venue.close();
  });
}

function replayOf(flags: VenueFlags, store: BarStore): ReplaySetup {
  const wanted = flags.symbol ?? [DEFAULT_SYMBOL];
  const whole = wanted.map((symbol) => store.bars(symbol, flags.period));
  const days = whole.flatMap((bars) => {
    const market = marketOf(bars.symbol);
    return [bars.time.at(0), bars.time.at(-1)].flatMap((at) =>
      at === undefined ? [] : [dayOf(market, millis(at))],
    );
  });
  const from = flags.from ?? calendarDay(days.toSorted().at(0) ?? '2000-01-01');
  const to = flags.to ?? calendarDay(days.toSorted().at(-1) ?? '2000-01-01');
  return {
    securities: wanted.map((symbol) => store.security(symbol)),
    history: wanted.map((symbol) => store.bars(symbol, flags.period, { to: endOf(symbol, to) })),
    from,
    to,
    currency: flags.currency,
    cash: flags.cash ?? DEFAULT_CASH,
    fx: flags.fx ?? (flags.cash === undefined ? DEFAULT_FX : {}),
    charges: CHARGE_SCHEDULES[flags.charges],
    margin: flags.margin === true ? MARGIN_ACCOUNT : CASH_ACCOUNT,
    seed: 1,
  };
}

function readyLine(venue: LaunchedVenue): Readonly<Record<string, string>> {
  const { http, quoteWs, tradeWs, admin, credentials } = venue;
  return { http, quoteWs, tradeWs, ...(admin === undefined ? {} : { admin }), ...credentials };
}

function readyText(venue: LaunchedVenue): string {
  const rows = Object.entries(readyLine(venue)).map(([name, value]) => `  ${name.padEnd(12)} ${value}`);
  return [
    'The venue is open. Test credentials, good for this venue only:',
    ...rows,
    'Ctrl-C closes it.',
    '',
  ].join('\n');
}

function over(interrupted: AbortSignal, untilStdinEnds: boolean): Promise<void> {
  return new Promise((resolve) => {
    interrupted.addEventListener('abort', () => resolve(), { once: true });
    if (interrupted.aborted) resolve();
    if (untilStdinEnds)
      process.stdin
        .once('close', () => resolve())
        .once('end', () => resolve())
        .resume();
  });
}
