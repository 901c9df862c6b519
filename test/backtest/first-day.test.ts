import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { startOf } from '#src/backtest/setup.ts';
import { calendarDay, DAY_MS } from '#src/model/time.ts';
import { performanceOf } from '#src/reports/performance.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { AAPL, columnsOf } from '../fixtures/market.ts';
import { figuresOf } from '../fixtures/outcomes.ts';

const FIRST = calendarDay('2024-01-02');
const MIDNIGHT = startOf([AAPL], FIRST);
/** 200 days of a rise, including days off, which do not matter here. */
const BARS = columnsOf(
  AAPL,
  '1d',
  Array.from({ length: 200 }, (_, day) => [MIDNIGHT + day * DAY_MS, 100, 100 + day, 99, 100 + day] as const),
);
const holding = defineStrategy({
  name: 'holding',
  params: {},
  onBar: ({ symbol }, { orders }) => orders.targetQuantity(symbol, 50),
});

describe('a run that is configured to begin before its data', () => {
  const run = (from: string) =>
    setupOf(holding, [BARS], { from: calendarDay(from), to: calendarDay('2024-12-31') });

  it.each([
    ['in plain numbers', runBacktest],
    ['in full', runInFull],
  ])('computes yearly growth from the first day with a bar: %s', (_how, backtest) => {
    const [exact, early] = [backtest(run('2024-01-02')), backtest(run('1990-01-02'))];
    expect([exact.from, early.from]).toEqual([MIDNIGHT, MIDNIGHT]);
    expect(performanceOf(exact).cagr.kind).toBe('value');
    expect(figuresOf(early)).toEqual(figuresOf(exact));
  });

  it('begins on its first configured day if earlier bars warm it up', () => {
    expect(runBacktest(run('2024-03-05')).from).toBe(startOf([AAPL], calendarDay('2024-03-05')));
  });
});
