import { createSystemClock } from '#src/app/clock/system-clock.ts';
import { systemRandom } from '#src/app/clock/system-random.ts';
import { resample } from '#src/market-data/resample.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { LARGE_CAP_MARGIN } from '#src/markets/margin.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { barColumns } from '#src/model/bar-columns.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Period } from '#src/model/period.ts';
import type { Security } from '#src/model/security.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import type { Clock } from '#src/ports/clock.ts';
import { createSimulation } from '#src/simulation/create-simulation.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import { startVenue } from '#src/venue/start-venue.ts';
import type { RunningVenue, VenueOptions } from '#src/venue/venue-options.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import type { Credentials } from '#src/wire/signature.ts';
import { at, risingMinutes } from '../venue/rising-minutes.ts';

export const CREDENTIALS: Credentials = {
  appKey: 'ak_paper_interop',
  appSecret: 'as_paper_interop_secret',
  accessToken: 'at_paper_interop_token',
};

const OPENS = [at('2025-09-01T09:30:00+08:00'), at('2025-09-02T09:30:00+08:00')] as const;
const MINUTES = 60;

/** Market time at the start of the suite: 10:00 of the second morning, half an hour after its open. */
const START = at('2025-09-02T10:00:00+08:00');

function share(symbol: string, names: Security['names']): Security {
  const hongKong = symbol.endsWith('.HK');
  return {
    symbol: securitySymbol(symbol),
    names,
    kind: 'stock',
    board: hongKong ? 'HKEquity' : 'USMain',
    currency: hongKong ? 'HKD' : 'USD',
    lotSize: hongKong ? 100 : 1,
    margin: LARGE_CAP_MARGIN,
    tradable: true,
    origin: { kind: 'generated', seed: 1, method: 'a price that rises by one tick a minute' },
  };
}

/** Two mornings of minutes, and days made of them. */
function barsOf(symbol: string, first: number): readonly BarColumns[] {
  const mornings = OPENS.map((open, day) => risingMinutes(symbol, open, MINUTES, first + 10 * day));
  const minutes = joined(mornings, '1m');
  const days = joined(
    OPENS.map((open, day) => risingMinutes(symbol, open, 1, first + 10 * day)),
    '1d',
  );
  return [minutes, { ...days, time: days.time.map((open) => open - 9.5 * 3_600_000) }];
}

function joined(parts: readonly BarColumns[], period: BarColumns['period']): BarColumns {
  const [first] = parts;
  if (first === undefined) throw new RangeError('No bars to join');
  const { symbol } = first;
  return barColumns({ symbol, period }, (figure) =>
    Float64Array.from(parts.flatMap((part) => [...part[figure]])),
  );
}

function historyOf(stored: readonly BarColumns[], symbol: string, period: Period): BarColumns | undefined {
  const own = stored.filter((columns) => columns.symbol === symbol);
  const [minutes] = own;
  return own.find((columns) => columns.period === period) ?? (minutes && resample(minutes, period));
}

/**
 * A venue in profile `longbridge` for the official client: real machine time, and a market that the test steps.
 * 700.HK rises by one tick per minute; AAPL.US is listed and does not trade.
 */
export async function aLivingVenue(overrides: Partial<VenueOptions> = {}): Promise<RunningVenue> {
  const tencent = barsOf('700.HK', 400);
  const simulation = createSimulation({
    securities: [
      share('700.HK', { en: 'TENCENT', zhCn: '腾讯控股', zhHk: '騰訊控股' }),
      share('AAPL.US', { en: 'APPLE', zhCn: '苹果', zhHk: '蘋果' }),
    ],
    bars: tencent.slice(0, 1),
    start: START,
    accounts: [
      {
        id: '20400500',
        currency: 'HKD',
        cash: { HKD: decimal('1000000'), USD: decimal('100000') },
        fx: { USDHKD: decimal('7.80') },
      },
    ],
    quotes: true,
    models: {
      fills: { ...PRINT_FILLS, participation: 0.25 },
      charges: CHARGE_SCHEDULES.standard,
      latency: NO_LATENCY,
      margin: CASH_ACCOUNT,
    },
    seed: 7,
  });
  return startVenue({
    simulation,
    accountId: '20400500',
    credentials: CREDENTIALS,
    history: (symbol, period) => historyOf(tencent, symbol, period),
    profile: PROFILES.longbridge,
    port: 0,
    adminPort: 0,
    marketClock: { kind: 'stepped' },
    machine: createSystemClock(),
    random: systemRandom,
    skewToleranceMs: 300_000,
    ...overrides,
  });
}

/** A machine clock that is ahead by this number of milliseconds. */
export function clockAhead(ms: number): Clock {
  const clock = createSystemClock();
  return { ...clock, now: () => millis(clock.now() + ms) };
}
