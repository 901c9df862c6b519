import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chargeTable } from '#src/backtest/express/charges.ts';
import { UNITS } from '#src/events/fill-columns.ts';
import { CHARGE_SCHEDULES, withCommission } from '#src/markets/charge-schedules.ts';
import { chargesOf, totalOf } from '#src/markets/charges.ts';
import { decimal } from '#src/model/decimal.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import { security } from '../simulation/world.ts';

const SCHEDULES = [
  CHARGE_SCHEDULES.standard,
  CHARGE_SCHEDULES.authorities,
  withCommission(CHARGE_SCHEDULES.authorities, {
    kind: 'per-share',
    perShare: decimal('0.005'),
    minimum: decimal('1'),
    maximumRatio: decimal('0.01'),
  }),
];

describe('charges in plain numbers', () => {
  it('are those of the full engine, small orders under a cap among them', () => {
    const aapl = security('AAPL.US');
    const day = fc.constantFrom('2011-06-01', '2019-06-03', '2024-06-03');
    const side = fc.constantFrom('buy' as const, 'sell' as const);
    const cents = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 100_000 }));
    const whole = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 20_000 }));
    fc.assert(
      fc.property(
        fc.constantFrom(...SCHEDULES),
        day,
        side,
        cents,
        whole,
        (schedule, date, way, price, quantity) => {
          const at = millis(Date.parse(`${date}T15:00:00Z`));
          const notional = decimal(String(price)).times(quantity).div(100);
          const full = chargesOf(
            {
              ...{ market: 'US', kind: aapl.kind, side: way, day: calendarDay(date), currency: 'USD' },
              ...{ executedQuantity: decimal(String(quantity)), notional },
            },
            schedule,
          );
          const plain = chargeTable(schedule, aapl, way).charge(
            at,
            quantity,
            notional.times(UNITS).toNumber(),
          );
          expect(plain / UNITS).toBeCloseTo(totalOf(full).toNumber(), 9);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
