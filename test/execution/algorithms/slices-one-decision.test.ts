import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { intentId } from '#src/model/order.ts';
import type { RiskLimits } from '#src/risk/limits.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../../fixtures/engine-rig.ts';
import { AAPL } from '../../fixtures/market.ts';
import { termsOf } from '../../fixtures/orders.ts';
import { restarted } from '../../fixtures/restarting.ts';
import { runTo, seconds } from '../../fixtures/time.ts';
import { submits } from '../a-buying-bot.ts';

/** The default limits of a config. */
const DEFAULTS: Partial<RiskLimits> = {
  maxRepeats: 3,
  repeatWindow: seconds(60),
  maxOrderRate: 20,
  maxBreaches: 10,
  maxOpenOrders: 20,
};

const denials = (rig: EngineRig): readonly string[] =>
  [...rig.journal.replay()].flatMap((event) => (event.kind === 'intent-denied' ? [event.rule] : []));

/** Orders a TWAP at the first quote. */
function twapping(parts: number, minutes: number, options: RigOptions = {}): RigOptions {
  let asked = false;
  return {
    limits: DEFAULTS,
    ...options,
    strategy: {
      onQuote: () => {
        if (asked) return undefined;
        asked = true;
        return orderDrafts.twap(orderDrafts.buy(AAPL, parts * 10), { minutes, parts });
      },
    },
  };
}

function started(options: RigOptions): EngineRig {
  const rig = createEngineRig(options);
  rig.start();
  rig.quote(10);
  return rig;
}

describe('slices of one algorithm', () => {
  it('are one decision for rate rules: 30 equal slices in one minute pass', () => {
    const rig = started(twapping(30, 1));
    runTo(rig.clock, seconds(60));
    expect([denials(rig), submits(rig)]).toEqual([[], 30]);
    expect(rig.engine.gateNow().state).toBe('active');
  });

  it('count once together with orders of the strategy, so that repeated identical orders are still denied', () => {
    const rig = createEngineRig({
      limits: DEFAULTS,
      strategy: { onQuote: () => orderDrafts.twap(orderDrafts.buy(AAPL, 20), { minutes: 1, parts: 2 }) },
    });
    rig.start();
    for (let count = 0; count < 5; count += 1) rig.quote(10);
    expect(denials(rig)).toEqual(['duplicate-order', 'duplicate-order']);
  });

  it('that are denied count as one breach', () => {
    const rig = started(twapping(30, 1, { limits: { ...DEFAULTS, maxOrderQuantity: decimal('5') } }));
    runTo(rig.clock, seconds(60));
    expect(denials(rig)).toHaveLength(30);
    expect(rig.engine.gateNow().state).toBe('active');
  });
});

describe('slices that were missed while the bot was down', () => {
  /** A TWAP of ten slices a minute apart, whose bot ended after the second and restarts after the sixth was due. */
  function afterOutage(missedSlices: 'drop' | 'spread' | undefined, comesBackAt = 390) {
    const more = missedSlices === undefined ? {} : { missedSlices };
    const before = started(twapping(10, 10, more));
    runTo(before.clock, seconds(70));
    expect(submits(before)).toBe(2);
    const alarms: Alarm[] = [];
    const rig = restarted(
      [...before.journal.replay()],
      ({ clock, venue }) => {
        for (const id of ['I2', 'I3']) {
          const terms = termsOf({ symbol: AAPL, quantity: decimal('10') });
          venue.list(`O-${id}`, { intentId: intentId(id), terms, status: 'FilledStatus' });
          venue.execute(`O-${id}`, { id: `e-${id}`, quantity: '10', price: '10' });
        }
        venue.hold({ AAPL: '20' }, '9800');
        clock.moveTo(seconds(comesBackAt));
      },
      { limits: DEFAULTS, minted: 3, onAlarm: (alarm) => alarms.push(alarm) },
    );
    return { rig, alarms };
  }

  const quantities = (rig: EngineRig): readonly string[] =>
    [...rig.journal.replay()].flatMap((event) =>
      event.kind === 'intent-drafted' && event.link?.slot.startsWith('slice-') === true
        ? [`${event.link.slot} ${event.terms.quantity}`]
        : [],
    );

  it.each([undefined, 'drop'] as const)('are dropped with an alarm (%s)', (how) => {
    const { rig, alarms } = afterOutage(how);
    expect(quantities(rig).slice(2)).toEqual(['slice-7 10']);
    runTo(rig.clock, seconds(600));
    expect(quantities(rig).slice(2)).toEqual(['slice-7 10', 'slice-8 10', 'slice-9 10', 'slice-10 10']);
    expect(alarms.filter(({ code }) => code === 'slices-missed')).toMatchObject([
      { message: expect.stringMatching(/4 of 10 slices .* dropped/) },
    ]);
  });

  it('are spread over the remaining ones if configured', () => {
    const { rig } = afterOutage('spread');
    runTo(rig.clock, seconds(600));
    expect(quantities(rig).slice(2)).toEqual(['slice-7 20', 'slice-8 20', 'slice-9 20', 'slice-10 20']);
  });

  it('end the algorithm when all their times have passed: nothing is sent late', () => {
    const { rig, alarms } = afterOutage('spread', 4_000);
    expect(quantities(rig)).toHaveLength(2);
    expect([...rig.journal.replay()].at(-1)).toMatchObject({
      kind: 'algorithm-ended',
      why: expect.stringContaining('8 slices missed'),
    });
    expect(alarms.some(({ code }) => code === 'slices-missed')).toBe(true);
  });
});
