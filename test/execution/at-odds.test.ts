import { describe, expect, it } from 'vitest';
import { incidentOf, oncePerOrder } from '#src/execution/orders/order-incident.ts';
import { decimal } from '#src/model/decimal.ts';
import { alarm } from '#src/model/order-facets.ts';
import { millis } from '#src/model/time.ts';
import { AAPL } from '../fixtures/market.ts';
import { timesOf, working } from '../fixtures/order-lane.ts';
import { intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();
const ORDER = 'O-INTENT1';
const pushed = { pushComplete: true } as const;

describe('an order at odds with itself', () => {
  it('is read until the venue calls it filled, for 30 s, then a person hears of it (T-25)', () => {
    const lane = working(pushed);
    lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    lane.venue.list(ORDER, { status: 'PartialFilledStatus' });
    lane.venue.push(ORDER);
    expect(timesOf(lane, 'orderDetail', 60)).toEqual([5, 10, 15, 20, 25, 30]);
    expect(lane.concerns).toEqual(['status-missing']);
    lane.venue.list(ORDER, { status: 'FilledStatus' });
    lane.venue.push(ORDER);
    expect([lane.news.at(-1), lane.state.live.size]).toEqual(['filled', 0]);
  });

  it('stays live while executions of a filled one are missing, and halts after 30 s (T-26)', () => {
    const lane = working(pushed);
    lane.venue.list(ORDER, { status: 'FilledStatus', executedQuantity: decimal('100') });
    lane.venue.push(ORDER);
    runTo(lane.clock, seconds(29));
    expect(lane.concerns).toEqual([]);
    runTo(lane.clock, seconds(30));
    expect(lane.concerns).toEqual(['executions-missing, halt account']);
    expect([lane.news, lane.state.live.size]).toEqual([['working'], 1]);
  });

  it('is asked for its executions while it is called filled, whatever it says of their sum (T-26)', () => {
    const lane = working(pushed);
    lane.venue.execute(ORDER, { id: 'e1', quantity: '50', price: '10' });
    lane.venue.push(ORDER);
    lane.venue.execute(ORDER, { id: 'e2', quantity: '50', price: '10' });
    lane.venue.list(ORDER, { status: 'FilledStatus', executedQuantity: decimal('50') });
    lane.venue.push(ORDER);
    expect(lane.state.order(intent.id)?.facets.executed.toString()).toBe('100');
  });

  it('is not over before what was executed of it is booked, however it ended (T-38, I-6, I-13)', () => {
    const lane = working(pushed);
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    lane.venue.answers.silent.add('executionsToday');
    lane.venue.list(ORDER, { status: 'CanceledStatus' });
    lane.venue.push(ORDER);
    expect([lane.news, lane.state.live.size]).toEqual([['working'], 1]);
    lane.venue.answers.silent.clear();
    runTo(lane.clock, seconds(10));
    expect(lane.news).toEqual(['working', 'fill 40 at 10, fee 0', 'canceled']);
    expect(lane.state.live.size).toBe(0);
  });

  it('is a divergence when less is executed than was booked, read twice (T-27)', () => {
    const lane = working(pushed);
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    lane.venue.push(ORDER);
    lane.venue.list(ORDER, { executedQuantity: decimal('39') });
    lane.venue.push(ORDER);
    expect(lane.concerns).toEqual([]);
    expect(timesOf(lane, 'orderDetail', 60)).toEqual([2]);
    expect(lane.concerns).toEqual(['shrunk, halt account']);
    expect(lane.state.order(intent.id)?.facets.executed.toString()).toBe('40');
  });

  it('is booked beyond what was ordered, and halts the account (T-28, F-B19)', () => {
    const lane = working(pushed);
    lane.venue.execute(ORDER, { id: 'e1', quantity: '130', price: '10' });
    lane.venue.push(ORDER);
    expect(lane.concerns).toContain('overfilled, halt account');
    expect(lane.state.portfolio.holdings.get(AAPL)?.quantity.toString()).toBe('130');
  });

  it('books a late fill and says so (T-29, F-B15)', () => {
    const lane = working(pushed);
    lane.venue.list(ORDER, { status: 'CanceledStatus' });
    lane.venue.push(ORDER);
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    lane.venue.list(ORDER, { status: 'CanceledStatus' });
    lane.venue.push(ORDER);
    expect(lane.news).toEqual(['working', 'canceled', 'fill 40 at 10, fee 0']);
    expect([lane.concerns, lane.state.live.size]).toEqual([['late-fill'], 0]);
  });

  it('lives again when a second read 2 s later says so (T-31)', () => {
    const lane = working(pushed);
    lane.venue.list(ORDER, { status: 'CanceledStatus' });
    lane.venue.push(ORDER);
    lane.venue.list(ORDER, { status: 'NewStatus' });
    lane.venue.push(ORDER);
    expect(lane.state.live.size).toBe(0);
    runTo(lane.clock, seconds(2));
    expect([lane.concerns, lane.state.live.size]).toEqual([['reopened'], 1]);
    expect(lane.news).toEqual(['working', 'canceled', 'working']);
  });

  it('under a status that nobody knows is made known once (T-53)', () => {
    const lane = working(pushed);
    lane.venue.list(ORDER, { status: 'unrecognised' });
    lane.venue.push(ORDER);
    lane.venue.push(ORDER);
    expect([lane.concerns, lane.state.live.size]).toEqual([['unrecognised-status'], 1]);
  });

  it('is halted for other content under a known execution id (T-24)', () => {
    const lane = working(pushed);
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    lane.venue.push(ORDER);
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '11' });
    lane.venue.push(ORDER);
    expect(lane.concerns).toContain('execution-changed, halt account');
    expect(lane.state.order(intent.id)?.facets.executed.toString()).toBe('40');
  });
});

describe('a concern', () => {
  const about = { intentId: intent.id, symbol: AAPL, orderId: ORDER };

  it('names the order, and is heard once', () => {
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
