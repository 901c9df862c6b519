import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  averageCost,
  type Cost,
  costAfterPurchase,
  exactAverageCost,
  firstCost,
} from '#src/backtest/express/average-cost.ts';

const somePurchases = fc.array(
  fc.record({
    shares: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 2e9 })),
    units: fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 2_000_000_000 })),
    scale: fc.constantFrom(100, 1_000, 1_000_000, 100_000_000),
    sold: fc.constantFrom(0, 0, 0, 1),
  }),
  { minLength: 1, maxLength: 12 },
);

it('is the nearest double of the mean in the books, for long and short positions', () => {
  let quick = 0;
  fc.assert(
    fc.property(somePurchases, fc.constantFrom(1, -1), ([first, ...more], sign) => {
      let held = (first?.shares ?? 1) * sign;
      let cost: Cost = firstCost((first?.units ?? 1) / (first?.scale ?? 1));
      for (const { shares, units, scale, sold } of more) {
        if (Math.abs(held) > sold) held -= sold * sign;
        held += shares * sign;
        cost = costAfterPurchase(cost, shares * sign, units / scale, held);
        if (!Number.isNaN(cost.total)) quick += 1;
        // A new object, as the exact mean is cached on it.
        expect(averageCost({ ...cost })).toBe(exactAverageCost(cost).toNumber());
      }
    }),
    { numRuns: Number(process.env['SLUICE_RUNS'] ?? 300) },
  );
  expect(quick).toBeGreaterThan(0);
});
