import { describe, expect, it } from 'vitest';
import { botPrices } from '#src/app/control/bot-prices.ts';
import { createSymbolCloses } from '#src/engine/symbol-closes.ts';
import type { Bar } from '#src/model/bar.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Quote } from '#src/model/quote.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { MINUTE_MS, type Millis, millis } from '#src/model/time.ts';
import type { TradingSessions } from '#src/model/trading-sessions.ts';

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

function pricesAfter(
  count: number,
  wanted?: string,
  at: { now: Millis; sessions: TradingSessions } = { now: NOW, sessions: 'regular' },
) {
  const closes = createSymbolCloses({ changes: [], now: () => NOW });
  for (let index = 0; index < count; index += 1) closes.add(barOf(index));
  return botPrices(
    {
      engine: { recentBars: (symbol) => (symbol === AAPL ? closes.recent() : []) },
      period: '1m',
      securities: [
        { symbol: AAPL, currency: 'USD' },
        { symbol: TENCENT, currency: 'HKD' },
      ],
      now: () => at.now,
      sessions: at.sessions,
      latest: (symbol) => (symbol === AAPL ? QUOTE : undefined),
    },
    wanted,
  );
}

describe('the prices of a running bot', () => {
  it('are the newest quote of each symbol with its age, and the bars of the first symbol', () => {
    const { marks, symbol, bars } = pricesAfter(2);
    expect(marks).toEqual([
      { symbol: 'AAPL.US', currency: 'USD', price: 190.5, ageMs: 1_500 },
      { symbol: '700.HK', currency: 'HKD', price: null, ageMs: null },
    ]);
    expect(symbol).toBe('AAPL.US');
    expect(bars).toEqual([
      [OPEN, 0, 2, -1, 1],
      [OPEN + MINUTE_MS, 1, 3, 0, 2],
    ]);
  });

  it('have the bars of the requested symbol, and none of one that the bot does not trade', () => {
    expect(pricesAfter(2, '700.HK')).toMatchObject({ symbol: '700.HK', bars: [] });
    expect(pricesAfter(2, 'NONE.US')).toMatchObject({ symbol: null, bars: [] });
  });

  it('name the open of the bar that runs, in the sessions whose bars are built', () => {
    const at = (time: string, sessions: TradingSessions) =>
      pricesAfter(2, undefined, { now: millis(Date.parse(time)), sessions }).running;
    expect(at('2024-03-04T14:32:30Z', 'regular')).toBe(Date.parse('2024-03-04T14:32:00Z'));
    expect(at('2024-03-04T21:00:30Z', 'regular')).toBeNull();
    expect(at('2024-03-04T21:00:30Z', 'extended')).toBe(Date.parse('2024-03-04T21:00:00Z'));
    expect(pricesAfter(2, 'NONE.US').running).toBeNull();
  });

  it('keep a bounded number of bars, the newest without a gap', () => {
    for (const count of [299, 300, 301, 5_000]) {
      const times = pricesAfter(count).bars.map(([time]) => (time - OPEN) / MINUTE_MS);
      expect(times.length).toBeGreaterThanOrEqual(150);
      expect(times.length).toBeLessThan(300);
      expect(times).toEqual(times.map((_, index) => count - times.length + index));
    }
  });
});
