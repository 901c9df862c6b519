import { describe, expect, it } from 'vitest';
import { incidentOf, oncePerOrder } from '#src/execution/orders/order-incident.ts';
import { decimal } from '#src/model/decimal.ts';
import { alarm } from '#src/model/order-facets.ts';
import { millis } from '#src/model/time.ts';
import { timesOf, working } from '../fixtures/execution-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();
const ORDER = 'O-INTENT1';
const pushed = { pushComplete: true } as const;

describe('an order whose reports contradict each other', () => {
  it('is read until the venue reports it as filled, for 30 s, then the operator is notified (T-25)', () => {
    const rig = working(pushed);
    rig.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    rig.venue.list(ORDER, { status: 'PartialFilledStatus' });
    rig.venue.push(ORDER);
    expect(timesOf(rig, 'orderDetail', 60)).toEqual([5, 10, 15, 20, 25, 30]);
    expect(rig.concerns).toEqual(['status-missing']);
    rig.venue.list(ORDER, { status: 'FilledStatus' });
    rig.venue.push(ORDER);
    expect([rig.news.at(-1), rig.state.live.size]).toEqual(['filled', 0]);
  });

  it('stays live while executions of a filled one are missing, and halts after 30 s (T-26)', () => {
    const rig = working(pushed);
    rig.venue.list(ORDER, { status: 'FilledStatus', executedQuantity: decimal('100') });
    rig.venue.push(ORDER);
    runTo(rig.clock, seconds(29));
    expect(rig.concerns).toEqual([]);
    runTo(rig.clock, seconds(30));
    expect(rig.concerns).toEqual(['executions-missing, halt account']);
    expect([rig.news, rig.state.live.size]).toEqual([['working'], 1]);
  });

  it('has its executions read while its status is filled, whatever its stated sum (T-26)', () => {
    const rig = working(pushed);
    rig.venue.execute(ORDER, { id: 'e1', quantity: '50', price: '10' });
    rig.venue.push(ORDER);
    rig.venue.execute(ORDER, { id: 'e2', quantity: '50', price: '10' });
    rig.venue.list(ORDER, { status: 'FilledStatus', executedQuantity: decimal('50') });
    rig.venue.push(ORDER);
    expect(rig.state.order(intent.id)?.facets.executed.toString()).toBe('100');
  });

  it('is not over before its executions are booked, however it ended (T-38, I-6, I-13)', () => {
    const rig = working(pushed);
    rig.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    rig.venue.answers.silent.add('executionsToday');
    rig.venue.list(ORDER, { status: 'CanceledStatus' });
    rig.venue.push(ORDER);
    expect([rig.news, rig.state.live.size]).toEqual([['working'], 1]);
    rig.venue.answers.silent.clear();
    runTo(rig.clock, seconds(10));
    expect(rig.news).toEqual(['working', 'fill 40 at 10, fee 0', 'canceled']);
    expect(rig.state.live.size).toBe(0);
  });

  it('is a divergence if less is executed than was booked, read twice (T-27)', () => {
    const rig = working(pushed);
    rig.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    rig.venue.push(ORDER);
    rig.venue.list(ORDER, { executedQuantity: decimal('39') });
    rig.venue.push(ORDER);
    expect(rig.concerns).toEqual([]);
    expect(timesOf(rig, 'orderDetail', 60)).toEqual([2]);
    expect(rig.concerns).toEqual(['shrunk, halt account']);
    expect(rig.state.order(intent.id)?.facets.executed.toString()).toBe('40');
  });

  it('is booked beyond its quantity, and halts the account (T-28, F-B19)', () => {
    const rig = working(pushed);
    rig.venue.execute(ORDER, { id: 'e1', quantity: '130', price: '10' });
    rig.venue.push(ORDER);
    expect(rig.concerns).toContain('overfilled, halt account');
    expect(rig.state.portfolio.holdings.get(AAPL)?.quantity.toString()).toBe('130');
  });

  it('books a late fill and raises an alarm (T-29, F-B15)', () => {
    const rig = working(pushed);
    rig.venue.list(ORDER, { status: 'CanceledStatus' });
    rig.venue.push(ORDER);
    rig.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    rig.venue.list(ORDER, { status: 'CanceledStatus' });
    rig.venue.push(ORDER);
    expect(rig.news).toEqual(['working', 'canceled', 'fill 40 at 10, fee 0']);
    expect([rig.concerns, rig.state.live.size]).toEqual([['late-fill'], 0]);
  });

  it('is open again when a second read 2 s later confirms it (T-31)', () => {
    const rig = working(pushed);
    rig.venue.list(ORDER, { status: 'CanceledStatus' });
    rig.venue.push(ORDER);
    rig.venue.list(ORDER, { status: 'NewStatus' });
    rig.venue.push(ORDER);
    expect(rig.state.live.size).toBe(0);
    runTo(rig.clock, seconds(2));
    expect([rig.concerns, rig.state.live.size]).toEqual([['reopened'], 1]);
    expect(rig.news).toEqual(['working', 'canceled', 'working']);
  });

  it('raises one alarm for an unknown status (T-53)', () => {
    const rig = working(pushed);
    rig.venue.list(ORDER, { status: 'unrecognised' });
    rig.venue.push(ORDER);
    rig.venue.push(ORDER);
    expect([rig.concerns, rig.state.live.size]).toEqual([['unrecognised-status'], 1]);
  });

  it('is halted for other content under a known execution id (T-24)', () => {
    const rig = working(pushed);
    rig.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    rig.venue.push(ORDER);
    rig.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '11' });
    rig.venue.push(ORDER);
    expect(rig.concerns).toContain('execution-changed, halt account');
    expect(rig.state.order(intent.id)?.facets.executed.toString()).toBe('40');
  });
});

describe('an incident', () => {
  const about = { intentId: intent.id, symbol: AAPL, orderId: ORDER };

  it('names the order, and is reported once', () => {
    const heard: unknown[] = [];
    const hear = oncePerOrder((concern) => heard.push(concern.alarm.facts));
    const late = incidentOf(alarm('late-fill', 'late', 'symbol'), about, millis(5));
    hear(late);
    hear(late);
    hear(incidentOf(alarm('late-fill', 'later'), about, millis(6)));
    expect(heard).toEqual([
      { ...about, halt: 'symbol' },
      { ...about, halt: 'none' },
    ]);
  });
});
