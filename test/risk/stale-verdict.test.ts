import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { createRestrictions } from '#src/execution/gate/restrictions.ts';
import { createExecutor } from '#src/execution/orders/executor.ts';
import { createOrderTracker } from '#src/execution/orders/order-tracker.ts';
import { createRecorder } from '#src/execution/recorder.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import type { GateState } from '#src/model/gate.ts';
import { type Millis, millis } from '#src/model/time.ts';
import type { SubmitAnswer } from '#src/ports/broker.ts';
import type { Clock } from '#src/ports/clock.ts';
import { createFakeVenue } from '../fixtures/fake-venue.ts';
import { approve, drafted, intentOf } from '../fixtures/orders.ts';
import { events$ } from '../fixtures/tasks.ts';
import { seconds } from '../fixtures/time.ts';

interface Meanwhile {
  /** Market time from which the facts are stale; undefined for an order that only reduces. */
  readonly freshUntil?: Millis | undefined;
  /** The restriction that is set while the record is written. */
  readonly to?: GateState;
  readonly answer?: SubmitAnswer;
}

/**
 * Sends an order that was approved on facts valid for five seconds, on a disk that writes one kind of event slowly.
 */
function sendOn(slow: SluiceEvent['kind'], takes: Millis, meanwhile: Meanwhile = {}) {
  let now = millis(0);
  let due = 0;
  const clock: Clock = {
    now: () => now,
    at: () => {
      due += 1;
      return () => undefined;
    },
  };
  const memory = createMemoryJournal();
  const journal = {
    ...memory,
    append: (event: SluiceEvent): number => {
      const number = memory.append(event);
      if (event.kind !== slow) return number;
      now = takes;
      const { to } = meanwhile;
      if (to !== undefined) restrictions.begin({ to, by: 'gate', rule: 'drawdown', reason: 'it fell' });
      return number;
    },
  };
  const fold = createFold();
  const recorder = createRecorder(journal, fold, () => undefined);
  const venue = createFakeVenue(true);
  const tracker = createOrderTracker({ broker: venue.broker, recorder, clock, queueTask: () => undefined });
  const restrictions = createRestrictions({ recorder, clock });
  const executor = createExecutor({ broker: venue.broker, recorder, tracker, clock, restrictions });
  const { answer } = meanwhile;
  if (answer !== undefined) venue.answers.submit = () => of(answer);
  const intent = intentOf();
  recorder.record(drafted(intent));
  const freshUntil = 'freshUntil' in meanwhile ? meanwhile.freshUntil : seconds(5);
  const verdict = {
    ...{ kind: 'approved' as const, intent: approve(intent), numbers: [] },
    ...(freshUntil === undefined ? {} : { freshUntil }),
  };
  events$(() => executor.execute(verdict)).subscribe();
  const submits = venue.calls.filter((call) => call.startsWith('submit')).length;
  return { submits, submission: fold.state.order(intent.id)?.facets.submission.kind, due };
}

describe('a verdict that becomes stale before the order is sent', () => {
  it('sends while it is valid, to the last millisecond (I-5)', () => {
    expect(sendOn('intent-armed', seconds(5))).toMatchObject({ submits: 1, submission: 'acked' });
    expect(sendOn('submit-sending', seconds(5))).toMatchObject({ submits: 1, submission: 'acked' });
  });

  it('ends in a denial when arming took too long (T-03, I-5)', () => {
    expect(sendOn('intent-armed', millis(5_001))).toMatchObject({ submits: 0, submission: 'denied' });
  });

  it('sends no byte when the last sync took too long: the disk was slow (F-K05, I-5)', () => {
    expect(sendOn('submit-sending', millis(5_001))).toMatchObject({ submits: 0, submission: 'not-sent' });
  });

  it.each(['intent-armed', 'submit-sending'] as const)(
    'does not open once the gate permits only reductions, and reduces nevertheless: at %s (T-03, I-15)',
    (slow) => {
      const fell = { to: 'reduce-only' as const };
      expect(sendOn(slow, seconds(1), fell).submits).toBe(0);
      expect(sendOn(slow, seconds(1), { ...fell, freshUntil: undefined }).submits).toBe(1);
      expect(sendOn(slow, seconds(1), { to: 'halted', freshUntil: undefined }).submits).toBe(0);
    },
  );

  it('is tried again after proof that no byte left, if it will still be valid by then (T-08, I-5)', () => {
    const answer = { kind: 'not-sent', message: 'refused' } as const;
    const inTime = sendOn('submit-sending', millis(4_750), { answer });
    expect(inTime).toMatchObject({ submits: 1, submission: 'sending', due: 1 });
    const tooLate = sendOn('submit-sending', millis(4_751), { answer });
    expect(tooLate).toMatchObject({ submits: 1, submission: 'not-sent', due: 0 });
  });
});
