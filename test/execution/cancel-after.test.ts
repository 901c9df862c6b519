import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { answeredAfter } from '../fixtures/fake-venue.ts';
import { inDoubt, timesOf, working } from '../fixtures/order-lane.ts';
import { intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();
const ORDER = 'O-INTENT1';

describe('cancelAfter', () => {
  const cancelAfterMs = 30_000;

  it('cancels what is still open, journaled before it is sent (T-32, T-34, I-1)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    runTo(lane.clock, seconds(29.999));
    expect(lane.happened).toEqual([]);
    runTo(lane.clock, seconds(30));
    expect(lane.happened).toEqual([
      'journal cancel-sending',
      `cancel ${ORDER}`,
      'journal cancel-answered',
      `orderDetail ${ORDER}`,
    ]);
    expect(lane.state.order(intent.id)?.facets.pending).toBe('cancel-acked');
    expect(lane.state.live.size).toBe(1);
  });

  it('believes the venue, not the answer: only a read ends the order (T-34, T-38)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    lane.venue.push(ORDER);
    runTo(lane.clock, seconds(30));
    lane.venue.list(ORDER, { status: 'PartialWithdrawal' });
    lane.venue.push(ORDER);
    expect(lane.news).toEqual(['working', 'fill 40 at 10, fee 0', 'canceled']);
    expect(lane.state.done.get(intent.id)?.facets).toMatchObject({ pending: 'none' });
  });

  it('is in doubt without an answer, and the order stays live (T-35)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.answers.cancel = () => of({ kind: 'unknown', message: 'timed out' });
    runTo(lane.clock, seconds(30));
    expect(lane.state.order(intent.id)?.facets.pending).toBe('cancel-unknown');
    expect(lane.happened.at(-1)).toBe(`orderDetail ${ORDER}`);
    expect(lane.state.live.size).toBe(1);
  });

  it('lets a read decide after a refusal (T-36, F-B16)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.answers.cancel = () => {
      lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
      return of({ kind: 'refused', code: 1, message: 'already done' });
    };
    runTo(lane.clock, seconds(30));
    expect(lane.events.findLast(({ kind }) => kind === 'cancel-answered')).toMatchObject({
      answer: 'refused',
      message: 'already done',
    });
    expect(lane.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled: too late to cancel']);
  });

  it('is forgotten once the order is done (T-37)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    lane.venue.push(ORDER);
    lane.venue.calls.length = 0;
    runTo(lane.clock, seconds(60));
    expect(lane.happened).toEqual([]);
  });

  it('books a fill that overtook the cancel (F-B14)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.answers.cancel = () => answeredAfter(lane.clock, 500, { kind: 'accepted' });
    runTo(lane.clock, seconds(30));
    lane.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    lane.venue.push(ORDER);
    runTo(lane.clock, seconds(31));
    expect(lane.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled: too late to cancel']);
    expect(lane.state.done.get(intent.id)?.facets.pending).toBe('none');
  });

  it('is due from the moment an order in doubt was found (T-33)', () => {
    const lane = inDoubt({ cancelAfterMs });
    runTo(lane.clock, seconds(59));
    expect(lane.happened.filter((call) => call.startsWith('cancel'))).toEqual([]);
    lane.venue.list('O-LATE', { intentId: intent.id });
    expect(timesOf(lane, 'cancel O-LATE', 119)).toEqual([90]);
  });

  it('asks again at 1, 2, 4, 8, 15 s and every 15 s without an answer, eight times in all (T-35, F-B16)', () => {
    for (const answer of ['unknown', 'refused'] as const) {
      const lane = working({ pushComplete: true, cancelAfterMs });
      lane.venue.answers.cancel = () => of({ kind: answer, code: 1, message: 'no' });
      expect(timesOf(lane, 'cancel', 600)).toEqual([30, 31, 32, 34, 38, 45, 60, 75]);
      expect(lane.concerns).toEqual(['cancel-given-up']);
      expect(lane.state.live.size).toBe(1);
    }
  });

  it('asks again when an accepted cancel changed nothing for 30 s, and halts the symbol (T-39)', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    expect(timesOf(lane, 'cancel', 600)).toEqual([30, 60, 90]);
    expect(lane.concerns).toEqual(['cancel-ignored', 'cancel-ignored', 'cancel-ignored, halt symbol']);
  });

  it('asks once when the venue does it', () => {
    const lane = working({ pushComplete: true, cancelAfterMs });
    lane.venue.answers.cancel = () => {
      lane.venue.list(ORDER, { status: 'CanceledStatus' });
      return of({ kind: 'accepted' });
    };
    expect(timesOf(lane, 'cancel', 600)).toEqual([30]);
    expect(lane.news).toEqual(['working', 'canceled']);
    expect(lane.concerns).toEqual([]);
  });
});
