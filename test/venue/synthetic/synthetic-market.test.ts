import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tradingDaysBetween } from '#src/markets/calendar.ts';
import { dayOf, midnightOf, sessionAt } from '#src/markets/sessions.ts';
import { isOnTick, tickSize } from '#src/markets/ticks.ts';
import { type BarColumns, lowerBound } from '#src/model/bar.ts';
import { Decimal } from '#src/model/decimal.ts';
import type { Period } from '#src/model/period.ts';
import { marketOf } from '#src/model/symbol.ts';
import { addDays, type CalendarDay, DAY_MS, dayToUtc, MINUTE_MS, millis, utcDay } from '#src/model/time.ts';
import { syntheticHistory } from '#src/venue/synthetic/synthetic-history.ts';
import {
  type SyntheticHours,
  type SyntheticMarketRecipe,
  syntheticMarket,
} from '#src/venue/synthetic/synthetic-market.ts';
import { at } from '../rising-minutes.ts';

const START = at('2026-03-07T10:17:30Z');
const RECIPE: SyntheticMarketRecipe = { seed: 11, hours: 'always', start: START, daysAhead: 2 };
const made = syntheticMarket(RECIPE);

function pricesOf({ open, high, low, close }: BarColumns): readonly (readonly number[])[] {
  return Array.from(open, (_, index) =>
    [open, high, low, close].map((column) => column[index] ?? Number.NaN),
  );
}

describe('a synthetic market', () => {
  it('lists well-known securities, under names that state that the prices are invented', () => {
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

  it('trades every minute of every day around the clock, on price steps, low below high, always with volume', () => {
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

  it('is the same from the same recipe, another from another seed, and only longer with more days ahead', () => {
    expect(syntheticMarket(RECIPE)).toEqual(made);
    const longer = syntheticMarket({ ...RECIPE, daysAhead: 4 });
    for (const [place, minutes] of made.minutes.entries()) {
      expect(longer.minutes[place]?.close.slice(0, minutes.length)).toEqual(minutes.close);
    }
    expect(syntheticMarket({ ...RECIPE, seed: 12 }).minutes[0]?.close).not.toEqual(made.minutes[0]?.close);
  });

  it('trades only in regular hours if it keeps the real ones', () => {
    const real = syntheticMarket({ ...RECIPE, hours: 'real' });
    for (const minutes of real.minutes) {
      expect(minutes.length).toBeGreaterThan(0);
      for (const time of minutes.time) {
        expect(sessionAt(marketOf(minutes.symbol), millis(time))?.kind).toBe('regular');
      }
    }
  });
});

describe('prices of a synthetic market', () => {
  it('are the same at an instant whenever the market was created, in the past and ahead', () => {
    const later = syntheticMarket({ ...RECIPE, start: at('2026-03-09T22:00:00Z') });
    for (const [place, minutes] of made.minutes.slice(0, 5).entries()) {
      const other = later.minutes[place] as BarColumns;
      const from = minutes.time.indexOf(other.time[0] as number);
      const shared = minutes.length - from;
      expect(shared).toBeGreaterThan(3_000);
      expect(other.close.slice(0, shared)).toEqual(minutes.close.slice(from));
    }
  });

  it('move by no more than their own volatility, at the seam of half hours and minutes and over every midnight', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.date({ min: new Date('2021-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
        fc.constantFrom<SyntheticHours>('always', 'real'),
        (seed, start, hours) => {
          const market = syntheticMarket({ seed, hours, start: millis(start.getTime()), daysAhead: 1 });
          for (const [place, minutes] of market.minutes.slice(0, 5).entries()) {
            const past = market.past[place] as BarColumns;
            const seam = (minutes.open[0] ?? 0) / (past.close.at(-1) ?? 1) - 1;
            // A minute's step in a market that never closes; otherwise a night or a long weekend.
            expect(Math.abs(seam)).toBeLessThan(hours === 'always' ? 0.004 : 0.08);
            const days = historyOf(market, hours, minutes.symbol, '1d');
            const moves = Array.from(days.close.slice(1), (close, row) => close / (days.close[row] ?? 1) - 1);
            expect(Math.max(...moves.map(Math.abs))).toBeLessThan(0.12);
            const spread = Math.sqrt(moves.reduce((sum, move) => sum + move * move, 0) / moves.length);
            expect(spread).toBeGreaterThan(0.004);
            expect(spread).toBeLessThan(0.03);
          }
        },
      ),
      { numRuns: 6 },
    );
  });
});

function historyOf(
  market: ReturnType<typeof syntheticMarket>,
  hours: SyntheticHours,
  symbol: BarColumns['symbol'],
  period: Period,
): BarColumns {
  const bars = syntheticHistory(market, hours)(symbol, period);
  if (bars === undefined) throw new Error(`no bars of ${period}`);
  return bars;
}

describe.each(['always', 'real'] as const)('the history of a synthetic market, hours %s', (hours) => {
  const market = syntheticMarket({ ...RECIPE, hours });
  const symbols = market.securities.map(({ symbol }) => symbol);

  it.each(['1d', '1w', '1M', '1Q', '1Y'] as const)(
    'has every %s bar once, at a midnight of the exchange',
    (period) => {
      for (const symbol of symbols) {
        const { time } = historyOf(market, hours, symbol, period);
        for (const [row, stamp] of time.entries()) {
          const day = dayOf(marketOf(symbol), millis(stamp));
          expect(midnightOf(marketOf(symbol), day)).toBe(stamp);
          if (row > 0) expect(stamp).toBeGreaterThan(time[row - 1] as number);
        }
        const days = Array.from(time, (stamp) => dayOf(marketOf(symbol), millis(stamp)));
        expect(new Set(days).size).toBe(days.length);
      }
    },
  );

  it('has days without a gap, back for more than 250 trading days', () => {
    for (const symbol of symbols) {
      const exchange = marketOf(symbol);
      const days = Array.from(historyOf(market, hours, symbol, '1d').time, (stamp) =>
        dayOf(exchange, millis(stamp)),
      );
      expect(days.length).toBeGreaterThan(250);
      const [first, last] = [days[0] as CalendarDay, days.at(-1) as CalendarDay];
      const length = (dayToUtc(last) - dayToUtc(first)) / DAY_MS + 1;
      const every = Array.from({ length }, (_, day) => addDays(first, day));
      expect(days).toEqual(hours === 'always' ? every : tradingDaysBetween(exchange, first, last));
    }
  });

  it('combines minutes into longer bars: first open, highest high, lowest low, last close, total volume', () => {
    for (const symbol of symbols) {
      const minutes = historyOf(market, hours, symbol, '1m');
      for (const period of ['5m', '1h', '1d'] as const) {
        const bars = historyOf(market, hours, symbol, period);
        const begin = bars.time.findIndex((time) => time > (minutes.time[0] ?? 0));
        for (let row = begin; row < bars.length - 1; row += 1) {
          const from = lowerBound(minutes, bars.time[row] as number);
          const to = lowerBound(minutes, bars.time[row + 1] as number);
          const part = (column: Float64Array): Float64Array => column.slice(from, to);
          expect([bars.open[row], bars.high[row], bars.low[row], bars.close[row], bars.volume[row]]).toEqual([
            part(minutes.open)[0],
            Math.max(...part(minutes.high)),
            Math.min(...part(minutes.low)),
            part(minutes.close).at(-1),
            part(minutes.volume).reduce((sum, volume) => sum + volume, 0),
          ]);
        }
      }
    }
  });
});
