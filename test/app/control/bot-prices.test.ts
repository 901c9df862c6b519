import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { botPrices, type PriceSources, storedPrices } from '#src/app/control/bot-prices.ts';
import { createSymbolCloses } from '#src/engine/symbol-closes.ts';
import type { Bar } from '#src/model/bar.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Quote } from '#src/model/quote.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, type Millis, millis } from '#src/model/time.ts';
import type { TradingSessions } from '#src/model/trading-sessions.ts';
import type { SeriesReading } from '#src/ports/strategy-host.ts';

const AAPL = securitySymbol('AAPL.US');
const TENCENT = securitySymbol('700.HK');
const OPEN = Date.parse('2024-03-04T14:30:00Z');
const NOW = millis(OPEN + 10_000 * MINUTE_MS);

const barOf = (index: number): Bar => ({
  symbol: AAPL,
  period: '1m',
  time: millis(OPEN + index * MINUTE_MS),
  open: index,
  high: index + 2,
  low: index - 1,
  close: index + 1,
  volume: 100,
});

const QUOTE: Quote = {
  symbol: AAPL,
  time: millis(NOW - 1_500),
  last: decimal('190.5'),
  dayOpen: decimal('190'),
  dayHigh: decimal('191'),
  dayLow: decimal('189'),
  dayVolume: decimal('1000'),
  volume: decimal('10'),
  status: 'normal',
  session: 'regular',
};

interface At {
  readonly now: Millis;
  readonly sessions: TradingSessions;
  readonly strategies?: PriceSources['strategies'];
}

/** The state of a bot after this number of bars of AAPL.US. */
function sourcesAfter(
  count: number,
  { strategies = [], ...at }: At = { now: NOW, sessions: 'regular' },
): PriceSources {
  const closes = createSymbolCloses({ changes: [], now: () => NOW });
  for (let index = 0; index < count; index += 1) closes.add(barOf(index));
  return {
    strategies,
    engine: { recentBars: (symbol) => (symbol === AAPL ? closes.recent() : []) },
    period: '1m',
    securities: [
      { symbol: AAPL, currency: 'USD' },
      { symbol: TENCENT, currency: 'HKD' },
    ],
    now: () => at.now,
    sessions: at.sessions,
    latest: (symbol) => (symbol === AAPL ? QUOTE : undefined),
  };
}

function pricesAfter(count: number, wanted?: string, at?: At) {
  return botPrices(sourcesAfter(count, at), { symbol: wanted, series: true });
}

describe('the prices of a running bot', () => {
  it('are the newest quote of each symbol with its age, and the bars of the first symbol', async () => {
    const { marks, symbol, bars } = await pricesAfter(2);
    expect(marks).toEqual([
      { symbol: 'AAPL.US', currency: 'USD', price: 190.5, ageMs: 1_500 },
      { symbol: '700.HK', currency: 'HKD', price: null, ageMs: null },
    ]);
    expect(symbol).toBe('AAPL.US');
    expect(bars).toEqual([
      [OPEN, 0, 2, -1, 1, 100],
      [OPEN + MINUTE_MS, 1, 3, 0, 2, 100],
    ]);
  });

  it('have the bars of the requested symbol, and none of one that the bot does not trade', async () => {
    expect(await pricesAfter(2, '700.HK')).toMatchObject({ symbol: '700.HK', bars: [] });
    expect(await pricesAfter(2, 'NONE.US')).toMatchObject({ symbol: null, bars: [] });
  });

  it('include the open of the current bar, in the sessions whose bars are built', async () => {
    const at = async (time: string, sessions: TradingSessions) =>
      (await pricesAfter(2, undefined, { now: millis(Date.parse(time)), sessions })).running;
    expect(await at('2024-03-04T14:32:30Z', 'regular')).toBe(Date.parse('2024-03-04T14:32:00Z'));
    expect(await at('2024-03-04T21:00:30Z', 'regular')).toBeNull();
    expect(await at('2024-03-04T21:00:30Z', 'extended')).toBe(Date.parse('2024-03-04T21:00:00Z'));
    expect((await pricesAfter(2, 'NONE.US')).running).toBeNull();
  });

  it('keep a bounded number of bars, the newest without a gap', async () => {
    for (const count of [299, 300, 301, 5_000]) {
      const times = (await pricesAfter(count)).bars.map(([time]) => (time - OPEN) / MINUTE_MS);
      expect(times.length).toBeGreaterThanOrEqual(150);
      expect(times.length).toBeLessThan(300);
      expect(times).toEqual(times.map((_, index) => count - times.length + index));
    }
  });

  describe('of strategies with series', () => {
    const drive = (reading: SeriesReading | undefined) => ({
      series: (symbol: string) => of(symbol === AAPL ? reading : EMPTY),
    });
    const EMPTY: SeriesReading = { kind: 'series', times: [], series: [] };
    const indicatorsOf = async (strategies: PriceSources['strategies'], wanted?: string) =>
      (await pricesAfter(3, wanted, { now: NOW, sessions: 'regular', strategies })).indicators;

    it('have a value for each bar that the strategy received, under the name of the strategy if there are several', async () => {
      const reading: SeriesReading = {
        kind: 'series',
        times: [OPEN - MINUTE_MS, OPEN, OPEN + MINUTE_MS],
        series: [{ name: 'average', isPrice: true, values: [8, null, 9] }],
      };
      const own = { name: 'average', isPrice: true, values: [null, 9, null] };
      expect(await indicatorsOf([{ name: undefined, signals: drive(reading) }])).toEqual([own]);
      const both = [
        { name: 'one', signals: drive(reading) },
        { name: 'two', signals: drive(EMPTY) },
      ];
      expect(await indicatorsOf(both)).toEqual([{ ...own, name: 'one: average' }]);
      expect(await indicatorsOf(both, '700.HK')).toEqual([]);
    });

    it('place a series of unknown kind by the distance of its values from the closes', async () => {
      const times = [OPEN, OPEN + MINUTE_MS, OPEN + 2 * MINUTE_MS];
      const series = [
        { name: 'near', isPrice: null, values: [1, 2.1, 2.9] },
        { name: 'far', isPrice: null, values: [0.1, -0.2, 0.3] },
      ];
      const read = await indicatorsOf([
        { name: undefined, signals: drive({ kind: 'series', times, series }) },
      ]);
      expect(read?.map(({ isPrice }) => isPrice)).toEqual([true, false]);
    });

    it('are kept for the report of a run, except for symbols without a bar', async () => {
      const reading: SeriesReading = {
        kind: 'series',
        times: [OPEN, OPEN + MINUTE_MS],
        series: [{ name: 'average', isPrice: true, values: [null, 9] }],
      };
      const strategies = [{ name: undefined, signals: drive(reading) }];
      expect(await storedPrices(sourcesAfter(2, { now: NOW, sessions: 'regular', strategies }))).toEqual([
        {
          symbol: 'AAPL.US',
          period: '1m',
          bars: [
            [OPEN, 0, 2, -1, 1, 100],
            [OPEN + MINUTE_MS, 1, 3, 0, 2, 100],
          ],
          indicators: [{ name: 'average', isPrice: true, values: [null, 9] }],
        },
      ]);
    });

    it('are unknown while one of the strategies is working', async () => {
      const strategies = [
        { name: 'one', signals: drive(EMPTY) },
        { name: 'two', signals: drive(undefined) },
      ];
      expect(await indicatorsOf(strategies)).toBeNull();
    });
  });
});
