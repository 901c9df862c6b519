import { describe, expect, it } from 'vitest';
import { intentId, orderId } from '#src/model/order.ts';
import { inDoubt, timesOf } from '../fixtures/execution-rig.ts';
import { intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();

describe('an order without an answer', () => {
  it('is looked for at 0.5, 1, 2, 4, 8, 15, 30 s and then every 30 s (T-09)', () => {
    expect(timesOf(inDoubt(), 'ordersToday', 100)).toEqual([0.5, 1, 2, 4, 8, 15, 30, 60, 90]);
  });

  it('is adopted when the list shows its tag, and read at once (T-10, I-2, F-B09)', () => {
    const rig = inDoubt();
    runTo(rig.clock, seconds(89));
    rig.venue.list('O-LATE', { intentId: intent.id });
    rig.venue.execute('O-LATE', { id: 'e1', quantity: '100', price: '10' });
    runTo(rig.clock, seconds(90));
    expect(rig.events.find(({ kind }) => kind === 'submit-acked')).toMatchObject({
      orderId: 'O-LATE',
      by: 'listing',
    });
    expect(rig.news).toEqual(['unknown: timed out', 'fill 100 at 10, fee 0', 'filled']);
    expect(rig.happened.filter((call) => call.startsWith('submit'))).toEqual([]);
  });

  it('is not confused with an order of another intent, nor with a foreign one', () => {
    const rig = inDoubt();
    rig.venue.list('O-OTHER', { intentId: intentId('INTENT2') });
    rig.venue.list('O-FOREIGN');
    runTo(rig.clock, seconds(60));
    expect(rig.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
  });

  it('is followed like any other once it was found', () => {
    const rig = inDoubt();
    rig.venue.list('O-LATE', { intentId: intent.id });
    runTo(rig.clock, seconds(0.5));
    expect(timesOf(rig, 'orderDetail', 30)).toEqual([1.5, 2.5, 4.5]);
  });

  it('is abandoned after 120 s and six reads, and its cash stays reserved (T-13)', () => {
    const rig = inDoubt();
    runTo(rig.clock, seconds(119.999));
    expect(rig.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
    runTo(rig.clock, seconds(120));
    expect(rig.state.order(intent.id)?.facets.submission.kind).toBe('abandoned');
    expect(rig.news.at(-1)).toBe('unproven: not in 10 listings, never sent again, its money stays reserved');
    expect(rig.state.live.size).toBe(1);
    expect(rig.concerns).toEqual(['unproven']);
    expect(timesOf(rig, 'ordersToday', 240)).toEqual([150, 180, 210, 240]);
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toEqual([]);
  });

  it('is not abandoned after fewer than six reads, however long it takes (T-13)', () => {
    const rig = inDoubt();
    rig.venue.answers.silent.add('ordersToday');
    runTo(rig.clock, seconds(299));
    expect(rig.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
    rig.venue.answers.silent.clear();
    const reads = timesOf(rig, 'ordersToday', 450);
    expect(reads).toEqual([300, 330, 360, 390, 420, 450]);
    expect(rig.state.order(intent.id)?.facets.submission.kind).toBe('abandoned');
  });

  it('is bound by an answer that comes after its deadline, and read at once (T-11, F-N07)', () => {
    const rig = inDoubt();
    runTo(rig.clock, seconds(20));
    rig.venue.list('O-LATE', { intentId: intent.id });
    rig.venue.answers.unlisted.add('O-LATE');
    rig.venue.answerLate({ intentId: intent.id, answer: { kind: 'accepted', orderId: orderId('O-LATE') } });
    expect(rig.state.order(intent.id)?.facets.submission).toEqual({ kind: 'acked', orderId: 'O-LATE' });
    expect(rig.events.find(({ kind }) => kind === 'submit-acked')).toMatchObject({ by: 'late-answer' });
    expect(rig.news).toEqual(['unknown: timed out', 'working']);
    expect(rig.concerns).toEqual([]);
  });

  it('is adopted, reported and cancelled when its answer comes after it was considered lost (T-15, F-N07)', () => {
    const rig = inDoubt();
    runTo(rig.clock, seconds(130));
    expect(rig.state.order(intent.id)?.facets.submission.kind).toBe('abandoned');
    rig.venue.list('O-LATE', { intentId: intent.id });
    rig.venue.answerLate({ intentId: intent.id, answer: { kind: 'accepted', orderId: orderId('O-LATE') } });
    expect(rig.concerns).toEqual(['unproven', 'abandoned-found']);
    runTo(rig.clock, seconds(400));
    expect(rig.venue.calls).toContain('cancel O-LATE');
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toEqual([]);
  });

  it.each([
    { kind: 'refused', code: 602001, message: 'no' },
    { kind: 'unknown', message: 'HTTP 500' },
  ] as const)('is unchanged if the late answer is no order id: $kind (T-11)', (answer) => {
    const rig = inDoubt();
    rig.venue.answerLate({ intentId: intent.id, answer });
    expect(rig.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
    expect(rig.state.live.size).toBe(1);
  });
});
