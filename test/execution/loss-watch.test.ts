import { describe, expect, it } from 'vitest';
import { createFold } from '#src/events/fold.ts';
import { createLossWatch } from '#src/execution/gate/loss-watch.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { factSourcesOf } from '../fixtures/fact-sources.ts';
import { AAPL, at } from '../fixtures/market.ts';
import { acked, filled, fillOf, intentOf } from '../fixtures/orders.ts';

const NOON = at('2024-03-05T12:00:00-05:00');
const YESTERDAY = at('2024-03-04T12:00:00-05:00');

/** A check of an account of 10,000 USD that has held 100 AAPL.US since yesterday's close at 10 USD. */
function watched(limits: { readonly maxDailyLoss: string; readonly maxDrawdown: string }) {
  const fold = createFold();
  const world = { now: NOON, price: '10', closeBefore: '10', isQuoted: true };
  const intent = intentOf('I1');
  for (const event of acked(intent)) fold.apply(event);
  fold.apply(filled(fillOf('E1', 'buy', '100', '10', { intentId: intentId('I1'), time: YESTERDAY })));
  const sources = factSourcesOf(fold.state, {
    now: () => world.now,
    reference: () => (world.isQuoted ? { value: decimal(world.price), at: world.now } : undefined),
    closeBefore: () => decimal(world.closeBefore),
  });
  const { maxDailyLoss, maxDrawdown } = limits;
  const watch = createLossWatch(
    sources,
    { symbols: [AAPL], priceOf: () => Number(world.price) },
    {
      maxDailyLoss: decimal(maxDailyLoss),
      maxDrawdown: decimal(maxDrawdown),
    },
  );
  const looks = (price: string, shares = 100): boolean => {
    world.price = price;
    return watch.isNearLossLimit(9_000 + shares * Number(price));
  };
  return { fold, world, watch, looks };
}

describe('a quick check of losses', () => {
  const daily = { maxDailyLoss: '0.02', maxDrawdown: '1' };

  it('requests a judgement from just below the limit on, and not for smaller losses (I-15)', () => {
    const { looks } = watched(daily);
    expect(['10', '8.1', '8.05', '8.03', '8'].map((price) => looks(price))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it("counts from an operator's resume of the same day (I-15)", () => {
    const { fold, looks } = watched(daily);
    expect(looks('8')).toBe(true);
    fold.apply({
      ...{ kind: 'gate-moved', at: NOON, state: 'active', by: 'operator', rule: 'resume', reason: 'seen' },
      equity: decimal('9800'),
    });
    expect([looks('8'), looks('6.1'), looks('6.05')]).toEqual([false, false, true]);
  });

  it('starts again on the next day, from its opening equity (I-15)', () => {
    const { world, looks } = watched(daily);
    expect(looks('8')).toBe(true);
    world.now = millis(NOON + 86_400_000);
    world.price = '8';
    expect(looks('10')).toBe(false);
  });

  it('counts from the equity of new shares once a split is booked, if the first check had old ones (F-D07)', () => {
    const { fold, world, watch, looks } = watched(daily);
    // Half of the price already, and all of the old shares.
    [world.price, world.closeBefore] = ['5', '5'];
    expect(watch.isNearLossLimit(9_500)).toBe(false);
    fold.apply({
      ...{ kind: 'corporate-action', at: NOON, action: 'split', symbol: AAPL, currency: 'USD' },
      ...{ quantity: decimal('100'), averageCost: decimal('5'), amount: decimal('0') },
      terms: { ratio: decimal('2'), price: decimal('5') },
    });
    expect([looks('4.1', 200), looks('4', 200)]).toEqual([false, true]);
  });

  it('counts from the beginning of the day if the first check has no quote yet (I-15)', () => {
    const { world, looks } = watched(daily);
    world.isQuoted = false;
    expect([looks('8.1'), looks('8')]).toEqual([false, true]);
  });

  it('does not request one for a drawdown at every check while the day is unknown (I-17)', () => {
    const { fold, world, looks } = watched({ maxDailyLoss: '0.02', maxDrawdown: '0.2' });
    fold.apply({ kind: 'equity-peaked', at: YESTERDAY, equity: decimal('12250') });
    world.isQuoted = false;
    expect([looks('8.48'), looks('8.48')]).toEqual([true, false]);
  });

  it('requests one for a drawdown, however many days it took (I-15)', () => {
    const { fold, world, looks } = watched({ maxDailyLoss: '1', maxDrawdown: '0.2' });
    fold.apply({ kind: 'equity-peaked', at: YESTERDAY, equity: decimal('12250') });
    world.now = millis(NOON + 10 * 86_400_000);
    expect([looks('10'), looks('8.48')]).toEqual([false, true]);
  });
});
