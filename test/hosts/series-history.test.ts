import { describe, expect, it } from 'vitest';
import { readSeries } from '#src/hosts/strategy/read-graph.ts';
import { BARS_SHOWN, SERIES_SHOWN } from '#src/hosts/strategy/series-history.ts';
import { programIn, signalRuns } from '#src/hosts/strategy/signal-runs.ts';
import { crossover, defineStrategy, rsi, sma } from '#src/index.ts';
import type { Bar, BarColumns } from '#src/model/bar.ts';
import { MINUTE_MS, millis } from '#src/model/time.ts';
import { splitAdjustedColumns } from '#src/signals/split-adjusted-signals.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';

const FEED = { period: '1m', dayPieces: [390 * MINUTE_MS] } as const;
const strategy = defineStrategy({
  name: 'cross',
  params: {},
  signals: ({ bars }) => ({
    cross: crossover(sma(bars.close, 2), sma(bars.close, 5)),
    strength: rsi(bars.close, 4),
  }),
  onBar: () => undefined,
});
const program = programIn(strategy, {}, FEED);

const barAt = (minute: number): Bar => {
  const close = 100 + 10 * Math.sin(minute / 7);
  return {
    ...{ symbol: AAPL, period: '1m', time: millis(minute * MINUTE_MS), volume: 100 },
    ...{ open: close, high: close + 1, low: close - 1, close },
  };
};

function columnsOf(bars: readonly Bar[]): BarColumns {
  const column = (field: 'time' | 'open' | 'high' | 'low' | 'close' | 'volume') =>
    Float64Array.from(bars, (bar) => bar[field]);
  return {
    ...{ symbol: AAPL, period: '1m', length: bars.length, time: column('time'), open: column('open') },
    ...{ high: column('high'), low: column('low'), close: column('close'), volume: column('volume') },
  };
}

describe('the newest values of the series of a strategy', () => {
  it('equal those of the report of a backtest over the same bars, from the last bar of the warm-up on', () => {
    const bars = Array.from({ length: 200 }, (_, minute) => barAt(minute));
    const runs = signalRuns(program);
    runs.evaluate(bars);
    const read = runs.series(AAPL);
    const drawn = splitAdjustedColumns(program, columnsOf(bars), []);
    expect(read.times).toEqual(bars.map(({ time }) => time));
    expect(read.series.map(({ name, isPrice }) => [name, isPrice])).toEqual(
      drawn.map(({ name, isPrice }) => [name, isPrice ?? null]),
    );
    for (const [at, { values }] of drawn.entries())
      expect(read.series[at]?.values).toEqual(
        Array.from(values, (value, bar) => (bar < program.warmup - 1 ? null : value)),
      );
  });

  it('are limited to the newest without a gap, and empty for a symbol without bars', () => {
    const runs = signalRuns(program);
    for (let minute = 0; minute < 1_000; minute += 1) runs.evaluate([barAt(minute)]);
    const { times, series } = runs.series(AAPL);
    expect(times).toEqual(
      Array.from({ length: BARS_SHOWN }, (_, index) => (1_000 - BARS_SHOWN + index) * MINUTE_MS),
    );
    expect(series.every(({ values }) => values.length === BARS_SHOWN)).toBe(true);
    expect(runs.series(TENCENT).times).toEqual([]);
  });
});

describe('the series that a thread sends', () => {
  const one = { name: 'average', isPrice: true, values: [1, null] };
  const sent = { times: [0, 1], series: [one] };

  it('are copied if they are valid', () => {
    const read = readSeries(sent);
    expect(read).toEqual({ kind: 'series', ...sent });
    expect(read?.series[0]).not.toBe(one);
  });

  it.each([
    ['a wrong number of values', { ...sent, times: [0] }],
    ['a value that is no number', { ...sent, series: [{ ...one, values: [1, 'x'] }] }],
    ['an infinite value', { ...sent, series: [{ ...one, values: [1, Number.POSITIVE_INFINITY] }] }],
    ['an invalid time', { ...sent, times: [0, '1'] }],
    ['an invalid kind', { ...sent, series: [{ ...one, isPrice: 'x' }] }],
    ['too many series', { ...sent, series: Array.from({ length: SERIES_SHOWN + 1 }, () => one) }],
    ['too many bars', { times: Array.from({ length: BARS_SHOWN + 1 }, () => 0), series: [] }],
    ['no list', { times: [0, 1], series: 'x' }],
  ])('are refused with %s', (_what, each) => {
    expect(readSeries(each)).toBeUndefined();
  });
});
