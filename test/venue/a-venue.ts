import { afterEach } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { LARGE_CAP_MARGIN } from '#src/markets/margin.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Security } from '#src/model/security.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { type Millis, millis } from '#src/model/time.ts';
import type { Random } from '#src/ports/random.ts';
import { createSimulation } from '#src/simulation/create-simulation.ts';
import { CASH_ACCOUNT, NO_LATENCY, PRINT_FILLS } from '#src/simulation/models.ts';
import { startVenue } from '#src/venue/start-venue.ts';
import type { RunningVenue, VenueOptions } from '#src/venue/venue-options.ts';
import { PROFILES } from '#src/wire/profiles.ts';
import type { Credentials } from '#src/wire/signature.ts';
import { MACHINE_START } from './fixed-times.ts';
import { at, risingMinutes } from './rising-minutes.ts';

export const CREDENTIALS: Credentials = {
  appKey: 'ak_paper_0001',
  appSecret: 'as_paper_secret_0001',
  accessToken: 'at_paper_token_0001',
};

export const OTHER_CREDENTIALS: Credentials = {
  appKey: 'ak_paper_0002',
  appSecret: 'as_paper_secret_0002',
  accessToken: 'at_paper_token_0002',
};

/** Tuesday, 2 September 2025, 9:20 in Hong Kong: ten minutes before the open. */
export const MARKET_START = at('2025-09-02T09:20:00+08:00');

function share(symbol: string, name: string): Security {
  const hongKong = symbol.endsWith('.HK');
  return {
    symbol: securitySymbol(symbol),
    names: { en: name, zhCn: `${name} cn`, zhHk: `${name} hk` },
    kind: 'stock',
    board: hongKong ? 'HKEquity' : 'USMain',
    currency: hongKong ? 'HKD' : 'USD',
    lotSize: hongKong ? 100 : 1,
    margin: LARGE_CAP_MARGIN,
    tradable: true,
    origin: { kind: 'generated', seed: 1, method: 'by hand' },
  };
}

/** The morning of 1 September (past) and of 2 September (future) in one series. */
export function twoMornings(symbol: string): BarColumns {
  const yesterday = risingMinutes(symbol, at('2025-09-01T09:30:00+08:00'), 30, 400);
  const today = risingMinutes(symbol, at('2025-09-02T09:30:00+08:00'), 30, 410);
  const joined = (name: 'time' | 'open' | 'high' | 'low' | 'close' | 'volume'): Float64Array =>
    Float64Array.from([...yesterday[name], ...today[name]]);
  return {
    symbol: yesterday.symbol,
    period: '1m',
    length: 60,
    time: joined('time'),
    open: joined('open'),
    high: joined('high'),
    low: joined('low'),
    close: joined('close'),
    volume: joined('volume'),
  };
}

/** The same values in every run: a counter spread over the bytes. */
export function countingRandom(): Random {
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state;
  };
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => next() >>> 24),
    fraction: () => next() / 2 ** 32,
  };
}

export interface VenueUnderTest {
  readonly venue: RunningVenue;
  readonly machine: VirtualClock;
  /** Advances machine time and fires due timers. */
  advance(ms: number): void;
}

const running: RunningVenue[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((venue) => venue.close()));
});

export const BARS: readonly BarColumns[] = [twoMornings('700.HK'), twoMornings('5.HK')];

/**
 * A stepped venue of 700.HK and 5.HK with two accounts, on a machine clock that the test moves. Closed after the
 * test.
 */
export async function aVenue(
  overrides: Partial<VenueOptions> & { bars?: readonly BarColumns[] } = {},
): Promise<VenueUnderTest> {
  const { bars = BARS, ...options } = overrides;
  const machine = new VirtualClock(MACHINE_START);
  const account = (id: string) => ({
    id,
    currency: 'HKD',
    cash: { HKD: decimal('1000000') },
    fx: { USDHKD: decimal('7.80') },
  });
  const begin = (start: Millis) =>
    createSimulation({
      securities: [share('700.HK', 'TENCENT'), share('5.HK', 'HSBC'), share('AAPL.US', 'APPLE')],
      bars,
      start,
      accounts: [account('paper-1'), account('paper-2')],
      quotes: true,
      models: {
        fills: PRINT_FILLS,
        charges: CHARGE_SCHEDULES.standard,
        latency: NO_LATENCY,
        margin: CASH_ACCOUNT,
      },
      seed: 7,
    });
  const venue = await startVenue({
    simulation: begin(MARKET_START),
    renew: begin,
    accountId: 'paper-1',
    credentials: CREDENTIALS,
    moreAccounts: [{ id: 'paper-2', credentials: OTHER_CREDENTIALS }],
    history: (symbol, period) => bars.find((each) => each.symbol === symbol && each.period === period),
    profile: PROFILES.documented,
    port: 0,
    adminPort: 0,
    marketClock: { kind: 'stepped' },
    machine,
    random: countingRandom(),
    skewToleranceMs: 300_000,
    ...options,
  });
  running.push(venue);
  return { venue, machine, advance: (ms) => advance(machine, ms) };
}

function advance(machine: VirtualClock, ms: number): void {
  const until = machine.now() + ms;
  while (machine.nextAt() <= until) machine.fireNext();
  machine.moveTo(millis(until));
}
