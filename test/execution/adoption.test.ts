import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { millis } from '#src/model/time.ts';
import { inDoubt, timesOf, working } from '../fixtures/order-lane.ts';
import { intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();
const ORDER = 'O-INTENT1';
const calls = (lane: { readonly happened: readonly string[] }, what: string) =>
  lane.happened.filter((call) => call.startsWith(what));

describe('an order found by its tag', () => {
  it('is bound by a push and then read (T-12)', () => {
    const lane = inDoubt();
    lane.venue.list('O-LATE', { intentId: intent.id });
    lane.venue.push('O-LATE');
    expect(lane.happened).toEqual(['journal submit-acked', 'orderDetail O-LATE', 'journal order-moved']);
    expect(lane.events.findLast(({ kind }) => kind === 'submit-acked')).toMatchObject({ by: 'push' });
    expect(timesOf(lane, 'ordersToday', 4)).toEqual([]);
  });

  it('after it was given up is made known and cancelled (T-15)', () => {
    const lane = inDoubt();
    runTo(lane.clock, seconds(130));
    lane.venue.list('O-LATE', { intentId: intent.id });
    expect(timesOf(lane, 'cancel O-LATE', 155)).toEqual([150]);
    expect(lane.concerns).toEqual(['unproven', 'abandoned-found']);
    expect(lane.happened.indexOf('journal cancel-sending')).toBeLessThan(
      lane.happened.indexOf('cancel O-LATE'),
    );
  });

  it('twice: the older is ours, the younger is cancelled once, the account halts (T-16)', () => {
    const lane = inDoubt();
    lane.venue.list('O-2', { intentId: intent.id, submittedAt: millis(2) });
    lane.venue.list('O-1', { intentId: intent.id, submittedAt: millis(1) });
    runTo(lane.clock, seconds(20));
    expect(lane.state.order(intent.id)?.facets.submission).toEqual({ kind: 'acked', orderId: 'O-1' });
    expect(calls(lane, 'cancel')).toEqual(['cancel O-2']);
    expect(lane.happened.indexOf('journal order-doubled')).toBeLessThan(lane.happened.indexOf('cancel O-2'));
    expect(lane.concerns).toEqual(['order-doubled, halt account']);
  });

  it('is bound although an order that is over had its id, as at a venue that began anew (T-12, F-B18)', () => {
    const lane = working();
    lane.venue.list(ORDER, { status: 'CanceledStatus' });
    runTo(lane.clock, seconds(10));
    const next = intentOf('INTENT2');
    lane.venue.answers.submit = () => of({ kind: 'unknown', message: 'timed out' });
    lane.send(next);
    lane.venue.list(ORDER, { intentId: next.id });
    runTo(lane.clock, seconds(20));
    expect(lane.state.order(next.id)?.facets.submission).toEqual({ kind: 'acked', orderId: ORDER });
    expect(lane.concerns).toEqual([]);
  });

  it('although it was refused shows that the code proves nothing (T-17)', () => {
    const lane = working();
    lane.venue.answers.submit = () => of({ kind: 'refused', code: 403201, message: 'no' });
    lane.send(intentOf('INTENT2'));
    lane.venue.list('O-FALSE', { intentId: intentOf('INTENT2').id });
    runTo(lane.clock, seconds(5));
    expect(lane.concerns).toEqual(['refusal-was-false']);
    expect(lane.state.live.size).toBe(2);
    lane.send(intentOf('INTENT3'));
    expect(lane.state.order(intentOf('INTENT3').id)?.facets.submission.kind).toBe('unknown');
  });

  it('is cancelled at once when that was asked for meanwhile (T-14, T-33)', () => {
    const lane = inDoubt();
    lane.cancel(intent.id);
    lane.cancel(intent.id);
    expect(lane.happened).toEqual(['journal cancel-asked']);
    lane.venue.list('O-LATE', { intentId: intent.id });
    expect(timesOf(lane, 'cancel O-LATE', 25)).toEqual([0.5]);
  });
});

describe('an order that is not listed', () => {
  it('is read by its id, and only that ends it (T-48, F-B10)', () => {
    const lane = working();
    runTo(lane.clock, seconds(4));
    lane.venue.answers.unlisted.add(ORDER);
    expect(timesOf(lane, 'orderDetail', 12)).toEqual([5, 10]);
    expect(lane.state.live.size).toBe(1);
    lane.venue.list(ORDER, { status: 'ExpiredStatus' });
    runTo(lane.clock, seconds(15));
    expect([lane.news.at(-1), lane.state.live.size]).toEqual(['expired', 0]);
  });
});
