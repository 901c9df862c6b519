import { describe, expect, it } from 'vitest';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { createEngineRig, type RigOptions } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';

/** Orders once, at the first quote. */
function asking(draft: ReturnType<NonNullable<NonNullable<RigOptions['strategy']>['onQuote']>>) {
  let asked = false;
  return {
    onQuote: () => {
      if (asked) return undefined;
      asked = true;
      return draft;
    },
  };
}

describe('a run that has ended', () => {
  it('leaves no timer of an algorithm, which would keep its process alive until the next slice', () => {
    const parts = orderDrafts.twap(orderDrafts.buy(AAPL, 90), { minutes: 240, parts: 3 });
    const rig = createEngineRig({ strategy: asking(parts), pushComplete: false });
    rig.start();
    rig.quote(10);
    expect(rig.clock.nextAt()).not.toBe(Number.POSITIVE_INFINITY);
    rig.stop();
    expect(rig.status()).toBe('done');
    expect(rig.clock.nextAt()).toBe(Number.POSITIVE_INFINITY);
  });

  it('leaves none of a kill that closes positions, nor of the orders that it cancelled', () => {
    const rig = createEngineRig({ strategy: asking(orderDrafts.buy(AAPL, 10)), pushComplete: false });
    rig.start();
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '4', price: '10' });
    rig.venue.push('O-I1');
    rig.command({ kind: 'kill', flatten: true, foreign: false });
    expect(rig.clock.nextAt()).not.toBe(Number.POSITIVE_INFINITY);
    rig.stop();
    expect(rig.status()).toBe('done');
    expect(rig.clock.nextAt()).toBe(Number.POSITIVE_INFINITY);
  });
});
