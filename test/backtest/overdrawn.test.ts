import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { decimal } from '#src/model/decimal.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { fillsOf, setupOf } from '../fixtures/backtest.ts';
import { AAPL, at, columnsOf } from '../fixtures/market.ts';

const MONDAY = at('2024-03-04T00:00:00-05:00');
const DAY = 86_400_000;

/** Buys 90 shares at the first close. */
const strategy = defineStrategy({
  name: 'ninety-shares',
  params: {},
  onBar: ({ symbol, bar }, { orders }) => (bar.time === MONDAY ? orders.buy(symbol, 90) : undefined),
});

/**
 * The result of 90 shares bought at 100, for a market that opens at `price` the next day and closes at these prices.
 */
function opening(price: number, ...closes: readonly number[]) {
  const rows = [100, price, ...closes].map(
    (figure, day) => [MONDAY + day * DAY, figure, figure, figure, figure, 100_000] as const,
  );
  const setup = setupOf(strategy, [columnsOf(AAPL, '1d', rows)], {});
  return runBacktest({ ...setup, cash: { USD: decimal('10000') } });
}

describe('an account without credit', () => {
  it('owes cash after an open above its reserved price, and the report counts the closes', () => {
    const record = opening(120, 130, 90);
    expect(fillsOf(record)).toEqual(['03-05T14:30 buy 90 at 120, fee 0']);
    expect(record.assumptions[0]).toBe(
      'CASH BELOW ZERO at 3 closes, the first on 2024-03-05: a fill cost more than was set aside for it when the order was sent; nothing was charged for what the account owed',
    );
  });

  it('owes nothing if its cash covers the open', () => {
    const record = opening(111, 90, 130);
    expect(fillsOf(record)).toEqual(['03-05T14:30 buy 90 at 111, fee 0']);
    expect(record.assumptions.join('\n')).not.toContain('CASH BELOW ZERO');
  });
});
