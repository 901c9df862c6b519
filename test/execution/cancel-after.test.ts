import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { inDoubt, timesOf, working } from '../fixtures/execution-rig.ts';
import { answeredAfter } from '../fixtures/fake-venue.ts';
import { intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();
const ORDER = 'O-INTENT1';

describe('cancelAfter', () => {
  const cancelAfterMs = 30_000;

  it('cancels what is still open, journaled before it is sent (T-32, T-34, I-1)', () => {
    const rig = working({ pushComplete: true, cancelAfterMs });
    runTo(rig.clock, seconds(29.999));
    expect(rig.happened).toEqual([]);
    runTo(rig.clock, seconds(30));
    expect(rig.happened).toEqual([
      'journal cancel-sending',
      `cancel ${ORDER}`,
      'journal cancel-answered',
      `orderDetail ${ORDER}`,
    ]);
    expect(rig.state.order(intent.id)?.facets.pending).toBe('cancel-acked');
    expect(rig.state.live.size).toBe(1);
  });

  it("trusts the venue's reads, not the answer: only a read ends the order (T-34, T-38)", () => {
    const rig = working({ pushComplete: true, cancelAfterMs });
    rig.venue.execute(ORDER, { id: 'e1', quantity: '40', price: '10' });
    rig.venue.push(ORDER);
    runTo(rig.clock, seconds(30));
    rig.venue.list(ORDER, { status: 'PartialWithdrawal' });
    rig.venue.push(ORDER);
    expect(rig.news).toEqual(['working', 'fill 40 at 10, fee 0', 'canceled']);
    expect(rig.state.done.get(intent.id)?.facets).toMatchObject({ pending: 'none' });
  });

  it('is in doubt without an answer, and the order stays open (T-35)', () => {
    const rig = working({ pushComplete: true, cancelAfterMs });
    rig.venue.answers.cancel = () => of({ kind: 'unknown', message: 'timed out' });
    runTo(rig.clock, seconds(30));
    expect(rig.state.order(intent.id)?.facets.pending).toBe('cancel-unknown');
    expect(rig.happened.at(-1)).toBe(`orderDetail ${ORDER}`);
    expect(rig.state.live.size).toBe(1);
  });

  it('lets a read decide after a refusal (T-36, F-B16)', () => {
    const rig = working({ pushComplete: true, cancelAfterMs });
    rig.venue.answers.cancel = () => {
      rig.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
      return of({ kind: 'refused', code: 1, message: 'already done' });
    };
    runTo(rig.clock, seconds(30));
    expect(rig.events.findLast(({ kind }) => kind === 'cancel-answered')).toMatchObject({
      answer: 'refused',
      message: 'already done',
    });
    expect(rig.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled: too late to cancel']);
  });

  it('is dropped once the order is done (T-37)', () => {
    const rig = working({ pushComplete: true, cancelAfterMs });
    rig.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    rig.venue.push(ORDER);
    rig.venue.calls.length = 0;
    runTo(rig.clock, seconds(60));
    expect(rig.happened).toEqual([]);
  });

  it('books a fill that happened before the cancel (F-B14)', () => {
    const rig = working({ pushComplete: true, cancelAfterMs });
    rig.venue.answers.cancel = () => answeredAfter(rig.clock, 500, { kind: 'accepted' });
    runTo(rig.clock, seconds(30));
    rig.venue.execute(ORDER, { id: 'e1', quantity: '100', price: '10' });
    rig.venue.push(ORDER);
    runTo(rig.clock, seconds(31));
    expect(rig.news).toEqual(['working', 'fill 100 at 10, fee 0', 'filled: too late to cancel']);
    expect(rig.state.done.get(intent.id)?.facets.pending).toBe('none');
  });

  it('is due from the moment an order in doubt was found (T-33)', () => {
    const rig = inDoubt({ cancelAfterMs });
    runTo(rig.clock, seconds(59));
    expect(rig.happened.filter((call) => call.startsWith('cancel'))).toEqual([]);
    rig.venue.list('O-LATE', { intentId: intent.id });
    expect(timesOf(rig, 'cancel O-LATE', 119)).toEqual([90]);
  });

  it('is repeated at 1, 2, 4, 8, 15 s and every 15 s without an answer, eight times in total (T-35, F-B16)', () => {
    for (const answer of ['unknown', 'refused'] as const) {
      const rig = working({ pushComplete: true, cancelAfterMs });
      rig.venue.answers.cancel = () => of({ kind: answer, code: 1, message: 'no' });
      expect(timesOf(rig, 'cancel', 600)).toEqual([30, 31, 32, 34, 38, 45, 60, 75]);
      expect(rig.concerns).toEqual(['cancel-given-up']);
      expect(rig.state.live.size).toBe(1);
    }
  });

  it('counts no cancel that was never sent: after an outage of ten minutes the order is cancelled (T-35)', () => {
    const rig = working({ pushComplete: true, cancelAfterMs });
    rig.venue.answers.cancel = () => of({ kind: 'not-sent', message: 'no connection' });
    expect(timesOf(rig, 'cancel', 100)).toEqual([30, 31, 32, 34, 38, 45, 60, 75, 90]);
    runTo(rig.clock, seconds(630));
    rig.venue.calls.length = 0;
    rig.venue.answers.cancel = () => {
      rig.venue.list(ORDER, { status: 'CanceledStatus' });
      return of({ kind: 'accepted' });
    };
    runTo(rig.clock, seconds(650));
    expect(rig.venue.calls.filter((call) => call.startsWith('cancel'))).toHaveLength(1);
    expect(rig.concerns).toEqual([]);
    expect(rig.state.live.size).toBe(0);
  });

  it('is repeated when an accepted cancel changed nothing for 30 s, and halts the symbol (T-39)', () => {
    const rig = working({ pushComplete: true, cancelAfterMs });
    expect(timesOf(rig, 'cancel', 600)).toEqual([30, 60, 90]);
    expect(rig.concerns).toEqual(['cancel-ignored', 'cancel-ignored', 'cancel-ignored, halt symbol']);
  });

  it('is requested once if the venue does it', () => {
    const rig = working({ pushComplete: true, cancelAfterMs });
    rig.venue.answers.cancel = () => {
      rig.venue.list(ORDER, { status: 'CanceledStatus' });
      return of({ kind: 'accepted' });
    };
    expect(timesOf(rig, 'cancel', 600)).toEqual([30]);
    expect(rig.news).toEqual(['working', 'canceled']);
    expect(rig.concerns).toEqual([]);
  });
});
