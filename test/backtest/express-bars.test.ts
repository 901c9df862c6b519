import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { runInFull } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { crossover } from '#src/signals/cross.ts';
import { sma } from '#src/signals/indicators/averages.ts';
import { defineStrategy, type StrategyDefinition } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { AAPL, type BarRow, columnsOf } from '../fixtures/market.ts';
import { isCarriedAlike, outcomeOf } from '../fixtures/outcomes.ts';
import { someSample } from '../fixtures/random-behaviours.ts';
import { randomCases } from '../fixtures/random-cases.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const TSLA = securitySymbol('TSLA.US');
const WEEK = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-08') };
const runs = Number(process.env['SLUICE_RUNS'] ?? randomCases(100, 50));

describe('onBars in plain numbers', () => {
  it('equals the reference engine in what the hook receives, what it decides, fills and equity', () => {
    // Fixed seed, so that enough samples have several symbols.
    const samples = fc.sample(
      someSample.filter(
        ({ behaviour, setup }) => behaviour.exits === undefined && setup.securities.length > 1,
      ),
      { numRuns: Math.ceil(runs / 8), seed: 3 },
    );
    const carried = samples.filter(({ setup, behaviour: drawn }) => {
      return isCarriedAlike(setup, { ...drawn, calledOn: 'bars' });
    });
    expect(carried.length).toBeGreaterThan(samples.length / 3);
  });

  it('is called after every onBar and onSignal of its instant, and without a symbol that has no bar then', () => {
    const stamps = stampsOf(AAPL, '1d', WEEK);
    const rows = (skips: number): readonly BarRow[] =>
      stamps.flatMap((stamp, day): readonly BarRow[] =>
        day === skips ? [] : [[stamp, 10 + day, 10 + day, 10 + day, 10 + day, 1_000]],
      );
    const history = [columnsOf(AAPL, '1d', rows(-1)), columnsOf(TSLA, '1d', rows(3))];
    const setup = (calls: string[]): RunSetup => {
      const day = (time: number): string => new Date(time).toISOString().slice(8, 10);
      const hooks: Pick<StrategyDefinition, 'onBar' | 'onBars' | 'onSignal'> = {
        onBar: ({ symbol, time }) => void calls.push(`${day(time)} bar ${symbol}`),
        onSignal: ({ symbol, time }) => void calls.push(`${day(time)} signal ${symbol}`),
        onBars: ({ bars, time }, { equity, orders, lastPrice }) => {
          const closes = bars.map(({ symbol, close }) => `${symbol} ${close} ${lastPrice(TSLA)}`);
          calls.push(`${day(time)} bars ${closes.join(', ')} ${equity}`);
          return bars.map(({ symbol }) => orders.targetWeight(symbol, 0.1));
        },
      };
      const strategy = defineStrategy({
        name: 'together',
        params: {},
        signals: ({ bars: { close } }) => ({ over: crossover(close, sma(close, 2)) }),
        ...hooks,
      });
      return setupOf(strategy, history, { ...WEEK, cash: { USD: decimal('10000') } });
    };
    const [calls, callsInFull]: [string[], string[]] = [[], []];
    const [record, full] = [runBacktest(setup(calls)), runInFull(setup(callsInFull))];
    expect(calls.filter((call) => call.startsWith('07'))).toEqual([
      '07 bar AAPL.US',
      expect.stringMatching(/^07 bars AAPL\.US 13 12 /),
    ]);
    expect(calls).toEqual(callsInFull);
    expectEqual(outcomeOf(record), outcomeOf(full));
    expect(runExpress(setup([]))).toMatchObject({ kind: 'completed' });
  });

  it('is called once for each instant, also if the full engine takes over', () => {
    let called = 0;
    const stamps = stampsOf(AAPL, '1d', WEEK);
    const bars = columnsOf(
      AAPL,
      '1d',
      stamps.map((stamp): BarRow => [stamp, 10, 10, 10, 10, 1_000]),
    );
    const strategy = defineStrategy({
      name: 'leaves',
      params: {},
      onBars: (_bars, { orders }) => {
        called += 1;
        return called === 3 ? orders.buy(AAPL, 1, { type: 'ELO', price: '1' }) : orders.buy(AAPL, 1);
      },
    });
    const setup = setupOf(strategy, [bars], { ...WEEK, cash: { USD: decimal('10000') } });
    const record = runBacktest(setup, { decisions: true });
    expect(called).toBe(5);
    expect(record.decisions.filter(({ kind }) => kind === 'intent-drafted')).toHaveLength(5);
  });
});
