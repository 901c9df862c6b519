import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import type { SecuritySymbol } from '#src/model/symbol.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { OrderDraft, OrderDrafts } from '#src/strategy/order-draft.ts';
import { fillsOf, setupOf } from '../fixtures/backtest.ts';
import { at, type BarRow, columnsOf, TENCENT } from '../fixtures/market.ts';

const OPEN = at('2024-03-05T09:30:00+08:00');

/** Minutes that close at these prices; each bar has one price. */
function minutes(...closes: readonly number[]) {
  return columnsOf(
    TENCENT,
    '1m',
    closes.map((close, index): BarRow => [OPEN + index * 60_000, close, close, close, close]),
  );
}

type Ask = (symbol: SecuritySymbol, orders: OrderDrafts) => OrderDraft | readonly OrderDraft[] | undefined;

/** Sends one request per bar, in a stock with a lot of 100. */
function run(asked: readonly Ask[], bars: ReturnType<typeof minutes>) {
  let bar = 0;
  const strategy = defineStrategy({
    name: 'odd-lots',
    params: {},
    onBar: ({ symbol }, { orders }) => {
      bar += 1;
      return asked[bar - 1]?.(symbol, orders);
    },
  });
  const alarms: string[] = [];
  const journal = createMemoryJournal();
  const record = runBacktest(setupOf(strategy, [bars]), {
    journal,
    onAlarm: ({ code, message }) => alarms.push(`${code}: ${message}`),
  });
  const ends = [...journal.replay()].flatMap((event) =>
    event.kind === 'algorithm-ended' ? [event.why] : [],
  );
  return {
    fills: fillsOf(record).map((fill) => fill.slice(12, -7)),
    alarms,
    ends,
    denied: record.flow.denied,
  };
}

const LIMIT_COVERAGE =
  'odd-lot-kept: 50 of "700.HK" are below its lot of 100 and are kept: an order of type ODD, with a limit, trades them in the market for odd lots';
const ODD = { type: 'ODD', price: 10 } as const;

describe('a position of 150 shares at a lot of 100', () => {
  it('is closed except for 50, which is reported once', () => {
    const { fills, alarms } = run(
      [
        (symbol, orders) => orders.buy(symbol, 100),
        (symbol, orders) => orders.buy(symbol, 50, ODD),
        (symbol, orders) => orders.close(symbol),
        (symbol, orders) => orders.close(symbol),
        (symbol, orders) => orders.targetQuantity(symbol, 100),
      ],
      minutes(10, 10, 10, 10, 10, 10),
    );
    expect(fills.slice(0, 3)).toEqual(['buy 100 at 10', 'buy 50 at 10', 'sell 100 at 10']);
    expect(alarms).toEqual([LIMIT_COVERAGE]);
  });

  it('is closed by a rebalance except for 50, which is reported once', () => {
    const { fills, alarms } = run(
      [
        (symbol, orders) => orders.buy(symbol, 100),
        (symbol, orders) => orders.buy(symbol, 50, ODD),
        (_symbol, orders) => orders.rebalance({}),
        (_symbol, orders) => orders.rebalance({}),
      ],
      minutes(10, 10, 10, 10, 10, 10),
    );
    expect(fills).toEqual(['buy 100 at 10', 'buy 50 at 10', 'sell 100 at 10']);
    expect(alarms).toEqual([LIMIT_COVERAGE]);
  });

  it('is closed completely by its lots and an order of type ODD', () => {
    const { fills, alarms } = run(
      [
        (symbol, orders) => orders.buy(symbol, 100),
        (symbol, orders) => orders.buy(symbol, 50, ODD),
        (symbol, orders) => [orders.sell(symbol, 50, ODD), orders.close(symbol)],
      ],
      minutes(10, 10, 10, 10, 10),
    );
    expect(fills.slice(2).toSorted()).toEqual(['sell 100 at 10', 'sell 50 at 10']);
    expect(alarms).toEqual([]);
  });

  it('is protected by exits of 100, and the 50 that no stop can sell are reported', () => {
    const { fills, alarms, ends, denied } = run(
      [
        (symbol, orders) => orders.bracket(orders.buy(symbol, 200), { stop: 9, target: 12 }),
        () => undefined,
        (symbol, orders) => orders.sell(symbol, 50, ODD),
      ],
      minutes(10, 10, 10, 10, 10, 8, 8, 8),
    );
    expect(fills).toEqual(['buy 200 at 10', 'sell 50 at 10', 'sell 100 at 8']);
    expect(denied).toBe(0);
    expect(ends).toEqual(['50 are left, less than a lot']);
    expect(alarms).toEqual([LIMIT_COVERAGE]);
  });
});
