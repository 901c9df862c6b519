import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CurveFold, curveFigures } from '../../src/events/curve/curve-figures.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { type Market, securitySymbol } from '../../src/model/symbol.ts';
import { calendarDay, DAY_MS, dayToUtc, millis } from '../../src/model/time.ts';
import { LEAST_RETURNS, returnFigures } from '../../src/reports/daily-returns.ts';
import { monthlyReturns } from '../../src/reports/monthly.ts';
import { performanceOf } from '../../src/reports/performance.ts';
import { at } from '../fixtures/market.ts';
import { aFill, aRun, START } from './a-run.ts';

const day = (text: string) => dayToUtc(calendarDay(text));
const line = (values: readonly number[]) => ({
  time: values.map((_, index) => START + (index + 1) * DAY_MS),
  value: values,
});

describe('performanceOf', () => {
  it('compares the last equity with the first', () => {
    const figures = performanceOf(aRun([101_000, 99_000, 110_000]));
    expect(figures.totalReturn).toEqual({ kind: 'value', value: expect.closeTo(0.1, 12) });
    expect(figures.finalEquity).toBe(110_000);
    expect(figures.exposure).toEqual({ kind: 'value', value: 0.25 });
  });

  it('converts growth to a year of 365.25 days, but not that of a short run', () => {
    const to = millis(START + 2 * 365.25 * DAY_MS);
    expect(performanceOf(aRun([121_000], { to })).cagr).toEqual({
      kind: 'value',
      value: expect.closeTo(0.1, 12),
    });
    const dayShort = millis(START + 90 * DAY_MS - 1);
    expect(performanceOf(aRun([121_000], { to: dayShort })).cagr).toMatchObject({ kind: 'undefined' });
    expect(performanceOf(aRun([121_000], { to: millis(dayShort + 1) })).cagr).toMatchObject({
      kind: 'value',
    });
  });

  it('counts an option contract as a hundred shares in the turnover', () => {
    const call = { symbol: securitySymbol('AAPL270115C200000.US') };
    const { money } = performanceOf(aRun([100_000], { fills: [aFill('buy', 2, '1.50', call)] }));
    expect(money).toMatchObject([{ turnover: new Decimal(300) }]);
  });

  it('counts trades, wins, fees and turnover by currency', () => {
    const hk = { symbol: securitySymbol('700.HK'), currency: 'HKD' };
    const figures = performanceOf(
      aRun([100_000], {
        fills: [
          aFill('buy', 10, '100'),
          aFill('sell', 10, '112'),
          aFill('buy', 10, '100'),
          aFill('sell', 10, '96'),
          aFill('buy', 100, '400', hk),
        ],
      }),
    );
    expect(figures.trades.closed).toHaveLength(2);
    expect(figures.wins).toBe(1);
    expect(figures.winShare).toEqual({ kind: 'value', value: 0.5 });
    expect(figures.money).toMatchObject([
      { currency: 'HKD', fees: new Decimal(1), turnover: new Decimal(40_000), averageProfit: undefined },
      {
        currency: 'USD',
        fees: new Decimal(4),
        turnover: new Decimal(4_080),
        profit: new Decimal(76),
        averageProfit: new Decimal(38),
        profitFactor: { kind: 'value', value: expect.closeTo(118 / 42, 12) },
      },
    ]);
  });

  it('has reasons instead of figures for a run without activity', () => {
    const figures = performanceOf(aRun([]));
    expect(figures.totalReturn).toEqual({ kind: 'value', value: 0 });
    expect(figures.maxDrawdown).toMatchObject({ share: 0, durationMs: 0 });
    expect(figures.exposure).toEqual({ kind: 'undefined', reason: 'no closes' });
    expect(figures.winShare).toEqual({ kind: 'undefined', reason: 'no closed trades' });
    expect(figures.money).toEqual([]);
    expect(performanceOf(aRun([], { initialEquity: 0 })).totalReturn).toMatchObject({ kind: 'undefined' });
  });
});

describe('returnFigures', () => {
  it('annualises mean and deviation of daily returns by 252', () => {
    const values = Array.from(
      { length: LEAST_RETURNS },
      (_, index) => 100 * 1.01 ** Math.ceil((index + 1) / 2),
    );
    const returns = values.map((_, index): number => (index % 2 === 0 ? 0.01 : 0));
    const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length;
    const variance = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (returns.length - 1);
    const figures = returnFigures(100, line(values));
    expect(figures.volatility).toEqual({
      kind: 'value',
      value: expect.closeTo(Math.sqrt(variance * 252), 10),
    });
    expect(figures.sharpe).toEqual({
      kind: 'value',
      value: expect.closeTo((mean / Math.sqrt(variance)) * Math.sqrt(252), 8),
    });
    expect(figures.sortino).toEqual({ kind: 'undefined', reason: 'no day lost' });
  });

  it('counts only days with a loss in the Sortino ratio', () => {
    const returns = Array.from({ length: 40 }, (_, index) => (index % 4 === 3 ? -0.01 : 0.005));
    const values = returns.map((_, index) =>
      returns.slice(0, index + 1).reduce((value, change) => value * (1 + change), 100),
    );
    // The mean is 0.00125, the root of the mean square of losses sqrt(10 x 0.0001 / 40) = 0.005.
    expect(returnFigures(100, line(values)).sortino).toEqual({
      kind: 'value',
      value: expect.closeTo(0.25 * Math.sqrt(252), 8),
    });
  });

  it('has no value with one sample less', () => {
    const figures = returnFigures(
      100,
      line(Array.from({ length: LEAST_RETURNS - 1 }, (_, index) => 101 + index)),
    );
    expect(figures.sharpe).toEqual({ kind: 'undefined', reason: 'too few samples (29 of 30 days)' });
    expect(figures.volatility.kind).toBe('undefined');
  });

  it('has no value on weekly closes, on lost equity, and on constant equity', () => {
    const flat = line(Array.from({ length: 40 }, () => 100));
    expect(returnFigures(100, flat).sharpe).toEqual({ kind: 'undefined', reason: 'equity did not move' });
    const weekly = { ...flat, time: flat.time.map((_, index) => START + index * 7 * DAY_MS) };
    expect(returnFigures(100, weekly).sharpe).toEqual({ kind: 'undefined', reason: 'closes are not daily' });
    const lost = { ...flat, value: flat.value.map((value, index) => (index === 20 ? 0 : value)) };
    expect(returnFigures(100, lost).sharpe).toEqual({ kind: 'undefined', reason: 'equity fell to 0' });
  });
});

describe('daily equity', () => {
  const dailyOf = (times: readonly number[], markets: readonly Market[]) =>
    curveFigures(
      START,
      1,
      {
        time: Float64Array.from(times),
        value: Float64Array.from(times, (_, index) => index + 1),
        exposure: new Float64Array(times.length),
      },
      markets,
    ).daily;

  it('keeps the last close of each UTC day without a market', () => {
    const hours = [10, 11, 24, 34, 35, 80].map((hour) => START + hour * 3_600_000);
    const { day, value, time } = dailyOf(hours, []);
    expect(value).toEqual([3, 5, 6]);
    expect(time).toEqual([hours[2], hours[4], hours[5]]);
    expect(day).toEqual(['2024-01-01', '2024-01-02', '2024-01-04']);
  });

  it('keeps the last close of each trading day: an evening in New York does not belong to the next UTC day', () => {
    const closes = [
      ...['2024-01-31T16:00:00-05:00', '2024-01-31T20:00:00-05:00'],
      // Thursday with the night before it, Friday until its post-market ends on Saturday in UTC.
      ...['2024-01-31T20:05:00-05:00', '2024-02-01T03:00:00-05:00', '2024-02-01T19:30:00-05:00'],
      ...['2024-02-02T16:00:00-05:00', '2024-02-02T20:00:00-05:00'],
      // The night before Monday.
      ...['2024-02-04T20:05:00-05:00', '2024-02-05T16:00:00-05:00'],
    ];
    const { day, value, time } = dailyOf(closes.map(at), ['US']);
    expect(day).toEqual(['2024-01-31', '2024-02-01', '2024-02-02', '2024-02-05']);
    expect(value).toEqual([2, 5, 7, 9]);
    expect(new Date(time[0] ?? 0).toISOString()).toBe('2024-02-01T01:00:00.000Z');
    expect(monthlyReturns(1, { day, value })).toEqual([
      expect.objectContaining({ year: 2024, months: expect.arrayContaining([1, 3.5]) }),
    ]);
  });

  it('has one close per day of two markets that follow each other', () => {
    const closes = ['2024-02-01T16:00:00+08:00', '2024-02-01T20:00:00-05:00', '2024-02-02T12:00:00+08:00'];
    const { day, value } = dailyOf(closes.map(at), ['HK', 'US']);
    expect(day).toEqual(['2024-02-01', '2024-02-02']);
    expect(value).toEqual([2, 3]);
  });
});

describe('the deepest drawdown', () => {
  const of = (initial: number, values: readonly number[]) => {
    const { time, value } = line(values);
    const curve = {
      time: Float64Array.from(time),
      value: Float64Array.from(value),
      exposure: new Float64Array(value.length),
    };
    return curveFigures(START, initial, curve, []).drawdown;
  };

  it('goes from the peak to the trough, and lasts until equity is back', () => {
    expect(of(100, [110, 99, 105, 88, 109, 110, 120, 100])).toEqual({
      share: expect.closeTo(0.2, 12),
      peakAt: day('2024-01-02'),
      troughAt: day('2024-01-05'),
      recoveredAt: day('2024-01-07'),
      durationMs: 5 * DAY_MS,
    });
  });

  it('counts the first equity as a peak, and lasts to the end if there is no recovery', () => {
    expect(of(100, [90, 95])).toMatchObject({
      share: expect.closeTo(0.1, 12),
      peakAt: START,
      recoveredAt: undefined,
      durationMs: 2 * DAY_MS,
    });
  });

  it('is 0 only if equity never falls, and equals the result of trying every pair', () => {
    const values = fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(values, (closes) => {
        const all = [500, ...closes];
        const falls = all.flatMap((peak, from) => all.slice(from).map((trough) => 1 - trough / peak));
        expect(of(500, closes).share).toBeCloseTo(Math.max(0, ...falls), 12);
      }),
    );
  });
});

describe('figures of a curve that comes in pieces', () => {
  it('are those of the whole, to the last bit, at any cut', () => {
    const closes = fc.array(
      fc.record({
        hours: fc.integer({ min: 1, max: 30 }),
        value: fc.double({ min: 1, max: 1_000, noNaN: true }),
        exposure: fc.double({ min: 0, max: 2, noNaN: true }),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(closes, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (rows, sizes) => {
        let at: number = START;
        const curve = {
          time: Float64Array.from(rows, ({ hours }) => {
            at += hours * 3_600_000;
            return at;
          }),
          value: Float64Array.from(rows, ({ value }) => value),
          exposure: Float64Array.from(rows, ({ exposure }) => exposure),
        };
        const fold = new CurveFold(START, 500, ['US']);
        for (let row = 0, piece = 0; row < rows.length; piece += 1) {
          const size = Math.min(sizes[piece % sizes.length] ?? 1, rows.length - row);
          fold.add(curve.time.subarray(row), curve.value.subarray(row), curve.exposure.subarray(row), size);
          row += size;
        }
        expect(fold.figures()).toEqual(curveFigures(START, 500, curve, ['US']));
      }),
    );
  });
});
