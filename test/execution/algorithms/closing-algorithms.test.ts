import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { MARGIN_ACCOUNT } from '#src/simulation/models.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { Decision, OrderDrafts } from '#src/strategy/order-draft.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf } from '../../fixtures/market.ts';
import { limitsOf } from '../../fixtures/risk.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

interface World {
  readonly orders: OrderDrafts;
  readonly side: 'buy' | 'sell';
  /** A limit that the market passes three minutes after the stop was filled. */
  readonly limit: number;
  /** A trigger that it never reaches. */
  readonly far: number;
}

/**
 * Holds 100 long or short, with a stop order for `stopped` of them that is filled in the sixth minute. `close` closes
 * the position from the fourth minute on. Returns the position at the end, and how the algorithm ended.
 */
function closed(isLong: boolean, stopped: number, close: (world: World) => Decision) {
  const side = isLong ? 'sell' : 'buy';
  const [stop, limit, far, later] = isLong ? [9, 10.5, 8, 10.6] : [11, 9.5, 12, 9.4];
  const rows = Array.from({ length: 20 }, (_, minute): BarRow => {
    const price = minute < 8 ? 10 : later;
    const touched = minute === 5 ? stop : price;
    return [OPEN + minute * 60_000, price, Math.max(price, touched), Math.min(price, touched), price, 10_000];
  });
  let bar = 0;
  const strategy = defineStrategy({
    name: 'closing',
    params: {},
    onBar: (_, { orders }) => {
      bar += 1;
      if (bar === 1) return isLong ? orders.buy(AAPL, 100) : orders.sell(AAPL, 100);
      if (bar === 2) return orders[side](AAPL, stopped, { type: 'MIT', triggerPrice: stop });
      return bar === 3 ? close({ orders, side, limit, far }) : undefined;
    },
  });
  const journal = createMemoryJournal();
  const bars = columnsOf(AAPL, '1m', rows);
  const limits = limitsOf({ allowShort: true });
  runBacktest(setupOf(strategy, [bars], { limits, short: true, margin: MARGIN_ACCOUNT }), { journal });
  let held = 0;
  const ended: string[] = [];
  for (const event of journal.replay()) {
    if (event.kind === 'algorithm-ended') ended.push(`${event.outcome}: ${event.why}`);
    if (event.kind !== 'order-filled') continue;
    const shares = event.fill.quantity.toNumber();
    held += event.fill.side === 'buy' ? shares : -shares;
  }
  return { held, ended };
}

/** With the most shares that the stop may close; the TWAP has closed 40 before it. */
const ALGORITHMS: readonly (readonly [string, (world: World) => Decision, number])[] = [
  ['a TWAP', ({ orders, side }) => orders.twap(orders[side](AAPL, 100), { minutes: 10, parts: 5 }), 60],
  [
    'an iceberg',
    ({ orders, side, limit: price }) =>
      orders.iceberg(orders[side](AAPL, 100, { type: 'LO', price }), { shown: 20 }),
    100,
  ],
  [
    'a chase',
    ({ orders, side, limit: bound }) =>
      orders.chase(orders[side](AAPL, 100), { minutes: 12, bound, atEnd: 'cross' }),
    100,
  ],
  [
    'an OCO',
    ({ orders, side, limit: price, far: triggerPrice }) =>
      orders.oco([
        orders[side](AAPL, 100, { type: 'LO', price }),
        orders[side](AAPL, 100, { type: 'MIT', triggerPrice }),
      ]),
    100,
  ],
];

describe.each([
  ['long', true],
  ['short', false],
] as const)('an algorithm that closes a %s position of which a stop closes a part', (_, isLong) => {
  it.each(ALGORITHMS)('closes the rest and never reverses it: %s', (_name, close, most) => {
    for (const stopped of [30, 50, most]) {
      const { held, ended } = closed(isLong, stopped, close);
      expect([stopped, held, ended.length]).toEqual([stopped, 0, 1]);
    }
    expect(closed(isLong, most, close).ended).toEqual([expect.stringContaining('canceled: ')]);
  });
});
