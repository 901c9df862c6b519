import { EMPTY } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createActivity } from '#src/app/clock/activity.ts';
import { createEventLoopYield, YIELD_INTERVAL_MS } from '#src/app/clock/event-loop-yield.ts';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { millis } from '#src/model/time.ts';
import type { Clock } from '#src/ports/clock.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { createEngineRig } from '../../fixtures/engine-rig.ts';
import { AAPL } from '../../fixtures/market.ts';

const FLOOD = 1_000;

/** A clock that advances by a millisecond per read. */
function ticking(): Clock {
  const clock = new VirtualClock(millis(0));
  return {
    at: clock.at.bind(clock),
    now: () => {
      clock.moveTo(millis(clock.now() + 1));
      return clock.now();
    },
  };
}

describe('a strategy that submits a thousand orders at one event', () => {
  it('blocks the event loop for 20 ms at most: a kill is handled between them (I-14, I-16, F-G04)', async () => {
    const activity = createActivity();
    const rig = createEngineRig({
      strategy: { onQuote: () => Array.from({ length: FLOOD }, () => orderDrafts.buy(AAPL, 1)) },
      yieldToEventLoop: createEventLoopYield(ticking(), activity),
    });
    rig.start();
    setImmediate(() => rig.command({ kind: 'kill', flatten: false, foreign: false }));
    rig.quote(10);
    await activity.idle();
    const events = [...rig.journal.replay()];
    const count = (kind: string): number => events.filter((event) => event.kind === kind).length;
    expect(count('intent-drafted')).toBe(FLOOD);
    expect(count('intent-armed')).toBeLessThanOrEqual(YIELD_INTERVAL_MS);
    expect(count('intent-denied')).toBeGreaterThanOrEqual(FLOOD - YIELD_INTERVAL_MS);
    const killed = events.findIndex(({ kind }) => kind === 'gate-moved');
    expect(events.slice(killed).some(({ kind }) => kind === 'intent-armed')).toBe(false);
  });

  it('is processed without a pause while there is time', () => {
    const clock = new VirtualClock(millis(0));
    const breathe = createEventLoopYield(clock, createActivity());
    expect(breathe()).toBe(EMPTY);
    clock.moveTo(millis(YIELD_INTERVAL_MS - 1));
    expect(breathe()).toBe(EMPTY);
    clock.moveTo(millis(YIELD_INTERVAL_MS));
    expect(breathe()).not.toBe(EMPTY);
  });
});
