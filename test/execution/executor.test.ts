import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '#src/backtest/virtual-clock.ts';
import { createFold } from '#src/events/fold.ts';
import { createRestrictions } from '#src/execution/gate/restrictions.ts';
import { createExecutor } from '#src/execution/orders/executor.ts';
import type { OrderTracker } from '#src/execution/orders/order-tracker.ts';
import { createRecorder } from '#src/execution/recorder.ts';
import { JournalError } from '#src/journal/journal-error.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { millis } from '#src/model/time.ts';
import type { SubmitAnswer } from '#src/ports/broker.ts';
import { createExecutionRig, type ExecutionRig } from '../fixtures/execution-rig.ts';
import { createFakeVenue } from '../fixtures/fake-venue.ts';
import { approve, drafted, intentOf } from '../fixtures/orders.ts';
import { emitting, events$ } from '../fixtures/tasks.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const intent = intentOf();

const NOT_SENT: SubmitAnswer = { kind: 'not-sent', message: 'connection refused' };

function submitsOf(rig: ExecutionRig): readonly string[] {
  return rig.venue.calls.filter((call) => call.startsWith('submit'));
}

/** A tracker that does nothing. */
const IDLE: OrderTracker = {
  queueHint: () => undefined,
  handleLateAnswer: () => undefined,
  distrustedCodes: new Set(),
  cancel: () => emitting(),
  cancelAll: () => emitting(),
  handleCancelAnswers: () => emitting(),
  confirm: () => emitting(),
  run: () => emitting(),
  pull: () => emitting(),
  watch: () => undefined,
  handle: () => emitting(),
  handleEarlier: () => emitting(),
  adopt: () => emitting(),
  resume: () => undefined,
  watchChange: () => undefined,
  search: () => undefined,
};

describe('the executor', () => {
  it('journals the attempt before it sends, and the answer before the next step (I-1)', () => {
    const rig = createExecutionRig();
    rig.send(intent);
    expect(rig.happened).toEqual([
      'journal intent-drafted',
      'journal intent-armed',
      'journal submit-sending',
      'submit INTENT1',
      'journal submit-acked',
      'orderDetail O-INTENT1',
      'journal order-moved',
    ]);
    expect(rig.news).toEqual(['working']);
  });

  it.each(['intent-armed', 'submit-sending'])(
    'sends nothing if %s could not be written (I-1, F-K03)',
    (kind) => {
      const clock = new VirtualClock(millis(0));
      const venue = createFakeVenue();
      const memory = createMemoryJournal();
      const full = new JournalError('journal-append', 'Disk is full');
      const journal = {
        ...memory,
        append: (event: Parameters<typeof memory.append>[0]) => {
          if (event.kind === kind) throw full;
          return memory.append(event);
        },
      };
      const recorder = createRecorder(journal, createFold(), () => undefined);
      recorder.record(drafted(intent));
      const restrictions = createRestrictions({ recorder, clock });
      const executor = createExecutor({ broker: venue.broker, recorder, tracker: IDLE, clock, restrictions });
      const errors: unknown[] = [];
      events$(() => executor.execute({ kind: 'approved', intent: approve(intent), numbers: [] })).subscribe({
        error: (error) => errors.push(error),
      });
      expect(errors).toEqual([full]);
      expect(venue.calls).toEqual([]);
      expect(recorder.state.order(intent.id)?.facets.submission.kind).not.toBe('sending');
    },
  );

  it('does nothing before its task runs', () => {
    const venue = createFakeVenue();
    const recorder = createRecorder(createMemoryJournal(), createFold(), () => undefined);
    const clock = new VirtualClock(millis(0));
    const restrictions = createRestrictions({ recorder, clock });
    const executor = createExecutor({ broker: venue.broker, recorder, tracker: IDLE, clock, restrictions });
    executor.execute({ kind: 'approved', intent: approve(intent), numbers: [] });
    expect(venue.calls).toEqual([]);
  });

  it('records a denial and notifies the strategy, and sends nothing (T-01)', () => {
    const rig = createExecutionRig();
    rig.execute({
      kind: 'denied',
      intent,
      rule: 'no-short',
      reason: 'nothing is held',
      numbers: [{ name: 'held', value: '0', limit: '100' }],
    });
    expect(rig.happened).toEqual(['journal intent-drafted', 'journal intent-denied']);
    expect(rig.events.at(-1)).toMatchObject({ rule: 'no-short', numbers: [{ name: 'held' }] });
    expect(rig.news).toEqual(['denied: no-short: nothing is held']);
    expect(rig.state.live.size).toBe(0);
  });

  it('releases the cash of an order that was certainly not accepted, and sends nothing again (T-07)', () => {
    const rig = createExecutionRig();
    rig.venue.answers.submit = () => of({ kind: 'refused', code: 603001, message: 'no such board' });
    rig.send(intent);
    runTo(rig.clock, seconds(600));
    expect(rig.news).toEqual(['refused: 603001: no such board']);
    expect(rig.state.live.size).toBe(0);
    expect(submitsOf(rig)).toHaveLength(1);
  });

  it('sends an order of which no byte left again, three times in total, and then releases its cash (T-08, F-N03)', () => {
    const rig = createExecutionRig();
    rig.venue.answers.submit = () => of(NOT_SENT);
    rig.send(intent);
    expect(submitsOf(rig)).toHaveLength(1);
    runTo(rig.clock, seconds(0.25));
    expect(submitsOf(rig)).toHaveLength(2);
    runTo(rig.clock, seconds(1.249));
    expect(submitsOf(rig)).toHaveLength(2);
    runTo(rig.clock, seconds(600));
    expect(submitsOf(rig)).toHaveLength(3);
    expect(rig.news).toEqual(['refused: not sent: connection refused']);
    expect(rig.state.live.size).toBe(0);
    const attempts = rig.events.flatMap((event) => (event.kind === 'submit-sending' ? [event.attempt] : []));
    expect(attempts).toEqual([1, 2, 3]);
    expect(rig.state.gate.orders).toHaveLength(1);
  });

  it('records every further attempt before it is made, and follows the one that arrives (T-08, I-1)', () => {
    const rig = createExecutionRig();
    const accepts = rig.venue.answers.submit;
    rig.venue.answers.submit = (order) => (submitsOf(rig).length < 2 ? of(NOT_SENT) : accepts(order));
    rig.send(intent);
    runTo(rig.clock, seconds(0.25));
    const made = rig.happened.filter((step) => step.startsWith('journal') || step.startsWith('submit'));
    const attempt = ['journal intent-armed', 'journal submit-sending', 'submit INTENT1'];
    expect(made.slice(1, 8)).toEqual([...attempt, ...attempt, 'journal submit-acked']);
    expect(rig.news).toEqual(['working']);
  });

  it('sends nothing again if the verdict would be stale by then (T-08, I-5)', () => {
    const rig = createExecutionRig();
    rig.venue.answers.submit = () => of(NOT_SENT);
    const freshUntil = millis(1_000);
    rig.execute({ kind: 'approved', intent: approve(intent), numbers: [], freshUntil });
    runTo(rig.clock, seconds(600));
    expect(submitsOf(rig)).toHaveLength(2);
    expect(rig.state.live.size).toBe(0);
  });

  it('keeps the cash reserved for an unknown outcome, and sends nothing again (I-2, T-09, F-N01, F-N02)', () => {
    const rig = createExecutionRig();
    rig.venue.answers.submit = () => of({ kind: 'unknown', message: 'timed out' });
    rig.send(intent);
    expect(rig.news).toEqual(['unknown: timed out']);
    expect(rig.state.order(intent.id)?.facets.submission.kind).toBe('unknown');
    runTo(rig.clock, seconds(3_600));
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toEqual(['submit INTENT1']);
    expect(rig.state.live.size).toBe(1);
  });

  it('numbers its single attempt', () => {
    const rig = createExecutionRig();
    rig.send(intent);
    expect(rig.events.find(({ kind }) => kind === 'submit-sending')).toMatchObject({ attempt: 1 });
  });
});
