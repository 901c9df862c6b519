import { describe, expect, it } from 'vitest';
import { CALL_BUDGET } from '#src/execution/call-budget/call-budget.ts';
import { createExecutionRig, type ExecutionRig } from '../fixtures/execution-rig.ts';
import { chargeOf, intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

/** Latest time of the next listing after the fills, once the calls have left. @see docs/reliability.md, I-3 */
const KNOWN_WITHIN_MS = 6_000;
/** Orders that came one by one, each with its reads, until everything is quiet. */
const BEFORE_S = 600;

/** A rig with a call budget and this number of working orders at the venue. */
function resting(count: number): ExecutionRig {
  const rig = createExecutionRig({ counted: true });
  for (let at = 0; at < count; at += 1) {
    runTo(rig.clock, seconds(at * 10));
    rig.send(intentOf(`INTENT${at}`));
  }
  runTo(rig.clock, seconds(BEFORE_S));
  expect(rig.state.live.size).toBe(count);
  return rig;
}

function fillAll(rig: ExecutionRig, count: number, pushed: (at: number) => boolean): void {
  for (let at = 0; at < count; at += 1) {
    const order = `O-INTENT${at}`;
    rig.venue.execute(order, { id: `e${at}`, quantity: '100', price: '10' });
    rig.venue.charge(order, [chargeOf('PLATFORM_FEE', '1')]);
    if (pushed(at)) rig.venue.push(order);
  }
}

/** Milliseconds until this number of orders are known to be filled. */
function knownAfter(rig: ExecutionRig, count: number): number {
  const began = rig.clock.now();
  while (rig.news.filter((news) => news === 'filled').length < count) {
    if (rig.clock.now() - began > 600_000) return Number.POSITIVE_INFINITY;
    rig.clock.fireNext();
  }
  return rig.clock.now() - began;
}

describe('orders that fill together, with the calls of an account counted', () => {
  it.each([1, 5, 20, 50])('%d of them are known within 6 s without any push (F-B13, I-3)', (count) => {
    for (const offset of [0, 1.1, 2.5, 4.9]) {
      const rig = resting(count);
      runTo(rig.clock, seconds(BEFORE_S + offset));
      fillAll(rig, count, () => false);
      expect(knownAfter(rig, count)).toBeLessThanOrEqual(KNOWN_WITHIN_MS);
    }
  });

  it.each([1, 5, 20, 50])('%d of them are known within a second when they are pushed', (count) => {
    const rig = resting(count);
    fillAll(rig, count, () => true);
    expect(knownAfter(rig, count)).toBeLessThanOrEqual(1_000);
  });

  it('are known within 6 s when every other push is lost, wave after wave', () => {
    const rig = resting(50);
    for (let wave = 1; wave <= 5; wave += 1) {
      for (let at = (wave - 1) * 10; at < wave * 10; at += 1) {
        rig.venue.execute(`O-INTENT${at}`, { id: `e${at}`, quantity: '100', price: '10' });
        if (at % 2 === 0) rig.venue.push(`O-INTENT${at}`);
      }
      expect(knownAfter(rig, wave * 10)).toBeLessThanOrEqual(KNOWN_WITHIN_MS);
    }
  });

  it('are charged in time, and each is charged once (I-13)', () => {
    const rig = resting(20);
    fillAll(rig, 20, () => false);
    knownAfter(rig, 20);
    expect(rig.state.uncharged.size).toBe(20);
    expect(rig.state.portfolio.cash.get('USD')?.toString()).toBe('-20000');
    runTo(rig.clock, seconds(BEFORE_S + 600));
    expect(rig.state.uncharged.size).toBe(0);
    expect(rig.state.portfolio.cash.get('USD')?.toString()).toBe('-20020');
    const charged = rig.events.filter(({ kind }) => kind === 'order-charged');
    expect(charged).toHaveLength(20);
  });

  it('do not hide a late fill of an order that is over already (T-29)', () => {
    const rig = resting(20);
    rig.venue.list('O-INTENT0', { status: 'CanceledStatus' });
    rig.venue.push('O-INTENT0');
    while (!rig.news.includes('canceled')) rig.clock.fireNext();
    for (let at = 1; at < 20; at += 1) {
      rig.venue.execute(`O-INTENT${at}`, { id: `e${at}`, quantity: '100', price: '10' });
      rig.venue.push(`O-INTENT${at}`);
      knownAfter(rig, at);
    }
    rig.venue.execute('O-INTENT0', { id: 'e0', quantity: '100', price: '10' });
    rig.venue.push('O-INTENT0');
    runTo(rig.clock, rig.clock.now() + 40_000);
    expect(rig.concerns).toContain('late-fill');
  });

  it('never take more calls than reads may have (I-17)', () => {
    const rig = resting(50);
    const began = rig.happened.length;
    fillAll(rig, 50, (at) => at % 3 === 0);
    const left: number[] = [];
    while (rig.clock.now() < seconds(BEFORE_S + 300)) {
      const before = rig.happened.filter((call) => !call.startsWith('journal')).length;
      rig.clock.fireNext();
      const made = rig.happened.filter((call) => !call.startsWith('journal')).length - before;
      for (let each = 0; each < made; each += 1) left.push(rig.clock.now());
    }
    expect(rig.happened.length).toBeGreaterThan(began);
    for (const from of left) {
      const within = left.filter((at) => at >= from && at < from + CALL_BUDGET.windowMs);
      expect(within.length).toBeLessThanOrEqual(CALL_BUDGET.calls - CALL_BUDGET.kills);
    }
  });
});
