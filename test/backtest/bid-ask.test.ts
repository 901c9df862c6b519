import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../fixtures/backtest.ts';
import { AAPL, at, columnsOf } from '../fixtures/market.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');
const MINUTE = 60_000;

/** Buys at the first close and sells at the third. */
const strategy = defineStrategy({
  name: 'in-and-out',
  params: {},
  onBar: ({ symbol, bar }, { orders, position }) => {
    if (bar.time === OPEN) return orders.buy(symbol, 10);
    return position(symbol).quantity > 0 && bar.time === OPEN + 2 * MINUTE ? orders.close(symbol) : undefined;
  },
});

describe('quotes in a backtest', () => {
  it('are paid and received only by market orders at the instant of the decision', () => {
    const rows = [0, 1, 2, 3].map((minute) => [OPEN + minute * MINUTE, 100, 100, 100, 100, 1_000] as const);
    const setup = setupOf(strategy, [columnsOf(AAPL, '1m', rows)], {});
    const time = Float64Array.of(OPEN + MINUTE, OPEN + 3 * MINUTE);
    const bidAsk = {
      symbol: AAPL,
      length: 2,
      time,
      bid: Float64Array.of(99.9, 99.8),
      ask: Float64Array.of(100.1, 100.2),
    };
    const record = runBacktest({ ...setup, rules: { ...DEFAULT_RULES, bidAsk: true }, bidAsk: [bidAsk] });
    expect(record.fills.map(({ side, price }) => [side, price.toString()])).toEqual([
      ['buy', '100.1'],
      ['sell', '99.8'],
    ]);
    expect(record.assumptions.join('\n')).toContain('Market orders pay the ask');
  });
});
