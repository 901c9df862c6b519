import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { feedOf } from '#src/backtest/setup.ts';
import { resample } from '#src/market-data/resample.ts';
import { barClose } from '#src/markets/bar-span.ts';
import { type BarColumns, barAt } from '#src/model/bar.ts';
import { barsBetween } from '#src/model/bar-columns.ts';
import type { Period } from '#src/model/period.ts';
import { marketOf, securitySymbol } from '#src/model/symbol.ts';
import { addDays, calendarDay, HOUR_MS, MINUTE_MS, millis } from '#src/model/time.ts';
import { bars, barsOf } from '#src/signals/bars.ts';
import { ColumnCache } from '#src/signals/column-cache.ts';
import { when } from '#src/signals/combine.ts';
import { crossover, every } from '#src/signals/cross.ts';
import { above, sub } from '#src/signals/indicators/arithmetic.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { atr } from '#src/signals/indicators/range.ts';
import { vwap } from '#src/signals/indicators/volume.ts';
import { barsPerLonger } from '#src/signals/longer-bars.ts';
import { compileSignals } from '#src/signals/program.ts';
import { AAPL, at, columnsOf, TENCENT } from '../fixtures/market.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';

const HONG_KONG = { period: '5m', dayPieces: [2.5 * HOUR_MS, 3 * HOUR_MS] } as const;
const days = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };
const fiveMinutes = someBarsOver(TENCENT, '5m', stampsOf(TENCENT, '5m', days));

/** The same indicators on longer bars. */
function program(longer: Period) {
  const feed = barsOf(HONG_KONG);
  const slow = feed.every(longer, (hour) => sma(hour.close, 2));
  return compileSignals({
    plain: feed.every(longer, (hour) => hour.close),
    range: feed.every(longer, (hour) => ({ high: hour.high, low: hour.low, volume: hour.volume })),
    reach: feed.every(longer, (hour) => atr(hour, 2)),
    fair: feed.every(longer, (hour) => vwap(hour)),
    cross: crossover(feed.close, slow),
  });
}

/** Values of the last longer bar that was complete when the bar closed; NaN before the first. */
function lastComplete(data: BarColumns, longer: Period, index: number): number {
  const whole = resample(data, longer);
  const market = marketOf(data.symbol);
  const now = barClose(market, data.period, millis(data.time[index] as number));
  let last = Number.NaN;
  for (let row = 0; row < whole.length; row++) {
    if (barClose(market, longer, millis(whole.time[row] as number)) <= now) last = whole.close[row] as number;
  }
  return last;
}

describe('longer bars from one feed', () => {
  it.each(['15m', '1h', '1d'] as const)(
    'of %s are the same bit for bit bar by bar and by columns',
    (longer) => {
      fc.assert(
        fc.property(fiveMinutes, (data) => {
          const compiled = program(longer);
          const columns = compiled.overColumns(data, { warmupEnd: 0 });
          const stepper = compiled.stepper({ warmupEnd: 0 });
          const said: unknown[] = [];
          for (let index = 0; index < data.length; index++) {
            for (const raw of stepper.push(barAt(data, index))) said.push({ index, ...raw });
            for (const name of compiled.names)
              expect([name, index, stepper.value(name)]).toEqual([name, index, columns.value(name, index)]);
          }
          expect([...columns]).toEqual(said);
        }),
        { numRuns: 15 },
      );
    },
  );

  it.each(['15m', '1h', '1d'] as const)('of %s show the newest complete one, and no other', (longer) => {
    fc.assert(
      fc.property(fiveMinutes, (data) => {
        const compiled = program(longer);
        const plain = compiled.overColumns(data, { warmupEnd: 0 }).column('plain');
        const first = plain.findIndex(Number.isFinite);
        for (let index = Math.max(0, first); first >= 0 && index < data.length; index += 7) {
          expect([index, plain[index]]).toEqual([index, lastComplete(data, longer, index)]);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('do not depend on the future: later bars that are cut off or changed change nothing', () => {
    fc.assert(
      fc.property(fiveMinutes, fc.nat(250), (data, at) => {
        const cut = Math.min(at + 1, data.length);
        const rigged = { ...data, close: data.close.map((value, i) => (i < cut ? value : value + 1)) };
        rigged.high = data.high.map((value, i) => (i < cut ? value : value + 1));
        for (const name of ['plain', 'reach', 'fair', 'cross']) {
          const [whole, part, other] = [data, barsBetween(data, 0, cut), rigged].map((each) =>
            program('1h').overColumns(each, { warmupEnd: 0 }).column(name).subarray(0, cut),
          );
          expect(part).toEqual(whole);
          expect(other).toEqual(whole);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('have a value from the declared bar on, whatever bars are missing', () => {
    fc.assert(
      fc.property(fiveMinutes, (data) => {
        const compiled = program('1h');
        const columns = compiled.overColumns(data, { warmupEnd: 0 });
        for (const name of compiled.series) {
          const tailOf = columns.column(name).subarray(compiled.defined);
          expect([name, tailOf.every(Number.isFinite)]).toEqual([name, true]);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('are counted at their maximum: an hour of minutes, a day of two sessions, a month of days', () => {
    expect(barsPerLonger({ period: '1m', dayPieces: [] }, '1h')).toBe(60);
    expect(barsPerLonger({ period: '1h', dayPieces: [2.5 * HOUR_MS, 3 * HOUR_MS] }, '1d')).toBe(6);
    expect(barsPerLonger({ period: '1d', dayPieces: [6.5 * HOUR_MS] }, '1M')).toBe(23);
    expect(barsPerLonger({ period: '1d', dayPieces: [24 * HOUR_MS] }, '1w')).toBe(7);
    expect(barsPerLonger({ period: '1M', dayPieces: [] }, '1Y')).toBe(12);
  });

  it.each([
    ['1h', '1h'],
    ['1h', '45m'],
    ['1d', '1h'],
    ['1d', '1d'],
    ['1w', '1M'],
    ['2h', '3h'],
  ] as const)('of %s bars are never %s', (period, longer) => {
    const feed = barsOf({ period, dayPieces: [6.5 * HOUR_MS] });
    expect(() => feed.every(longer, ({ close }) => close)).toThrow(
      new RegExp(`Cannot make ${longer} bars of ${period} bars, want one of`),
    );
  });

  it('need to know their source bars', () => {
    expect(() => bars.every('1h', ({ close }) => close)).toThrow(
      /the period of the bars at hand is not known/,
    );
  });

  it('leave out bars of extended hours', () => {
    const early = [7, 8].map((hour) => millis(Date.parse(`2024-03-05T0${hour}:00:00-05:00`)));
    const stamps = [
      ...early,
      ...stampsOf(AAPL, '1h', { from: calendarDay('2024-03-05'), to: calendarDay('2024-03-06') }),
    ];
    const close = Float64Array.from(stamps, (_, index) => index + 1);
    const data = {
      ...({ symbol: securitySymbol('AAPL.US'), period: '1h', length: stamps.length } as const),
      ...{ time: Float64Array.from(stamps), open: close, high: close, low: close, close, volume: close },
    };
    const feed = barsOf({ period: '1h', dayPieces: [6.5 * HOUR_MS] });
    const day = compileSignals({ open: feed.every('1d', ({ open }) => open) });
    const column = day.overColumns(data, { warmupEnd: 0 }).column('open');
    // Two early hours, then seven of the session: the day opened with the third bar.
    expect(column.findIndex(Number.isFinite)).toBe(8);
    expect(column[8]).toBe(3);
  });
});

/** Five-minute bars of New York, 04:00 to 20:00, Monday to Thursday, each a cent above the previous one. */
const aroundTheDay = columnsOf(
  AAPL,
  '5m',
  Array.from({ length: 4 * 192 }, (_, index) => {
    const opens = at(`${addDays(days.from, Math.floor(index / 192))}T04:00:00-05:00`);
    const close = 100 + index / 100;
    return [opens + (index % 192) * 5 * MINUTE_MS, close, close, close, close];
  }),
);

describe.each([
  ['with `sessions: extended`', feedOf('5m', [AAPL], 'extended')],
  ['with `hours: bars`, where the calendar has none of those bars', feedOf('5m', [AAPL])],
] as const)('longer bars of a feed that has bars of extended hours, %s', (_what, feed) => {
  const feedBars = barsOf(feed);
  const hour = feedBars.every('1h', ({ close }) => close);
  const compiled = compileSignals({
    hour,
    mean: sma(hour, 3),
    cross: crossover(feedBars.close, sub(hour, 0.005)),
    above: when(every(feedBars), above(hour, 0)),
  });
  const columns = compiled.overColumns(aroundTheDay, { warmupEnd: 0 });
  const hours = columns.column('hour');
  const known = hours.findIndex(Number.isFinite);

  it('have a value at every bar from the first on, and so do indicators on them', () => {
    expect(known).toBeGreaterThan(0);
    const mean = columns.column('mean').subarray(known);
    expect(hours.subarray(known).every(Number.isFinite)).toBe(true);
    expect([...mean.subarray(0, 2)]).toEqual([Number.NaN, Number.NaN]);
    for (let index = 2; index < mean.length; index++) {
      const [one, two, three] = hours.subarray(known + index - 2, known + index + 1) as unknown as number[];
      expect(mean[index]).toBeCloseTo(((one ?? 0) + (two ?? 0) + (three ?? 0)) / 3, 9);
    }
  });

  it('emit no cross at the first value: the price was above every complete hour', () => {
    const emitted = [...columns].map(({ name }) => name);
    expect(emitted.filter((name) => name === 'cross')).toEqual([]);
    expect(emitted.filter((name) => name === 'above')).toHaveLength(aroundTheDay.length - known);
  });

  it('are the same bit for bit bar by bar, and from columns that an earlier run kept', () => {
    const cache = new ColumnCache(1e8);
    const emitted = [...columns];
    const stepper = compiled.stepper({ warmupEnd: 0 });
    const stepped: unknown[] = [];
    for (let index = 0; index < aroundTheDay.length; index++) {
      for (const raw of stepper.push(barAt(aroundTheDay, index))) stepped.push({ index, ...raw });
      for (const name of compiled.names) expect(stepper.value(name)).toEqual(columns.value(name, index));
    }
    expect(stepped).toEqual(emitted);
    for (const _run of [1, 2]) {
      cache.beginRun();
      const kept = cache.feed(aroundTheDay, aroundTheDay.length);
      expect([...compiled.scan({ warmupEnd: 0, kept }).feed(aroundTheDay)]).toEqual(emitted);
      // One more indicator on the stored ones, which the earlier run did not have.
      const other = compileSignals({ late: crossover(feedBars.close, sma(hour, 2)) });
      const fresh = [...other.overColumns(aroundTheDay, { warmupEnd: 0 })];
      expect([...other.scan({ warmupEnd: 0, kept }).feed(aroundTheDay)]).toEqual(fresh);
    }
    expect(cache.computed).toBeGreaterThan(0);
  });
});

it('a warm-up over extended hours counts the bars between the hours of two days', () => {
  const warmupOf = (held: 'regular' | 'extended' | 'all') => {
    const feed = barsOf(feedOf('15m', [AAPL], held));
    return compileSignals({ mean: feed.every('1h', ({ close }) => sma(close, 8)) }).warmup;
  };
  // Nine hours: 36 bars of regular trading, or two days of 64 bars from 04:00 to 20:00, or of 96.
  expect(warmupOf('regular')).toBe(36);
  expect(warmupOf('extended')).toBe(128);
  expect(warmupOf('all')).toBe(192);
  expect(barsPerLonger(feedOf('1h', [AAPL], 'all'), '1w')).toBe(5 * (7 + 6 + 4 + 8));
});
