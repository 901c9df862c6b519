import { describe, expect, it } from 'vitest';
import { intentId, orderId } from '#src/model/order.ts';
import { inDoubt, timesOf } from '../fixtures/order-lane.ts';
import { intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();

describe('an order without an answer', () => {
  it('is looked for at 0.5, 1, 2, 4, 8, 15, 30 s and then every 30 s (T-09)', () => {
    expect(timesOf(inDoubt(), 'ordersToday', 100)).toEqual([0.5, 1, 2, 4, 8, 15, 30, 60, 90]);
  });

  it('is adopted when the listing shows its tag, and read at once (T-10, I-2, F-B09)', () => {
    const lane = inDoubt();
    runTo(lane.clock, seconds(89));
    lane.venue.list('O-LATE', { intentId: intent.id });
    lane.venue.execute('O-LATE', { id: 'e1', quantity: '100', price: '10' });
    runTo(lane.clock, seconds(90));
    expect(lane.events.find(({ kind }) => kind === 'submit-acked')).toMatchObject({
      orderId: 'O-LATE',
      by: 'listing',
    });
    expect(lane.news).toEqual(['unknown: timed out', 'fill 100 at 10, fee 0', 'filled']);
    expect(lane.happened.filter((call) => call.startsWith('submit'))).toEqual([]);
  });

  it('is not taken for an order of another intent, nor for a foreign one', () => {
    const lane = inDoubt();
    lane.venue.list('O-OTHER', { intentId: intentId('INTENT2') });
    lane.venue.list('O-FOREIGN');
    runTo(lane.clock, seconds(60));
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
  });

  it('is followed like any other once it was found', () => {
    const lane = inDoubt();
    lane.venue.list('O-LATE', { intentId: intent.id });
    runTo(lane.clock, seconds(0.5));
    expect(timesOf(lane, 'orderDetail', 30)).toEqual([1.5, 2.5, 4.5]);
  });

  it('is given up after 120 s and six reads, and its money stays reserved (T-13)', () => {
    const lane = inDoubt();
    runTo(lane.clock, seconds(119.999));
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
    runTo(lane.clock, seconds(120));
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('abandoned');
    expect(lane.news.at(-1)).toBe('unproven: not in 10 listings, never sent again, its money stays reserved');
    expect(lane.state.live.size).toBe(1);
    expect(lane.concerns).toEqual(['unproven']);
    expect(timesOf(lane, 'ordersToday', 240)).toEqual([150, 180, 210, 240]);
    expect(lane.venue.calls.filter((call) => call.startsWith('submit'))).toEqual([]);
  });

  it('is not given up on fewer than six reads, however long it takes (T-13)', () => {
    const lane = inDoubt();
    lane.venue.answers.silent.add('ordersToday');
    runTo(lane.clock, seconds(299));
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
    lane.venue.answers.silent.clear();
    const reads = timesOf(lane, 'ordersToday', 450);
    expect(reads).toEqual([300, 330, 360, 390, 420, 450]);
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('abandoned');
  });

  it('is bound by an answer that comes after its deadline, and read at once (T-11, F-N07)', () => {
    const lane = inDoubt();
    runTo(lane.clock, seconds(20));
    lane.venue.list('O-LATE', { intentId: intent.id });
    lane.venue.answers.unlisted.add('O-LATE');
    lane.venue.answerLate({ intentId: intent.id, answer: { kind: 'accepted', orderId: orderId('O-LATE') } });
    expect(lane.state.order(intent.id)?.facets.submission).toEqual({ kind: 'acked', orderId: 'O-LATE' });
    expect(lane.events.find(({ kind }) => kind === 'submit-acked')).toMatchObject({ by: 'late-answer' });
    expect(lane.news).toEqual(['unknown: timed out', 'working']);
    expect(lane.concerns).toEqual([]);
  });

  it('is adopted, told of and cancelled when its answer comes after it was given up (T-15, F-N07)', () => {
    const lane = inDoubt();
    runTo(lane.clock, seconds(130));
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('abandoned');
    lane.venue.list('O-LATE', { intentId: intent.id });
    lane.venue.answerLate({ intentId: intent.id, answer: { kind: 'accepted', orderId: orderId('O-LATE') } });
    expect(lane.concerns).toEqual(['unproven', 'abandoned-found']);
    runTo(lane.clock, seconds(400));
    expect(lane.venue.calls).toContain('cancel O-LATE');
    expect(lane.venue.calls.filter((call) => call.startsWith('submit'))).toEqual([]);
  });

  it.each([
    { kind: 'refused', code: 602001, message: 'no' },
    { kind: 'unknown', message: 'HTTP 500' },
  ] as const)('stays as it is when the late answer is no order id: $kind (T-11)', (answer) => {
    const lane = inDoubt();
    lane.venue.answerLate({ intentId: intent.id, answer });
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
    expect(lane.state.live.size).toBe(1);
  });
});
