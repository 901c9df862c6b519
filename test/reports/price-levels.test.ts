import { describe, expect, it } from 'vitest';
import type { Decision } from '#src/events/run-record.ts';
import { Decimal } from '#src/model/decimal.ts';
import { intentId, type OrderTerms } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import { millis } from '#src/model/time.ts';
import { priceLevels } from '#src/reports/price-levels.ts';
import { aRun } from './a-run.ts';

const SPX = securitySymbol('SPX.US');

/** The decisions about one exit: drafted and armed at `from`, and ended at `to` if given. */
function exit(
  id: string,
  { slot, from, to, terms }: { slot: string; from: number; to?: number; terms: Partial<OrderTerms> },
): readonly Decision[] {
  const at = millis(from);
  const over = to === undefined ? [] : [{ kind: 'order-moved', at: millis(to), status: 'CanceledStatus' }];
  const steps: readonly object[] = [
    { kind: 'intent-drafted', at, terms: { symbol: SPX, ...terms }, link: { slot, exit: true } },
    { kind: 'intent-armed', at },
    ...over,
  ];
  return steps.map((step) => ({ ...step, intentId: intentId(id) }) as Decision);
}

describe('stops and targets of a price chart', () => {
  it('are the exits of brackets while they worked, a stop at its trigger and a target at its limit', () => {
    const run = aRun([1, 2], {
      decisions: [
        ...exit('A', {
          slot: 'stop',
          from: 5,
          to: 9,
          terms: { triggerPrice: new Decimal(90), price: new Decimal(89) },
        }),
        ...exit('B', { slot: 'target', from: 6, terms: { price: new Decimal('110.5') } }),
        ...exit('C', { slot: 'trail', from: 7, terms: { trailingPercent: new Decimal(5) } }),
      ],
    });
    expect(priceLevels(run).get(SPX)).toEqual([
      [5, 9, 90, 'stop'],
      [6, run.to, 110.5, 'target'],
    ]);
  });

  it('are none for an order that a strategy sent itself', () => {
    const [drafted, armed] = exit('A', { slot: 'stop', from: 5, terms: { triggerPrice: new Decimal(90) } });
    const { link: _, ...alone } = drafted as Decision & { link: object };
    const run = aRun([1, 2], { decisions: [alone as Decision, armed as Decision] });
    expect(priceLevels(run).size).toBe(0);
  });
});
