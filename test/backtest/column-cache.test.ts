import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runExpress } from '#src/backtest/express/run-express.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { BarColumns } from '#src/model/bar.ts';
import { decimal } from '#src/model/decimal.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { calendarDay } from '#src/model/time.ts';
import { ColumnCache } from '#src/signals/column-cache.ts';
import { when } from '#src/signals/combine.ts';
import { crossover } from '#src/signals/cross.ts';
import { ema, sma } from '#src/signals/indicators/averages.ts';
import { rsi } from '#src/signals/indicators/momentum.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { param } from '#src/strategy/params.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { someSample, strategyOf } from '../fixtures/random-behaviours.ts';
import { someBarsOver, stampsOf } from '../fixtures/some-bars.ts';
import { venueFacts } from '../fixtures/venue-facts.ts';

const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-22') };
const SYMBOL = securitySymbol('AAPL.US');
/** About 5,800 minutes: three blocks of the column drive. */
const [BARS] = fc.sample(someBarsOver(SYMBOL, '1m', stampsOf(SYMBOL, '1m', DAYS)), { numRuns: 1, seed: 7 });
const COLUMN_BYTES = (BARS?.length ?? 0) * 8;

/**
 * A cross of averages in an hourly trend, which the hook weighs by another indicator. The test that counts its nodes
 * lists them.
 */
const strategy = defineStrategy({
  name: 'swept',
  params: {
    fast: param.int({ min: 2, max: 50, default: 5, doc: 'Bars of the fast average' }),
    weight: param.number({ min: 0.01, max: 1, default: 0.2, doc: 'Weight of a position' }),
  },
  signals: ({ bars, params }) => ({
    cross: when(
      crossover(ema(bars.close, params.fast), ema(bars.close, 40)),
      bars.every('1h', (hour) => sma(hour.close, 3)),
    ),
    strength: rsi(bars.close, 14),
  }),
  onSignal: ({ symbol, direction }, { orders, params, value }) => {
    const share = direction === 'up' ? params.weight * (1 - value(symbol, 'strength') / 200) : 0;
    return orders.targetWeight(symbol, share);
  },
});

const setupWith = (params: { fast: number; weight: number }, columnCache?: ColumnCache): RunSetup => ({
  ...setupOf(strategy, [BARS as BarColumns], { ...DAYS, cash: { USD: decimal('100000') }, fx: {} }),
  params,
  ...(columnCache === undefined ? {} : { columnCache }),
});

/** The result of a run: its fills, equity and counts. */
function resultOf(setup: RunSetup) {
  const record = runBacktest(setup);
  return { fills: record.fills.map(venueFacts), equity: record.equity, flow: record.flow };
}

it('computes series that no parameter changes once, with the results of runs that compute everything', () => {
  const cache = new ColumnCache(100 * COLUMN_BYTES);
  const computedBy = (params: { fast: number; weight: number }): number => {
    const before = cache.computed;
    const result = resultOf(setupWith(params, cache));
    expectEqual(result, resultOf(setupWith(params)));
    expect(result.fills.length).toBeGreaterThan(20);
    return cache.computed - before;
  };
  const all = computedBy({ fast: 5, weight: 0.2 });
  expect(all).toBeGreaterThan(6);
  expect(computedBy({ fast: 5, weight: 0.4 })).toBe(0);
  // The fast average, and each node that reads it: the cross, and the cross in the trend.
  expect(computedBy({ fast: 9, weight: 0.4 })).toBe(3);
  expect(computedBy({ fast: 5, weight: 0.1 })).toBe(0);
});

it('stays within its limit of bytes, with the same results', () => {
  const cache = new ColumnCache(6 * COLUMN_BYTES);
  for (const fast of [5, 9, 5, 13, 17, 17, 5]) {
    expectEqual(
      resultOf(setupWith({ fast, weight: 0.2 }, cache)),
      resultOf(setupWith({ fast, weight: 0.2 })),
    );
    expect(cache.peakBytes).toBeLessThanOrEqual(6 * COLUMN_BYTES);
  }
  expect(cache.bytes).toBeGreaterThan(0);
});

it('counts columns that a run is still writing, also after one that ended early', () => {
  const cache = new ColumnCache(3 * COLUMN_BYTES);
  const node = (key: string) =>
    ({ key, width: 1, work: { kind: 'field', field: 'close' } }) as unknown as Parameters<
      ReturnType<ColumnCache['feed']>['allocate']
    >[0];
  const given = (): number => {
    cache.beginRun();
    const feed = cache.feed(BARS as BarColumns, BARS?.length ?? 0);
    return ['a', 'b', 'c', 'd', 'e'].filter((key) => feed.allocate(node(key)) !== undefined).length;
  };
  expect([given(), given()]).toEqual([3, 3]);
  expect(cache.peakBytes).toBe(3 * COLUMN_BYTES);
  expect(cache.bytes).toBe(0);
});

it('does not keep columns of a run that ended early', () => {
  const cache = new ColumnCache(100 * COLUMN_BYTES);
  const failing = defineStrategy({
    ...strategy,
    onSignal: () => {
      throw new Error('at the first signal');
    },
  });
  expect(() => runBacktest({ ...setupWith({ fast: 5, weight: 0.2 }, cache), strategy: failing })).toThrow(
    'at the first signal',
  );
  expectEqual(
    resultOf(setupWith({ fast: 5, weight: 0.2 }, cache)),
    resultOf(setupWith({ fast: 5, weight: 0.2 })),
  );
});

it('passes the column for the closes of a run to the next run, and never to two windows of one run', () => {
  const cache = new ColumnCache(COLUMN_BYTES);
  const columnsOfRun = () => {
    cache.beginRun();
    const feeds = [5, 5, 4].map((length) => cache.feed(BARS as BarColumns, length));
    return feeds.map((feed) => feed.closesColumn(100));
  };
  const [first, second] = [columnsOfRun(), columnsOfRun()];
  expect(new Set(first).size).toBe(3);
  expect(new Set(second).size).toBe(3);
  expect(first).toContain(second[0]);
  cache.beginRun();
  const feed = cache.feed(BARS as BarColumns, 5);
  const short = feed.closesColumn(100);
  expect(second).toContain(short);
  expect(feed.closesColumn(101)).toHaveLength(101);
});

it('allocates the logs of a run for the rows that the previous one needed, with the same results', () => {
  const cache = new ColumnCache(100 * COLUMN_BYTES);
  expect(cache.loggedRows).toBeUndefined();
  const rows = [50, 2, 50, 5].map((fast) => {
    const result = resultOf(setupWith({ fast, weight: 0.2 }, cache));
    expectEqual(result, resultOf(setupWith({ fast, weight: 0.2 })));
    expect(cache.loggedRows).toBe(Math.max(result.flow.orders, result.flow.fills));
    return cache.loggedRows ?? 0;
  });
  expect(rows[1]).toBeGreaterThan(2 * (rows[0] ?? 0));
});

it('changes nothing in runs of any kind', () => {
  fc.assert(
    fc.property(someSample, ({ setup, behaviour }) => {
      const cache = new ColumnCache(2 ** 20);
      const seen: unknown[][] = [[], [], []];
      const [plain, ...cached] = seen.map((hears, run) => {
        const express = runExpress({
          ...setup,
          strategy: strategyOf(behaviour, hears),
          ...(run === 0 ? {} : { columnCache: cache }),
        });
        if (express.kind === 'bailed-out') return { kind: express.kind, why: express.why };
        const { kind, fills, signals, orders } = express;
        return { kind, fills, signals, orders, equity: express.equity() };
      });
      for (const [run, each] of cached.entries()) {
        expectEqual(each, plain);
        expectEqual(seen[run + 1], seen[0]);
      }
    }),
    { numRuns: 15 },
  );
});
