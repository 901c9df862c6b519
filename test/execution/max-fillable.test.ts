import { describe, expect, it } from 'vitest';
import { maxFillable, type PayingFacts } from '#src/execution/gate/max-fillable.ts';
import { decimal } from '#src/model/decimal.ts';
import { termsOf } from '../fixtures/orders.ts';

const ALL_IN = decimal('1000000000000');
const EMPTY: PayingFacts = {
  held: decimal('0'),
  open: decimal('0'),
  balance: { equity: decimal('1005'), buyPower: decimal('1005') },
  margin: { initial: decimal('1') },
  security: { lotSize: 1 },
  price: decimal('10'),
  rate: decimal('1'),
};

function most(side: 'buy' | 'sell', change: Partial<PayingFacts>, quantity = ALL_IN): string {
  return maxFillable(termsOf({ side, quantity }), { ...EMPTY, ...change }).toString();
}

describe('the largest fill at a venue that reduces orders to the available cash', () => {
  it('is what buying power permits, in whole lots and at the required margin', () => {
    expect(most('buy', {})).toBe('100');
    expect(most('buy', { security: { lotSize: 30 } })).toBe('90');
    expect(most('buy', { margin: { initial: decimal('0.5') } })).toBe('201');
    expect(most('buy', { rate: decimal('7.8') })).toBe('12');
  });

  it('is the closing part and what that releases, if a position is turned round', () => {
    const losing = { held: decimal('-120'), balance: { equity: decimal('1005'), buyPower: decimal('-195') } };
    expect(most('buy', losing)).toBe('220');
    expect(most('buy', { ...losing, open: decimal('120') })).toBe('100');
  });

  it('is only the remaining buying power for the side that is held already, and never more than the order', () => {
    const long = { held: decimal('90'), balance: { equity: decimal('1005'), buyPower: decimal('105') } };
    expect(most('buy', long)).toBe('10');
    expect(most('buy', {}, decimal('7'))).toBe('7');
  });
});
