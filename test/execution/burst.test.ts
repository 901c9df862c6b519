import { describe, expect, it } from 'vitest';
import { CALL_BUDGET } from '#src/execution/call-budget/call-budget.ts';
import { createOrderLane, type OrderLane } from '../fixtures/order-lane.ts';
import { chargeOf, intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

/**
 * When the listing is read next after the orders filled, and the calls for it have left.
 * @see docs/reliability.md, I-3
 */
const KNOWN_WITHIN_MS = 6_000;
/** Orders that came one by one, each with its reads, until all is quiet. */
const BEFORE_S = 600;

/** A lane that keeps the budget, with so many orders that rest at the venue. */
function resting(count: number): OrderLane {
  const lane = createOrderLane({ counted: true });
  for (let at = 0; at < count; at += 1) {
    runTo(lane.clock, seconds(at * 10));
    lane.send(intentOf(`INTENT${at}`));
  }
  runTo(lane.clock, seconds(BEFORE_S));
  expect(lane.state.live.size).toBe(count);
  return lane;
}

function fillAll(lane: OrderLane, count: number, pushed: (at: number) => boolean): void {
  for (let at = 0; at < count; at += 1) {
    const order = `O-INTENT${at}`;
    lane.venue.execute(order, { id: `e${at}`, quantity: '100', price: '10' });
    lane.venue.charge(order, [chargeOf('PLATFORM_FEE', '1')]);
    if (pushed(at)) lane.venue.push(order);
  }
}

/** Milliseconds until so many orders are known to be filled. */
function knownAfter(lane: OrderLane, count: number): number {
  const began = lane.clock.now();
  while (lane.news.filter((news) => news === 'filled').length < count) {
    if (lane.clock.now() - began > 600_000) return Number.POSITIVE_INFINITY;
    lane.clock.fireNext();
  }
  return lane.clock.now() - began;
}

describe('orders that fill together, with the calls of an account counted', () => {
  it.each([1, 5, 20, 50])('%d of them are known within 6 s though no push came (F-B13, I-3)', (count) => {
    for (const offset of [0, 1.1, 2.5, 4.9]) {
      const lane = resting(count);
      runTo(lane.clock, seconds(BEFORE_S + offset));
      fillAll(lane, count, () => false);
      expect(knownAfter(lane, count)).toBeLessThanOrEqual(KNOWN_WITHIN_MS);
    }
  });

  it.each([1, 5, 20, 50])('%d of them are known within a second when they are pushed', (count) => {
    const lane = resting(count);
    fillAll(lane, count, () => true);
    expect(knownAfter(lane, count)).toBeLessThanOrEqual(1_000);
  });

  it('are known within 6 s when every other push is lost, wave after wave', () => {
    const lane = resting(50);
    for (let wave = 1; wave <= 5; wave += 1) {
      for (let at = (wave - 1) * 10; at < wave * 10; at += 1) {
        lane.venue.execute(`O-INTENT${at}`, { id: `e${at}`, quantity: '100', price: '10' });
        if (at % 2 === 0) lane.venue.push(`O-INTENT${at}`);
      }
      expect(knownAfter(lane, wave * 10)).toBeLessThanOrEqual(KNOWN_WITHIN_MS);
    }
  });

  it('are charged in time, and each is charged once (I-13)', () => {
    const lane = resting(20);
    fillAll(lane, 20, () => false);
    knownAfter(lane, 20);
    expect(lane.state.uncharged.size).toBe(20);
    expect(lane.state.portfolio.cash.get('USD')?.toString()).toBe('-20000');
    runTo(lane.clock, seconds(BEFORE_S + 600));
    expect(lane.state.uncharged.size).toBe(0);
    expect(lane.state.portfolio.cash.get('USD')?.toString()).toBe('-20020');
    const charged = lane.events.filter(({ kind }) => kind === 'order-charged');
    expect(charged).toHaveLength(20);
  });

  it('do not hide a late fill of an order that is over already (T-29)', () => {
    const lane = resting(20);
    lane.venue.list('O-INTENT0', { status: 'CanceledStatus' });
    lane.venue.push('O-INTENT0');
    while (!lane.news.includes('canceled')) lane.clock.fireNext();
    for (let at = 1; at < 20; at += 1) {
      lane.venue.execute(`O-INTENT${at}`, { id: `e${at}`, quantity: '100', price: '10' });
      lane.venue.push(`O-INTENT${at}`);
      knownAfter(lane, at);
    }
    lane.venue.execute('O-INTENT0', { id: 'e0', quantity: '100', price: '10' });
    lane.venue.push('O-INTENT0');
    runTo(lane.clock, lane.clock.now() + 40_000);
    expect(lane.concerns).toContain('late-fill');
  });

  it('never take more calls than reads may have (I-17)', () => {
    const lane = resting(50);
    const began = lane.happened.length;
    fillAll(lane, 50, (at) => at % 3 === 0);
    const left: number[] = [];
    while (lane.clock.now() < seconds(BEFORE_S + 300)) {
      const before = lane.happened.filter((call) => !call.startsWith('journal')).length;
      lane.clock.fireNext();
      const made = lane.happened.filter((call) => !call.startsWith('journal')).length - before;
      for (let each = 0; each < made; each += 1) left.push(lane.clock.now());
    }
    expect(lane.happened.length).toBeGreaterThan(began);
    for (const from of left) {
      const within = left.filter((at) => at >= from && at < from + CALL_BUDGET.windowMs);
      expect(within.length).toBeLessThanOrEqual(CALL_BUDGET.calls - CALL_BUDGET.kills);
    }
  });
});
