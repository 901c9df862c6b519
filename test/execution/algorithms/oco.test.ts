import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { every } from '#src/signals/cross.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { fillsOf, setupOf } from '../../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf } from '../../fixtures/market.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

/** Buys 100 at the first close; at the second a stop at 9 and a target at 11 wait, of which one cancels the other. */
const twoWays = defineStrategy({
  name: 'two-ways',
  params: {},
  signals: ({ bars }) => ({ bar: every(bars) }),
  onSignal: ({ symbol, time }, { orders }) => {
    if (time === OPEN + 60_000) return orders.buy(symbol, 100);
    if (time !== OPEN + 120_000) return undefined;
    return orders.oco([
      orders.sell(symbol, 100, { type: 'LO', price: 11 }),
      orders.sell(symbol, 100, { type: 'MIT', triggerPrice: 9 }),
    ]);
  },
});

function run(...rows: readonly (readonly [number, number, number, number])[]) {
  const bars = columnsOf(
    AAPL,
    '1m',
    rows.map((row, index): BarRow => [OPEN + index * 60_000, ...row]),
  );
  const journal = createMemoryJournal();
  const record = runBacktest(setupOf(twoWays, [bars]), { journal });
  const ends = [...journal.replay()].flatMap((event) =>
    event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : [],
  );
  return { fills: fillsOf(record).map((fill) => fill.slice(6, -7)), ends, flow: record.flow };
}

describe('one cancels the other', () => {
  it.each([
    ['target', [10, 12, 10, 12], 11],
    ['stop', [10, 10, 8, 8], 9],
  ] as const)(
    'sells at the %s and takes the other leg back, though both were for all shares',
    (_, bar, price) => {
      const { fills, ends, flow } = run([10, 10, 10, 10], [10, 10, 10, 10], bar, [8, 12, 8, 12]);
      expect(fills).toEqual(['14:31 buy 100 at 10', `14:32 sell 100 at ${price}`]);
      expect(ends).toEqual(['done: 100 traded on one leg']);
      expect(flow).toMatchObject({ denied: 0, orders: 3, fills: 2 });
    },
  );
});
