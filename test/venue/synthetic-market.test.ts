import { describe, expect, it } from 'vitest';
import { sessionAt } from '#src/markets/sessions.ts';
import { isOnTick, tickSize } from '#src/markets/ticks.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { Decimal } from '#src/model/decimal.ts';
import type { Period } from '#src/model/period.ts';
import { marketOf } from '#src/model/symbol.ts';
import { DAY_MS, MINUTE_MS, millis, utcDay } from '#src/model/time.ts';
import { syntheticHistory } from '#src/venue/synthetic-history.ts';
import { type SyntheticMarketRecipe, syntheticMarket } from '#src/venue/synthetic-market.ts';
import { at } from './rising-minutes.ts';

const START = at('2026-03-07T10:17:30Z');
const RECIPE: SyntheticMarketRecipe = { seed: 11, hours: 'always', start: START, daysAhead: 2 };
const made = syntheticMarket(RECIPE);

function pricesOf({ open, high, low, close }: BarColumns): readonly (readonly number[])[] {
  return Array.from(open, (_, index) =>
    [open, high, low, close].map((column) => column[index] ?? Number.NaN),
  );
}

describe('a synthetic market', () => {
  it('lists the securities that people know, under names that say that the prices are invented', () => {
    expect(made.securities.map(({ symbol }) => symbol)).toEqual([
      '700.HK',
      '9988.HK',
      'AAPL.US',
      'TSLA.US',
      'SPY.US',
      'AAPL260515C190000.US',
      'AAPL260515C200000.US',
      'AAPL260515P190000.US',
      'AAPL260515P180000.US',
    ]);
    for (const { names, origin } of made.securities) {
      expect(origin.kind).toBe('generated');
      expect(names.en).toContain('(invented prices)');
      expect(names.zhCn).toContain('虚构价格');
      expect(names.zhHk).toContain('虛構價格');
    }
  });

  it('prints every minute of every day around the clock, on ticks, low below high, always some volume', () => {
    for (const [place, minutes] of made.minutes.entries()) {
      const security = made.securities[place];
      if (security === undefined) throw new Error('no security');
      expect(minutes.length).toBe((7 * DAY_MS) / MINUTE_MS);
      const facts = { market: marketOf(security.symbol), kind: security.kind };
      for (const [index, prices] of pricesOf(minutes).entries()) {
        expect(minutes.time[index]).toBe((minutes.time[0] ?? 0) + index * MINUTE_MS);
        expect(minutes.volume[index]).toBeGreaterThan(0);
        const [open = 0, high = 0, low = 0, close = 0] = prices;
        expect(low <= Math.min(open, close) && high >= Math.max(open, close)).toBe(true);
        if (index % 97 > 0) continue;
        const price = new Decimal(close);
        expect(isOnTick(price, tickSize(facts, price, utcDay(START)))).toBe(true);
      }
    }
  });

  it('is the same again from the same recipe, another from another seed, and only longer with more days ahead', () => {
    expect(syntheticMarket(RECIPE)).toEqual(made);
    const longer = syntheticMarket({ ...RECIPE, daysAhead: 4 });
    for (const [place, minutes] of made.minutes.entries()) {
      expect(longer.minutes[place]?.close.slice(0, minutes.length)).toEqual(minutes.close);
    }
    expect(syntheticMarket({ ...RECIPE, seed: 12 }).minutes[0]?.close).not.toEqual(made.minutes[0]?.close);
  });

  it('prints only in regular hours when it keeps the real ones', () => {
    const real = syntheticMarket({ ...RECIPE, hours: 'real' });
    for (const minutes of real.minutes) {
      expect(minutes.length).toBeGreaterThan(0);
      for (const time of minutes.time) {
        expect(sessionAt(marketOf(minutes.symbol), millis(time))?.kind).toBe('regular');
      }
    }
  });
});

describe('the history of a synthetic market', () => {
  const symbol = made.securities[0]?.symbol;
  if (symbol === undefined) throw new Error('no security');
  const ofPeriod = (period: Period, now = START): BarColumns => {
    const bars = syntheticHistory(made, 'always', () => now)(symbol, period);
    if (bars === undefined) throw new Error(`no bars of ${period}`);
    return bars;
  };

  it('shows no bar of any period before it has ended', () => {
    const lengths: readonly (readonly [Period, number])[] = [
      ['1m', MINUTE_MS],
      ['5m', 5 * MINUTE_MS],
      ['1h', 60 * MINUTE_MS],
      ['4h', 240 * MINUTE_MS],
      ['1d', DAY_MS],
      ['1w', 7 * DAY_MS],
    ];
    for (const [period, length] of lengths) {
      const { time } = ofPeriod(period);
      expect((time.at(-1) ?? 0) + length).toBeLessThanOrEqual(START);
      expect((time.at(-1) ?? 0) + 2 * length).toBeGreaterThan(START);
    }
  });

  it('puts longer bars together from minutes: first open, highest high, lowest low, last close, all volume', () => {
    const hours = ofPeriod('1h');
    const minutes = ofPeriod('1m');
    const last = hours.length - 1;
    const from = minutes.time.indexOf(hours.time[last] ?? 0);
    const part = (column: Float64Array): readonly number[] => [...column.slice(from, from + 60)];
    expect(hours.open[last]).toBe(part(minutes.open)[0]);
    expect(hours.high[last]).toBe(Math.max(...part(minutes.high)));
    expect(hours.low[last]).toBe(Math.min(...part(minutes.low)));
    expect(hours.close[last]).toBe(part(minutes.close).at(-1));
    expect(hours.volume[last]).toBe(part(minutes.volume).reduce((sum, volume) => sum + volume, 0));
  });

  it('goes back 250 days, at midnights of the exchange', () => {
    const days = ofPeriod('1d');
    expect(days.length).toBeGreaterThanOrEqual(254);
    for (const time of days.time) expect(new Date(time).toISOString()).toContain('T16:00:00.000Z');
    for (const period of ['1M', '1Q', '1Y'] as const) expect(ofPeriod(period).length).toBeGreaterThan(0);
  });
});
