import { tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { createExecutor } from '#src/execution/executor.ts';
import { createGateLatch } from '#src/execution/gate-latch.ts';
import { createOrderTracker } from '#src/execution/order-tracker.ts';
import { createRecorder } from '#src/execution/recorder.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { type Millis, millis } from '#src/model/time.ts';
import type { Clock } from '#src/ports/clock.ts';
import { schedulerOn } from '#src/ports/clock-scheduler.ts';
import { createFakeVenue } from '../fixtures/fake-venue.ts';
import { approve, drafted, intentOf } from '../fixtures/orders.ts';
import { seconds } from '../fixtures/time.ts';

/** Sends one order that was approved on facts good for five seconds, on a disk that takes long to write one kind of event. */
function sendOn(slow: SluiceEvent['kind'], takes: Millis) {
  let now = millis(0);
  const bare: Pick<Clock, 'now' | 'at'> = { now: () => now, at: () => () => undefined };
  const clock: Clock = { ...bare, scheduler: schedulerOn(bare) };
  const memory = createMemoryJournal();
  const journal = {
    ...memory,
    append: (event: SluiceEvent) =>
      memory.append(event).pipe(
        tap(() => {
          if (event.kind === slow) now = takes;
        }),
      ),
  };
  const fold = createFold();
  const recorder = createRecorder(journal, fold, () => undefined);
  const venue = createFakeVenue(true);
  const tracker = createOrderTracker({ broker: venue.broker, recorder, clock });
  const latch = createGateLatch(fold.state);
  const executor = createExecutor({ broker: venue.broker, recorder, tracker, clock, latch });
  const intent = intentOf();
  recorder.record(drafted(intent)).subscribe();
  const verdict = { kind: 'approved' as const, intent: approve(intent), numbers: [], freshUntil: seconds(5) };
  executor.execute(verdict).subscribe();
  const submits = venue.calls.filter((call) => call.startsWith('submit')).length;
  return { submits, submission: fold.state.order(intent.id)?.facets.submission.kind };
}

describe('a verdict that grows old before the order leaves', () => {
  it('sends while it is good, to the last millisecond (I-5)', () => {
    expect(sendOn('intent-armed', seconds(5))).toEqual({ submits: 1, submission: 'acked' });
    expect(sendOn('submit-sending', seconds(5))).toEqual({ submits: 1, submission: 'acked' });
  });

  it('ends in a denial when arming took too long (T-03, I-5)', () => {
    expect(sendOn('intent-armed', millis(5_001))).toEqual({ submits: 0, submission: 'denied' });
  });

  it('leaves no byte when the last sync took too long: the disk was slow (F-K05, I-5)', () => {
    expect(sendOn('submit-sending', millis(5_001))).toEqual({ submits: 0, submission: 'not-sent' });
  });
});
