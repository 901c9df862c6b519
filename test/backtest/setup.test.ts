import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutColumns, endOf, openingEquity, startOf } from '#src/backtest/setup.ts';
import { barClose } from '#src/markets/bar-span.ts';
import { decimal } from '#src/model/decimal.ts';
import { marketOf, type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import { AAPL, at, columnsOf, TENCENT } from '../fixtures/market.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const days = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-06') };
const stamps = stampsOf(AAPL, '1h', days);
const hours = columnsOf(
  AAPL,
  '1h',
  stamps.map((stamp, index) => [stamp, index, index + 1, index, index, 100]),
);

describe('the beginning of a run', () => {
  const begins = (symbols: readonly SecuritySymbol[], day: string) =>
    new Date(startOf(symbols, calendarDay(day))).toISOString();

  it('is midnight of the exchange', () => {
    expect(begins([TENCENT], '2024-03-06')).toBe('2024-03-05T16:00:00.000Z');
    expect(begins([AAPL], '2024-03-06')).toBe('2024-03-06T05:00:00.000Z');
  });

  it('of two exchanges is after the last session of the previous day on both, and before the first of the day', () => {
    expect(begins([AAPL, TENCENT], '2024-03-06')).toBe('2024-03-06T01:00:00.000Z');
    expect(begins([TENCENT, AAPL], '2024-07-03')).toBe('2024-07-03T00:00:00.000Z');
    // Monday: nothing traded on Sunday. 1 July is a holiday in Hong Kong.
    expect(begins([AAPL, TENCENT], '2024-03-04')).toBe('2024-03-03T16:00:00.000Z');
    expect(begins([AAPL, TENCENT], '2024-07-01')).toBe('2024-06-30T16:00:00.000Z');
    expect(begins([AAPL, securitySymbol('BTC.XX')], '2024-03-06')).toBe('2024-03-06T00:00:00.000Z');
  });
});

describe('cutting bars for a run', () => {
  const start = at('2024-03-05T00:00:00-05:00');

  it('keeps warm-up bars before the start, and everything after it', () => {
    const cut = cutColumns(hours, start, 3);
    expect(cut.firstBar).toBe(3);
    expect([...cut.columns.open]).toEqual([4, 5, 6, ...Array.from({ length: 14 }, (_, index) => 7 + index)]);
  });

  it('warms up with the available bars if there are too few', () => {
    expect(cutColumns(hours, start, 50)).toMatchObject({ firstBar: 7, columns: { length: 21 } });
    expect(cutColumns(hours, millis(0), 50)).toMatchObject({ firstBar: 0, columns: { length: 21 } });
    expect(cutColumns(hours, start, 0)).toMatchObject({ firstBar: 0, columns: { length: 14 } });
  });

  it('leaves out the bar that is open at the start, as its beginning was not observed', () => {
    const within = at('2024-03-04T11:00:00-05:00');
    const cut = cutColumns(hours, within, 5);
    expect(cut.firstBar).toBe(1);
    expect([...cut.columns.close].slice(0, 3)).toEqual([0, 2, 3]);
    expect(cut.columns.length).toBe(20);
    expect(cutColumns(hours, within, 0)).toMatchObject({ firstBar: 0, columns: { length: 19 } });
  });

  it('returns bars that closed by the start and bars that open from it on, and no others', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at('2024-03-03T00:00:00Z'), max: at('2024-03-08T00:00:00Z') }),
        fc.nat(10),
        (moment, warmup) => {
          const { columns, firstBar } = cutColumns(hours, millis(moment), warmup);
          const closed = stamps.filter((stamp) => barClose(marketOf(AAPL), '1h', stamp) <= moment);
          const later = stamps.filter((stamp) => stamp >= moment);
          const warm = warmup === 0 ? [] : closed.slice(-warmup);
          expect([...columns.time]).toEqual([...warm, ...later]);
          expect(firstBar).toBe(warm.length);
          expect(columns.volume).toHaveLength(columns.length);
        },
      ),
    );
  });
});

describe('the time of a run', () => {
  it('begins at the earliest midnight of its exchanges', () => {
    expect(startOf([AAPL], days.from)).toBe(at('2024-03-04T00:00:00-05:00'));
    expect(startOf([AAPL, TENCENT], days.from)).toBe(at('2024-03-04T00:00:00+08:00'));
  });

  it('ends at the midnight after the last day of each exchange', () => {
    expect(endOf(TENCENT, days.to)).toBe(at('2024-03-07T00:00:00+08:00'));
  });
});

describe('equity at the start', () => {
  it('is all cash, converted', () => {
    const cash = { USD: decimal('100'), HKD: decimal('780') };
    expect(openingEquity({ cash, currency: 'USD', fx: { USDHKD: decimal('7.8') } })).toBeCloseTo(200, 10);
    expect(openingEquity({ cash, currency: 'USD', fx: {} })).toBeNaN();
  });
});
