import { expect, it } from 'vitest';
import { runInFull } from '#src/backtest/run-in-full.ts';
import { CHARGE_SCHEDULES, withCommission } from '#src/markets/charge-schedules.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay } from '#src/model/time.ts';
import { CASH_ACCOUNT } from '#src/simulation/models.ts';
import { DEFAULT_RULES } from '#src/simulation/rules.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { fillsOf, setupOf } from '../fixtures/backtest.ts';
import { AAPL, columnsOf } from '../fixtures/market.ts';
import { limitsOf } from '../fixtures/risk.ts';
import { stampsOf } from '../fixtures/some-bars.ts';

const DAYS = { from: calendarDay('2024-03-04'), to: calendarDay('2024-03-15') };

/** Days that open and close at 100, so that every order fills at 100. */
const BARS = columnsOf(
  AAPL,
  '1d',
  stampsOf(AAPL, '1d', DAYS).map((stamp) => [stamp, 100, 101, 99, 100]),
);

it.each(['rehearsed', 'reserved'] as const)(
  'an order that turns a position round is charged for the closing and the opening part (cover: %s)',
  (cover) => {
    let bar = 0;
    const strategy = defineStrategy({
      name: 'turns',
      params: {},
      onBar: ({ symbol }, { orders }) => {
        bar += 1;
        if (bar === 1) return orders.buy(symbol, 10);
        return bar === 3 ? orders.sell(symbol, 14) : undefined;
      },
    });
    const record = runInFull(
      setupOf(strategy, [BARS], {
        ...DAYS,
        cash: { USD: decimal('100000') },
        limits: limitsOf({ allowShort: true }),
        short: true,
        margin: { ...CASH_ACCOUNT, kind: 'margin' },
        charges: withCommission(CHARGE_SCHEDULES.none, { kind: 'percent', rate: decimal('0.001') }),
        rules: {
          ...DEFAULT_RULES,
          cover: { ...DEFAULT_RULES.cover, cover },
          fills: {
            ...DEFAULT_RULES.fills,
            hours: 'bars',
            matching: {
              ...{ kind: 'whole-bars', queue: 'submitted', positions: 'net', exits: 'next-bar' },
              ...{ stopLimit: 'close-tells', openingSpread: decimal('0'), billing: 'part' },
            },
          },
        },
      }),
    );
    // 0.1 % of 1,000 bought, of 1,000 sold, and of 400 sold short.
    expect(fillsOf(record).map((text) => text.slice(text.indexOf(' ') + 1))).toEqual([
      'buy 10 at 100, fee 1',
      'sell 10 at 100, fee 1',
      'sell 4 at 100, fee 0.4',
    ]);
  },
);
