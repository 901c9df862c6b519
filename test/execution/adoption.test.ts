import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { millis } from '#src/model/time.ts';
import { inDoubt, timesOf, working } from '../fixtures/execution-rig.ts';
import { intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();
const ORDER = 'O-INTENT1';
const calls = (rig: { readonly happened: readonly string[] }, what: string) =>
  rig.happened.filter((call) => call.startsWith(what));

describe('an order found by its tag', () => {
  it('is bound by a push and then read (T-12)', () => {
    const rig = inDoubt();
    rig.venue.list('O-LATE', { intentId: intent.id });
    rig.venue.push('O-LATE');
    expect(rig.happened).toEqual(['journal submit-acked', 'orderDetail O-LATE', 'journal order-moved']);
    expect(rig.events.findLast(({ kind }) => kind === 'submit-acked')).toMatchObject({ by: 'push' });
    expect(timesOf(rig, 'ordersToday', 4)).toEqual([]);
  });

  it('after it was abandoned becomes known and is cancelled (T-15)', () => {
    const rig = inDoubt();
    runTo(rig.clock, seconds(130));
    rig.venue.list('O-LATE', { intentId: intent.id });
    expect(timesOf(rig, 'cancel O-LATE', 155)).toEqual([150]);
    expect(rig.concerns).toEqual(['unproven', 'abandoned-found']);
    expect(rig.happened.indexOf('journal cancel-sending')).toBeLessThan(
      rig.happened.indexOf('cancel O-LATE'),
    );
  });

  it('twice: the older is kept, the younger is cancelled once, the account halts (T-16)', () => {
    const rig = inDoubt();
    rig.venue.list('O-2', { intentId: intent.id, submittedAt: millis(2) });
    rig.venue.list('O-1', { intentId: intent.id, submittedAt: millis(1) });
    runTo(rig.clock, seconds(20));
    expect(rig.state.order(intent.id)?.facets.submission).toEqual({ kind: 'acked', orderId: 'O-1' });
    expect(calls(rig, 'cancel')).toEqual(['cancel O-2']);
    expect(rig.happened.indexOf('journal order-doubled')).toBeLessThan(rig.happened.indexOf('cancel O-2'));
    expect(rig.concerns).toEqual(['order-doubled, halt account']);
  });

  it('is bound although a finished order had its id, as at a restarted venue (T-12, F-B18)', () => {
    const rig = working();
    rig.venue.list(ORDER, { status: 'CanceledStatus' });
    runTo(rig.clock, seconds(10));
    const next = intentOf('INTENT2');
    rig.venue.answers.submit = () => of({ kind: 'unknown', message: 'timed out' });
    rig.send(next);
    rig.venue.list(ORDER, { intentId: next.id });
    runTo(rig.clock, seconds(20));
    expect(rig.state.order(next.id)?.facets.submission).toEqual({ kind: 'acked', orderId: ORDER });
    expect(rig.concerns).toEqual([]);
  });

  it('although it was refused proves that the code is no proof of refusal (T-17)', () => {
    const rig = working();
    rig.venue.answers.submit = () => of({ kind: 'refused', code: 403201, message: 'no' });
    rig.send(intentOf('INTENT2'));
    rig.venue.list('O-FALSE', { intentId: intentOf('INTENT2').id });
    runTo(rig.clock, seconds(5));
    expect(rig.concerns).toEqual(['refusal-was-false']);
    expect(rig.state.live.size).toBe(2);
    rig.send(intentOf('INTENT3'));
    expect(rig.state.order(intentOf('INTENT3').id)?.facets.submission.kind).toBe('unknown');
  });

  it('is cancelled at once when a cancel was requested in the meantime (T-14, T-33)', () => {
    const rig = inDoubt();
    rig.cancel(intent.id);
    rig.cancel(intent.id);
    expect(rig.happened).toEqual(['journal cancel-asked']);
    rig.venue.list('O-LATE', { intentId: intent.id });
    expect(timesOf(rig, 'cancel O-LATE', 25)).toEqual([0.5]);
  });
});

describe('an unlisted order', () => {
  it('is read by its id, and only that ends it (T-48, F-B10)', () => {
    const rig = working();
    runTo(rig.clock, seconds(4));
    rig.venue.answers.unlisted.add(ORDER);
    expect(timesOf(rig, 'orderDetail', 12)).toEqual([5, 10]);
    expect(rig.state.live.size).toBe(1);
    rig.venue.list(ORDER, { status: 'ExpiredStatus' });
    runTo(rig.clock, seconds(15));
    expect([rig.news.at(-1), rig.state.live.size]).toEqual(['expired', 0]);
  });
});
