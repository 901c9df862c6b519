import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkBars, FINDING_KINDS } from '../../src/market-data/check.ts';
import { demoFiles } from '../../src/market-data/generate-demo.ts';
import { openBarStore } from '../../src/market-data/store.ts';
import { tradingDaysBetween } from '../../src/markets/calendar.ts';
import { dayOf } from '../../src/markets/sessions.ts';
import { calendarDay, type Millis } from '../../src/model/time.ts';

const SHIPPED = new URL('../../backtest-data', import.meta.url).pathname;
const REAL_PRICES = new URL('../oracles/data/prices', import.meta.url).pathname;
const store = openBarStore({ dir: SHIPPED });
const nothing = Object.fromEntries(FINDING_KINDS.map((kind) => [kind, 0]));

describe('the shipped data', () => {
  it('has seventeen symbols, each with bars, valid facts and a text on its origin', () => {
    const listed = store.list();
    expect(listed.flatMap(({ symbol, problem }) => (problem === undefined ? [] : [symbol, problem]))).toEqual(
      [],
    );
    expect(listed.map(({ symbol }) => symbol)).toEqual(
      expect.arrayContaining(['DEMO.HK', 'SPX.US', 'ALPHA.US', 'STOCKS.US', 'POWER.US']),
    );
    expect(listed).toHaveLength(17);
    for (const { symbol, security } of listed) {
      expect(security?.symbol).toBe(symbol);
      expect(existsSync(join(SHIPPED, symbol, 'README.md'))).toBe(true);
    }
  });

  it.each([
    ['DEMO.HK', '1m'],
    ['SPX.US', '1d'],
    ['ALPHA.US', '1d'],
    ['GOLD.US', '1d'],
    ['CHIPS.US', '1d'],
  ] as const)('has no finding of the checker in %s %s', (symbol, period) => {
    const check = checkBars(store.bars(symbol, period), store.security(symbol));
    expect({ findings: check.findings, counts: check.counts }).toEqual({ findings: [], counts: nothing });
  });
});

describe('DEMO.HK', () => {
  it('is what the generator produces, byte for byte', () => {
    const made = demoFiles();
    expect(readFileSync(join(SHIPPED, 'DEMO.HK', '1m.csv'), 'utf8') === made.bars).toBe(true);
    expect(readFileSync(join(SHIPPED, 'DEMO.HK', 'security.json'), 'utf8')).toBe(made.security);
  });

  it('is marked in its name and its facts as generated', () => {
    const { names, origin } = store.security('DEMO.HK');
    expect(names.en).toContain('Generated');
    expect(origin).toMatchObject({ kind: 'generated', seed: 20250901 });
  });

  it('covers 20 trading days, with some silent minutes and prices from 60 to 70', () => {
    const bars = store.bars('DEMO.HK', '1m');
    const days = new Set(Array.from(bars.time, (time) => dayOf('HK', time as Millis)));
    expect([...days]).toEqual(tradingDaysBetween('HK', calendarDay('2025-09-01'), calendarDay('2025-09-26')));
    expect(days.size).toBe(20);
    expect(bars.length).toBeLessThan(20 * 330);
    expect(bars.length).toBeGreaterThan(20 * 330 * 0.95);
    expect(Math.min(...bars.low)).toBeGreaterThan(60);
    expect(Math.max(...bars.high)).toBeLessThan(70);
  });

  it('is busier near open and close than at noon, and moves in clusters', () => {
    const bars = store.bars('DEMO.HK', '30m');
    const volumes = new Map<number, number>();
    for (const [row, time] of bars.time.entries()) {
      const slot = (time % 86_400_000) / 60_000;
      volumes.set(slot, (volumes.get(slot) ?? 0) + (bars.volume[row] ?? 0));
    }
    const [first = 0, noon = 0, last = 0] = [90, 210, 450].map((slot) => volumes.get(slot));
    expect(Math.min(first, last)).toBeGreaterThan(1.5 * noon);
    const minutes = store.bars('DEMO.HK', '1m');
    const moves = Array.from(minutes.close, (close, row) => Math.abs(close - (minutes.open[row] ?? 0)));
    expect(correlation(moves.slice(0, -1), moves.slice(1))).toBeGreaterThan(0.05);
  });

  it('gives a moving-average cross something to trade every day', () => {
    const { close } = store.bars('DEMO.HK', '1m');
    const average = (row: number, length: number): number =>
      close.subarray(row - length + 1, row + 1).reduce((sum, price) => sum + price, 0) / length;
    let crosses = 0;
    for (let row = 30; row < close.length; row++) {
      if (average(row, 10) > average(row, 30) !== average(row - 1, 10) > average(row - 1, 30)) crosses++;
    }
    expect(crosses).toBeGreaterThan(40);
  });
});

describe('SPX.US', () => {
  it('has the figures from which it was made', () => {
    const bytes = readFileSync(join(SHIPPED, 'SPX.US', '1d.csv'));
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(readFileSync(join(SHIPPED, 'SPX.US', 'README.md'), 'utf8')).toContain(digest);
    const bars = store.bars('SPX.US', '1d');
    expect([bars.length, bars.open[0], bars.close.at(-1)]).toEqual([5105, 1469.25, 2874.560059]);
  });

  it('is marked in its name as an index made tradable', () => {
    const security = store.security('SPX.US');
    expect(security).toMatchObject({ kind: 'index', tradable: true, lotSize: 1, currency: 'USD' });
    expect(security.names.en).toContain('index made tradable');
  });

  it('agrees with an independent conversion, bar by bar', () => {
    expect(store.bars('SPX.US', '1d')).toEqual(openBarStore({ dir: REAL_PRICES }).bars('SPX.US', '1d'));
  });
});

function correlation(one: readonly number[], other: readonly number[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [a, b] = [mean(one), mean(other)];
  const covariance = mean(one.map((value, at) => (value - a) * ((other[at] ?? 0) - b)));
  const spread = (values: readonly number[], middle: number): number =>
    Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
  return covariance / (spread(one, a) * spread(other, b));
}
