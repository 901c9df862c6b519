import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { calendarDay } from '#src/model/time.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { fillsOf, setupOf } from '../fixtures/backtest.ts';
import { TENCENT } from '../fixtures/market.ts';
import { bars } from '../simulation/world.ts';

const FIRST = '2025-08-01T09:30:00+08:00';

/** Days before and after the price steps of Hong Kong change on 4 August 2025. */
const days = bars(TENCENT, '30m', [
  [FIRST, 22, 22, 22, 22],
  ['2025-08-01T10:00:00+08:00', 22, 22, 22, 22],
  ['2025-08-04T09:30:00+08:00', 22, 22, 22, 22],
  ['2025-08-04T10:00:00+08:00', 22, 23.5, 22, 22],
  ['2025-08-04T10:30:00+08:00', 22, 22, 20, 20],
]);

const bracketed = (target: string) =>
  defineStrategy({
    name: 'bracketed',
    params: {},
    onBar: ({ symbol, bar }, { orders }) =>
      bar.time === Date.parse(FIRST)
        ? orders.bracket(orders.buy(symbol, 100), { stop: '21', target })
        : undefined,
  });

const fillsWith = (target: string) =>
  fillsOf(
    runBacktest(
      setupOf(bracketed(target), [days], { from: calendarDay('2025-08-01'), to: calendarDay('2025-08-04') }),
    ),
  );

describe('the exits of a position that is held while the price steps of its market change', () => {
  it('lose a target that is on no new price step, and keep the stop', () => {
    expect(fillsWith('23.10')).toEqual([
      '08-01T02:00 buy 100 at 22, fee 0',
      '08-04T02:15 sell 100 at 23.1, fee 0',
    ]);
    expect(fillsWith('23.05')).toEqual([
      '08-01T02:00 buy 100 at 22, fee 0',
      '08-04T02:45 sell 100 at 21, fee 0',
    ]);
  });
});
