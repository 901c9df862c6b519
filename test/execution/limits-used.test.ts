import { describe, expect, it } from 'vitest';
import type { FactSources } from '#src/execution/gate/fact-sources.ts';
import { limitsUsed } from '#src/execution/gate/limits-used.ts';
import { decimal } from '#src/model/decimal.ts';
import { type Millis, millis } from '#src/model/time.ts';
import { wideLimits } from '#src/testing/wide-limits.ts';
import { factSourcesOf } from '../fixtures/fact-sources.ts';
import { TENCENT } from '../fixtures/market.ts';
import { lostSince, peak } from '../risk/bound-row.ts';
import { ALIBABA, type BoundedRig, boundedRig, HK_MORNING, limitsIn } from '../risk/bounded.ts';

const LIMITS = `{ maxOpenOrders: 10, maxOrderRate: 10/min, maxUnattendedFills: 200, maxBreaches: 10, maxDailyLoss: 2%,
  maxDrawdown: 20%, maxGrossExposure: 100%, maxNetExposure: 50% }`;

/** The use of each limit, such as "open orders 1 of 10". */
function used({ state, world }: BoundedRig, equity: number, change: Partial<FactSources> = {}) {
  const sources = factSourcesOf(state, {
    now: () => world.now,
    reference: () => ({ value: decimal('80'), at: world.now }),
    rateOf: () => decimal('0.125'),
    closeBefore: () => decimal(world.closes.before),
    ...change,
  });
  const limits = { ...wideLimits('USD'), ...limitsIn(LIMITS) };
  return limitsUsed(sources, limits, equity).map(({ name, value, limit }) => `${name} ${value} of ${limit}`);
}

describe('the use of the limits', () => {
  it('is nothing at a start', () => {
    expect(used(boundedRig(), 10_000)).toEqual([
      'open orders 0 of 10',
      'orders in a minute 0 of 10',
      'fills without an operator 0 of 200',
      'breaches 0 of 10',
      'loss of the day 0% of 2%',
      'drawdown 0% of 20%',
      'gross exposure 0% of 100%',
      'net exposure 0% of 50%',
    ]);
  });

  it('counts orders, fills and breaches as the gate does, and values as if every open order were filled (I-6, I-15)', () => {
    const rig = boundedRig();
    rig.open(ALIBABA, 'acked', 'unknown');
    rig.foreign(TENCENT, 'sell');
    const ago = (ms: number): Millis => millis(HK_MORNING - ms);
    for (const ms of [60_000, 59_999, 1]) rig.passed(ago(ms));
    for (const ms of [60_000, 59_999]) rig.denied(ago(ms), 'max-order-notional');
    rig.denied(ago(1), 'stale-quote');
    rig.fill(ago(1));
    expect(used(rig, 10_000)).toEqual([
      'open orders 4 of 10',
      'orders in a minute 2 of 10',
      'fills without an operator 1 of 200',
      'breaches 1 of 10',
      'loss of the day 0% of 2%',
      'drawdown 0% of 20%',
      'gross exposure 30.1% of 100%',
      'net exposure 20.1% of 50%',
    ]);
  });

  it('measures losses from the beginning of the day, from its resume, and from the peak (I-15)', () => {
    const rig = boundedRig();
    lostSince('96', '9800')(rig);
    peak('12500')(rig);
    const losses = (equity: number) => used(rig, equity).slice(4, 6);
    expect(losses(9_800)).toEqual(['loss of the day 2% of 2%', 'drawdown 21.6% of 20%']);
    rig.tell({
      ...{ kind: 'gate-moved', at: HK_MORNING, state: 'active', by: 'operator', rule: 'resume', reason: 'x' },
      equity: decimal('9800'),
    });
    expect(losses(9_702)).toEqual(['loss of the day 1% of 2%', 'drawdown 1% of 20%']);
  });

  it('marks unknown figures as unknown', () => {
    const rig = boundedRig();
    rig.hold(TENCENT, 100);
    const blind = used(rig, Number.NaN, { reference: () => undefined });
    expect(blind.slice(4)).toEqual([
      'loss of the day not known of 2%',
      'drawdown not known of 20%',
      'gross exposure not known of 100%',
      'net exposure not known of 50%',
    ]);
  });
});
