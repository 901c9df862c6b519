import fc from 'fast-check';
import { firstValueFrom, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { exchangeWallTime } from '#src/broker/http/exchange-time.ts';
import { nominalClose, readHistory } from '#src/broker/orders/history.ts';
import type { SocketCall } from '#src/broker/socket/command-call.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { columnsOfRows } from '#src/model/bar-columns.ts';
import { nominalMs, type Period } from '#src/model/period.ts';
import { type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { HOUR_MS, MINUTE_MS, type Millis, millis } from '#src/model/time.ts';
import { requestedBars, type VisibleSessions, writeBars } from '#src/venue/quotes/candles.ts';
import { quoteCommands } from '#src/wire/commands.ts';
import type { Candlestick, SecurityHistoryCandlestickRequest } from '#src/wire/gen/quote_pb.ts';
import { PROFILES } from '#src/wire/profiles.ts';

const APPLE = securitySymbol('AAPL.US');
const TENCENT = securitySymbol('700.HK');

/** Consecutive bars, each with its index as its volume. */
function barsFrom(symbol: SecuritySymbol, period: Period, from: number, count: number): BarColumns {
  const rows = Array.from({ length: count }, (_, at) => [from + at * nominalMs(period), 10, 12, 9, 11, at]);
  return columnsOfRows({ symbol, period }, rows);
}

/** The bars that the venue itself selects and encodes for a request; `spoil` changes what it sends. */
function venueOf(
  columns: BarColumns,
  shown: VisibleSessions,
  spoil: (rows: readonly Candlestick[]) => readonly Candlestick[] = (rows) => rows,
) {
  const whole = { columns, closed: columns.length, open: undefined };
  const asked: SecurityHistoryCandlestickRequest[] = [];
  const ask = ((_command: unknown, question: SecurityHistoryCandlestickRequest) => {
    asked.push(question);
    const range = requestedBars(whole, question);
    if (range === undefined) throw new Error(`The venue refuses ${JSON.stringify(question)}`);
    const candlesticks = spoil(writeBars(whole, range, shown) as unknown as readonly Candlestick[]);
    return of({ symbol: columns.symbol, candlesticks });
  }) as unknown as SocketCall;
  return { ask, asked };
}

function read(
  columns: BarColumns,
  venue: { readonly ask: SocketCall },
  request: { readonly before: number; readonly count: number; readonly onConflict?: (time: Millis) => void },
  market = Number.MAX_SAFE_INTEGER,
) {
  const { symbol, period } = columns;
  const parts = {
    call: venue.ask,
    commands: quoteCommands(PROFILES.documented),
    market: () => millis(market),
    closeOf: nominalClose,
  };
  return firstValueFrom(readHistory({ ...request, symbol, period, before: millis(request.before) }, parts));
}

describe('readHistory', () => {
  const OPEN = Date.UTC(2025, 0, 2, 14, 30);

  it('returns the newest bars before an instant, ascending, with one request if a page holds them', async () => {
    const columns = barsFrom(APPLE, '1m', OPEN, 390);
    const venue = venueOf(columns, 'regular');
    const bars = await read(columns, venue, { before: OPEN + 100 * MINUTE_MS, count: 10 });
    expect(bars.map(({ volume }) => volume)).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
    expect(venue.asked).toHaveLength(1);
  });

  it('pages back through a market that trades round the clock, where one day has more bars than a page', async () => {
    const columns = barsFrom(APPLE, '1m', OPEN, 5_000);
    const venue = venueOf(columns, 'all-are-regular');
    const end = OPEN + 5_000 * MINUTE_MS;
    const volumes: number[] = [];
    for (let before = end; before > OPEN; ) {
      const bars = await read(columns, venue, { before, count: 1_000 });
      volumes.unshift(...bars.map(({ volume }) => volume));
      before = bars[0]?.time ?? OPEN;
    }
    expect(volumes).toEqual(Array.from({ length: 5_000 }, (_, at) => at));
  });

  it('finds regular bars behind more extended-hours bars than a page holds', async () => {
    const from = Date.UTC(2025, 0, 2, 9);
    const columns = barsFrom(APPLE, '1m', from, 2 * 24 * 60);
    const venue = venueOf(columns, 'regular');
    const before = Date.UTC(2025, 0, 3, 14, 31);
    const bars = await read(columns, venue, { before, count: 391 });
    expect(bars).toHaveLength(391);
    expect(bars[0]?.time).toBe(Date.UTC(2025, 0, 2, 14, 30));
    expect(bars.at(-1)?.time).toBe(Date.UTC(2025, 0, 3, 14, 30));
  });

  it('returns all bars if there are fewer than requested', async () => {
    const columns = barsFrom(TENCENT, '1m', Date.UTC(2025, 0, 2, 1, 30), 7);
    const venue = venueOf(columns, 'regular');
    expect(await read(columns, venue, { before: OPEN, count: 1_000 })).toHaveLength(7);
    expect(venue.asked.length).toBeLessThan(20);
  });

  it('leaves out a bar that is still open in market time', async () => {
    const columns = barsFrom(APPLE, '1m', OPEN, 300);
    const venue = venueOf(columns, 'regular');
    const bars = await read(columns, venue, { before: OPEN + HOUR_MS, count: 10 }, OPEN + 5.9 * MINUTE_MS);
    expect(bars.map(({ volume }) => volume)).toEqual([0, 1, 2, 3, 4]);
  });

  it('returns every bar once wherever a page ends, also when the clocks of New York change', async () => {
    const change = Date.UTC(2025, 10, 2, 6);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Period>('1m', '5m', '1h', '1d'),
        fc.integer({ min: 1, max: 3_000 }),
        fc.integer({ min: -2_000, max: 2_000 }),
        async (period, length, shift) => {
          const step = nominalMs(period);
          const start = period === '1d' ? Date.UTC(2020, 0, 1, 5) : change + shift * step;
          const columns = barsFrom(APPLE, period, start, length);
          const venue = venueOf(columns, 'all-are-regular');
          const got: number[] = [];
          for (let before = start + length * step; got.length < length; ) {
            const bars = await read(columns, venue, { before, count: 1_000 });
            if (bars.length === 0) break;
            got.unshift(...bars.map(({ volume }) => volume));
            before = bars[0]?.time ?? 0;
          }
          expect(got).toEqual(Array.from({ length }, (_, at) => at));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('sorts bars that arrive out of order, drops equal bars, and of two that differ keeps the one with more volume', async () => {
    const columns = barsFrom(APPLE, '1d', Date.UTC(2025, 0, 6, 5), 5);
    const conflicts: number[] = [];
    const venue = venueOf(columns, 'regular', (rows) => {
      const [first, second, ...others] = rows as [Candlestick, Candlestick, ...Candlestick[]];
      return [...others, first, first, { ...second, volume: second.volume + 7n }, second].toReversed();
    });
    const request = {
      before: Date.UTC(2025, 1, 1),
      count: 100,
      onConflict: (at: number) => conflicts.push(at),
    };
    const bars = await read(columns, venue, request);
    expect(bars.map(({ volume }) => volume)).toEqual([0, 8, 2, 3, 4]);
    expect(conflicts).toEqual([Date.UTC(2025, 0, 7, 5)]);
  });

  it('refuses 0 and 1,001 bars', () => {
    const columns = barsFrom(APPLE, '1m', OPEN, 7);
    for (const count of [0, 1_001])
      expect(() => read(columns, venueOf(columns, 'regular'), { before: OPEN, count })).toThrow(RangeError);
  });
});

describe('exchangeWallTime', () => {
  it.each([
    ['US', '2025-07-01T13:30:00Z', '20250701 0930'],
    ['US', '2025-01-02T04:59:00Z', '20250101 2359'],
    ['HK', '2025-01-01T16:00:00Z', '20250102 0000'],
    ['SG', '2025-01-01T16:00:00Z', '20250102 0000'],
    ['XX', '2025-01-01T16:00:00Z', '20250101 1600'],
  ])('shows the clock of %s at %s', (market, at, text) => {
    expect(exchangeWallTime(market, Date.parse(at)).text).toBe(text);
  });

  it('agrees with the days of the exchange', () => {
    expect(exchangeWallTime('US', Date.UTC(2025, 2, 9, 7) - 1).text).toBe('20250309 0159');
    expect(exchangeWallTime('US', Date.UTC(2025, 2, 9, 7)).text).toBe('20250309 0300');
  });
});
