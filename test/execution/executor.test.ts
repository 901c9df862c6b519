import { EMPTY, NEVER, of, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { createFold } from '#src/events/fold.ts';
import { createExecutor } from '#src/execution/executor.ts';
import type { OrderTracker } from '#src/execution/order-tracker.ts';
import { createRecorder } from '#src/execution/recorder.ts';
import { JournalError } from '#src/journal/journal-error.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { millis } from '#src/model/time.ts';
import type { SubmitAnswer } from '#src/ports/broker.ts';
import { createFakeVenue } from '../fixtures/fake-venue.ts';
import { createOrderLane } from '../fixtures/order-lane.ts';
import { approve, drafted, intentOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();

/** A tracker that follows nothing. */
const IDLE: OrderTracker = {
  leads$: NEVER,
  distrusted: new Set(),
  cancel: () => EMPTY,
  follow: () => EMPTY,
  pull: () => EMPTY,
  watch: () => undefined,
  heed: () => EMPTY,
  find: () => EMPTY,
  resume: () => undefined,
  lookFor: () => undefined,
};

describe('the executor', () => {
  it('journals the attempt before it sends, and the answer before it goes on (I-1)', () => {
    const lane = createOrderLane();
    lane.send(intent);
    expect(lane.happened).toEqual([
      'journal intent-drafted',
      'journal intent-armed',
      'journal submit-sending',
      'submit INTENT1',
      'journal submit-acked',
      'orderDetail O-INTENT1',
      'journal order-moved',
    ]);
    expect(lane.news).toEqual(['working']);
  });

  it.each(['intent-armed', 'submit-sending'])(
    'sends nothing when %s could not be written (I-1, F-K03)',
    (kind) => {
      const clock = new VirtualClock(millis(0));
      const venue = createFakeVenue();
      const memory = createMemoryJournal();
      const full = new JournalError('journal-append', 'Disk is full');
      const journal = {
        ...memory,
        append: (event: Parameters<typeof memory.append>[0]) =>
          event.kind === kind ? throwError(() => full) : memory.append(event),
      };
      const recorder = createRecorder(journal, createFold(), () => undefined);
      recorder.record(drafted(intent)).subscribe();
      const executor = createExecutor({ broker: venue.broker, recorder, tracker: IDLE, clock });
      const errors: unknown[] = [];
      executor
        .execute({ kind: 'approved', intent: approve(intent), numbers: [] })
        .subscribe({ error: (error) => errors.push(error) });
      expect(errors).toEqual([full]);
      expect(venue.calls).toEqual([]);
      expect(recorder.state.order(intent.id)?.facets.submission.kind).not.toBe('sending');
    },
  );

  it('does nothing until somebody subscribes', () => {
    const venue = createFakeVenue();
    const recorder = createRecorder(createMemoryJournal(), createFold(), () => undefined);
    const clock = new VirtualClock(millis(0));
    const executor = createExecutor({ broker: venue.broker, recorder, tracker: IDLE, clock });
    executor.execute({ kind: 'approved', intent: approve(intent), numbers: [] });
    expect(venue.calls).toEqual([]);
  });

  it('writes a denial down and tells the strategy, and sends nothing (T-01)', () => {
    const lane = createOrderLane();
    lane.carryOut({
      kind: 'denied',
      intent,
      rule: 'no-short',
      reason: 'nothing is held',
      numbers: [{ name: 'held', value: '0', limit: '100' }],
    });
    expect(lane.happened).toEqual(['journal intent-drafted', 'journal intent-denied']);
    expect(lane.events.at(-1)).toMatchObject({ rule: 'no-short', numbers: [{ name: 'held' }] });
    expect(lane.news).toEqual(['denied: no-short: nothing is held']);
    expect(lane.state.live.size).toBe(0);
  });

  it.each<[string, SubmitAnswer, string]>([
    ['T-07', { kind: 'refused', code: 603001, message: 'no such board' }, 'refused: 603001: no such board'],
    ['F-N03', { kind: 'not-sent', message: 'connection refused' }, 'refused: not sent: connection refused'],
  ])('frees the money of an order that was proved not taken (%s)', (_number, answer, told) => {
    const lane = createOrderLane();
    lane.venue.answers.submit = () => of(answer);
    lane.send(intent);
    runTo(lane.clock, seconds(600));
    expect(lane.news).toEqual([told]);
    expect(lane.state.live.size).toBe(0);
    expect(lane.venue.calls.filter((call) => call.startsWith('submit'))).toHaveLength(1);
  });

  it('takes no answer for "unknown", keeps the money reserved and sends nothing again (I-2, T-09, F-N01, F-N02)', () => {
    const lane = createOrderLane();
    lane.venue.answers.submit = () => of({ kind: 'unknown', message: 'timed out' });
    lane.send(intent);
    expect(lane.news).toEqual(['unknown: timed out']);
    expect(lane.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
    runTo(lane.clock, seconds(3_600));
    expect(lane.venue.calls.filter((call) => call.startsWith('submit'))).toEqual(['submit INTENT1']);
    expect(lane.state.live.size).toBe(1);
  });

  it('numbers its one attempt', () => {
    const lane = createOrderLane();
    lane.send(intent);
    expect(lane.events.find(({ kind }) => kind === 'submit-sending')).toMatchObject({ attempt: 1 });
  });
});
