import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { Decision } from '#src/strategy/order-draft.ts';
import type { Timers } from '#src/strategy/timers.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { AAPL, type BarRow, columnsOf } from '../fixtures/market.ts';
import { isCarriedAlike, outcomeOf } from '../fixtures/outcomes.ts';
import { someSample } from '../fixtures/random-behaviours.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const WEEK = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };
const runs = Number(process.env['SLUICE_RUNS'] ?? 100);

describe('onTimer in plain numbers', () => {
  it('equals the reference engine if timers are due at closes', () => {
    // Fixed seed, so that enough samples are of this kind.
    const samples = fc.sample(
      someSample.filter(
        ({ behaviour, setup }) =>
          behaviour.exits === undefined && setup.period === '30m' && setup.securities.length === 1,
      ),
      { numRuns: Math.ceil(runs / 8), seed: 3 },
    );
    const carried = samples.filter(({ setup, behaviour: drawn }) => {
      return isCarriedAlike(setup, { ...drawn, calledOn: 'timer' });
    });
    expect(carried.length).toBeGreaterThan(samples.length / 5);
  });

  it('is called at every instant of its timers, after the hooks of the bar that closes then', () => {
    const calls = { express: [] as string[], full: [] as string[] };
    const express = runExpress(timed({ late: { at: '15:30' }, often: { every: '2h' } }, calls.express));
    const full = runInFull(timed({ late: { at: '15:30' }, often: { every: '2h' } }, calls.full));
    expect(calls.express).toEqual(calls.full);
    expect(calls.express.filter((call) => call.startsWith('04T20:30'))).toEqual([
      '04T20:30 bar',
      '04T20:30 late 20.11',
      '04T20:30 often 20.11',
    ]);
    expect(express).toMatchObject({ kind: 'completed', orders: full.flow.orders });
  });

  it('warns that orders are decided while the next bar runs, as the full engine does', () => {
    const setup = (): RunSetup => timed({ late: { at: '15:30' } }, [], 10);
    const [record, full] = [runBacktest(setup()), runInFull(setup())];
    expect(record.fillColumns?.length).toBeGreaterThan(0);
    expect(record.assumptions.join('\n')).toContain('DECIDED INSIDE BARS: 5 of 5 orders');
    expectEqual(outcomeOf(record), outcomeOf(full));
  });

  it.each<[string, Timers]>([
    ['orders while no bar closes', { odd: { at: '10:45' } }],
    ['is called before the first bar has closed', { early: { at: '9:45' } }],
  ])('leaves to the full engine what %s', (_what, timers) => {
    const calls = { plain: [] as string[], full: [] as string[] };
    expect(runExpress(timed(timers, [], 10))).toMatchObject({ kind: 'bailed-out' });
    const [record, full] = [
      runBacktest(timed(timers, calls.plain, 10)),
      runInFull(timed(timers, calls.full, 10)),
    ];
    expect(calls.plain).toEqual(calls.full);
    expectEqual(outcomeOf(record), outcomeOf(full));
  });
});

/** A strategy that records its calls and buys this number of shares at each timer. */
function timed(timers: Timers, calls: string[], buys = 0): RunSetup {
  const rows = stampsOf(AAPL, '30m', WEEK).map((stamp, at): BarRow => {
    const price = 20 + at / 100;
    return [stamp, price, price + 0.05, price - 0.05, price, 1_000];
  });
  const at = (time: number): string => new Date(time).toISOString().slice(8, 16);
  const strategy = defineStrategy({
    name: 'timed',
    params: {},
    timers,
    onBar: ({ time }) => void calls.push(`${at(time)} bar`),
    onTimer: ({ name, symbols, time }, { lastPrice, orders }): Decision => {
      calls.push(`${at(time)} ${name} ${lastPrice(AAPL)}`);
      return buys === 0 ? undefined : symbols.map((symbol) => orders.buy(symbol, buys));
    },
  });
  return setupOf(strategy, [columnsOf(AAPL, '30m', rows)], { ...WEEK, cash: { USD: decimal('10000') } });
}
