import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChargeRow } from '#src/markets/charge-row.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import type { ChargeSchedule } from '#src/markets/charges.ts';
import { type Amount, add, amount, compare, multiply, ONE, remainder } from '#src/model/amount.ts';
import { Decimal, decimal } from '#src/model/decimal.ts';
import type { Security } from '#src/model/security.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { maxAffordableQuantity } from '#src/simulation/buying-power/buy-limit.ts';
import { estimateCharges } from '#src/simulation/orders/bill.ts';

const AT = millis(Date.parse('2024-06-03T15:00:00Z'));

const securityOf = (lotSize: number): Security => ({
  symbol: securitySymbol('WALK.US'),
  names: { en: 'Walk', zhCn: 'Walk', zhHk: 'Walk' },
  kind: 'stock',
  board: 'USMain',
  currency: 'USD',
  lotSize,
  margin: { initial: decimal('0.5'), maintenance: decimal('0.3'), forced: decimal('0.25') },
  tradable: true,
  origin: { kind: 'generated', seed: 1, method: 'test' },
});

const rowOf = (basis: ChargeRow['basis'], minimum: number): ChargeRow => ({
  code: 'FEE',
  name: 'Fee',
  category: 'broker',
  basis,
  minimum: new Decimal(minimum),
  rounding: 'cent',
  source: 'test',
  confidence: 'low',
});

const schedule: fc.Arbitrary<ChargeSchedule> = fc.oneof(
  fc.constantFrom(CHARGE_SCHEDULES.none, CHARGE_SCHEDULES.standard),
  fc
    .tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 30 }))
    .map(([basisPoints, minimum]) => ({
      name: 'share',
      rows: [rowOf({ kind: 'percent', rate: new Decimal(basisPoints).div(10_000) }, minimum)],
    })),
  fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 30 })).map(([cents, minimum]) => ({
    name: 'each',
    rows: [rowOf({ kind: 'per-share', perShare: new Decimal(cents).div(100) }, minimum)],
  })),
);

const budget = fc.oneof(
  fc.integer({ min: 1, max: 5_000_000 }).map((cents): Amount => cents * 10_000),
  fc.bigInt({ min: 1n, max: 10n ** 31n }).map((units) => amount(units.toString())),
);

describe('maxAffordableQuantity', () => {
  it('fits into the budget, and one lot more does not', () => {
    const price = fc.integer({ min: 1, max: 200_000 }).map((cents): Amount => cents * 10_000);
    const lot = fc.constantFrom(1, 10, 100, 500);
    const ratio = fc.constantFrom<Amount>(ONE, amount('0.5'));
    fc.assert(
      fc.property(budget, price, lot, ratio, schedule, (money, at, lotSize, share, charged) => {
        const security = securityOf(lotSize);
        const cost = { security, side: 'buy' as const, price: at, last: at, at: AT, ratio: share };
        const quantity = maxAffordableQuantity(money, cost, { schedule: charged });
        const costOf = (shares: Amount): Amount => {
          const notional = multiply(at, shares, 'exact');
          const order = { security, side: cost.side, quantity: shares, notional, at: AT };
          return add(multiply(notional, share, 'exact'), estimateCharges(order, charged));
        };
        expect(remainder(quantity, lotSize * ONE)).toBe(0);
        if (quantity !== 0) expect(compare(costOf(quantity), money)).toBeLessThanOrEqual(0);
        expect(compare(costOf(add(quantity, lotSize * ONE)), money)).toBe(1);
      }),
      { numRuns: 3_000 },
    );
  });
});
