import { describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { planOf } from '#src/execution/algorithms/plans.ts';
import { decimal } from '#src/model/decimal.ts';
import type { Alarm } from '#src/model/notice.ts';
import { type Millis, millis } from '#src/model/time.ts';
import type { MissingQuotes } from '#src/ports/quote-feed.ts';
import { createEngineRig } from '../../fixtures/engine-rig.ts';
import { AAPL, security } from '../../fixtures/market.ts';
import { runTo } from '../../fixtures/time.ts';

const MINUTE = 60_000;

/** A bot whose iceberg of three slices has its first one filled, and which receives no quotes from then on. */
function filledOnce() {
  const alarms: Alarm[] = [];
  let unheard: readonly MissingQuotes[] = [];
  let asked = false;
  const rig = createEngineRig({
    strategy: {
      onQuote: (_quote, { orders }) => {
        if (asked) return undefined;
        asked = true;
        return orders.iceberg(orders.buy(AAPL, 30, { type: 'LO', price: 9 }), { shown: 10 });
      },
    },
    unheard: () => unheard,
    onAlarm: (alarm) => alarms.push(alarm),
  });
  rig.start();
  rig.quote(10);
  unheard = [{ symbol: AAPL, why: 'the quote connection is down', since: rig.clock.now() }];
  rig.venue.execute('O-I2', { id: 'e1', quantity: '10', price: '9' });
  rig.venue.list('O-I2', { status: 'FilledStatus' });
  rig.venue.push('O-I2');
  return {
    rig,
    alarms,
    hear: () => {
      unheard = [];
    },
    events: () => [...rig.journal.replay()],
  };
}

const ends = (events: readonly SluiceEvent[]) =>
  events.flatMap((event) => (event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : []));

describe('the next slice of an iceberg', () => {
  it('is submitted again while it is temporarily denied', () => {
    const { rig, events, hear } = filledOnce();
    runTo(rig.clock, millis(4 * MINUTE));
    expect(ends(events())).toEqual([]);
    hear();
    runTo(rig.clock, millis(9 * MINUTE));
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toHaveLength(2);
  });

  it('is abandoned with an alarm ten minutes after the previous slice was filled', () => {
    const { rig, events, alarms } = filledOnce();
    runTo(rig.clock, millis(30 * MINUTE));
    const why =
      'part 2 of 3 could not be sent within 10 minutes after the part before it was filled, last denied by unheard-quote; 10 of 30 AAPL.US traded';
    expect(ends(events())).toEqual([`failed: ${why}`]);
    expect(alarms).toContainEqual(
      expect.objectContaining({ code: 'slices-missed', message: `An order in parts ended: ${why}` }),
    );
  });

  it('has ten minutes from the moment at which an operator settles the previous slice as filled', () => {
    const { state, apply } = createFold();
    const kept = filledOnce().events();
    for (const event of kept.slice(
      0,
      kept.findIndex(({ kind }) => kind === 'order-filled'),
    ))
      apply(event);
    const [order] = [...state.live.values()];
    if (order === undefined) throw new Error('The first part is working');
    const settledAt = millis(20 * MINUTE);
    apply({
      ...{ kind: 'order-settled', at: settledAt, intentId: order.intentId, outcome: 'filled' },
      ...{
        quantity: decimal('10'),
        price: decimal('9'),
        currency: 'USD',
        by: 'operator',
        reason: 'by telephone',
      },
    });
    const [algorithm] = [...state.algorithms.values()];
    expect(algorithm).toMatchObject({ firstFillAt: settledAt, lastFillAt: settledAt });
  });

  it('is not sent hours later by a bot that was down', () => {
    const { state, apply } = createFold();
    const kept = filledOnce().events();
    for (const event of kept.slice(
      0,
      kept.findLastIndex(({ kind }) => kind === 'intent-drafted'),
    ))
      apply(event);
    const last = decimal('10');
    const sources = {
      ...{ period: '1m' as const, security: () => security(AAPL), rebalanceOrder: () => undefined },
      ...{ last: () => last, close: () => last },
    };
    const [algorithm] = [...state.algorithms.values()];
    if (algorithm === undefined) throw new Error('The iceberg is active');
    const at = (now: Millis) => planOf(algorithm, { sources, state, held: [], now }).map(({ kind }) => kind);
    expect(at(millis(9 * MINUTE))).toEqual(['submit']);
    expect(at(millis(180 * MINUTE))).toEqual(['end']);
    expect(planOf(algorithm, { sources, state, held: [], now: millis(180 * MINUTE) })[0]).toMatchObject({
      alarm: 'slices-missed',
    });
  });
});
