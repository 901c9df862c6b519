import { describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { decimal } from '#src/model/decimal.ts';
import { createEngineRig, type EngineRig } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { termsOf } from '../fixtures/orders.ts';
import { buying, crashedAfter, fresh, I1, restarted, stateOf } from '../fixtures/restarting.ts';
import { runTo, seconds } from '../fixtures/time.ts';

describe('a start after a crash', () => {
  it.each(['intent-drafted', 'intent-armed'] as const)(
    'denies what was %s and never sent (T-03, I-21)',
    (kind) => {
      const left = crashedAfter(kind);
      const rig = restarted(left);
      expect(fresh(rig, left)).toEqual(['intent-denied', 'run-started']);
      expect(stateOf(rig)?.submission).toEqual({ kind: 'denied', rule: 'restart' });
      expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
    },
  );

  it('treats an order that was sending as unknown, and finds it by its tag (T-09, T-10, I-3)', () => {
    const left = crashedAfter('submit-sending');
    const rig = restarted(left, ({ venue }) =>
      venue.list('O-9', { intentId: I1, terms: termsOf({ quantity: decimal('10') }) }),
    );
    expect(fresh(rig, left)).toEqual(['submit-unknown', 'submit-acked', 'order-moved', 'run-started']);
    expect(stateOf(rig)?.submission).toEqual({ kind: 'acked', orderId: 'O-9' });
  });

  it('finds orders that only the lists of earlier days show, before it reports that it runs (T-10, T-50, I-21)', () => {
    const left = crashedAfter('submit-sending');
    const rig = restarted(left, ({ venue }) => {
      venue.list('O-9', { intentId: I1, terms: termsOf({ quantity: decimal('10') }) });
      venue.answers.unlisted.add('O-9');
    });
    expect(fresh(rig, left)).toEqual(['submit-unknown', 'submit-acked', 'order-moved', 'run-started']);
  });

  it('continues searching for an unlisted order, and never sends it again (T-09, T-13, I-2)', () => {
    const left = crashedAfter('submit-sending');
    const rig = restarted(left);
    runTo(rig.clock, seconds(200));
    expect(stateOf(rig)?.submission.kind).toBe('abandoned');
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toEqual([]);
  });

  it('continues watching for an order considered lost before the crash, and cancels it when it appears (T-15, I-2, I-3)', () => {
    const first = restarted(crashedAfter('submit-sending'));
    runTo(first.clock, seconds(200));
    const left = [...first.journal.replay()];
    const alarms: string[] = [];
    const rig = restarted(left, () => undefined, { onAlarm: ({ code }) => alarms.push(code) });
    expect(stateOf(rig)?.submission.kind).toBe('abandoned');
    rig.venue.list('O-9', { intentId: I1, terms: termsOf({ quantity: decimal('10') }) });
    runTo(rig.clock, seconds(40));
    expect(stateOf(rig)?.submission).toEqual({ kind: 'acked', orderId: 'O-9' });
    expect(alarms).toEqual(['abandoned-found']);
    expect(rig.venue.calls.filter((call) => call.startsWith('cancel'))).toEqual(['cancel O-9']);
  });

  it('books what was executed in the meantime, and notifies the strategy after its start (I-13)', () => {
    const left = crashedAfter('submit-acked');
    const heard: string[] = [];
    const rig = restarted(
      left,
      ({ venue }) => {
        venue.list('O-I1', { intentId: I1, terms: termsOf({ quantity: decimal('10') }) });
        venue.execute('O-I1', { id: 'e1', quantity: '10', price: '10' });
        venue.hold({ AAPL: '10' }, '9900');
      },
      {
        strategy: {
          onStart: () => {
            heard.push('start');
          },
          onFill: () => {
            heard.push('fill');
          },
          onOrder: (order) => {
            heard.push(order.outcome);
          },
        },
      },
    );
    expect(heard).toEqual(['start', 'fill', 'filled']);
    expect(rig.engine.state.portfolio.holdings.get(AAPL)?.quantity).toEqual(decimal('10'));
    expect(rig.engine.state.gate.standing.state).toBe('active');
  });

  it('repeats a cancel that may not have been sent (T-35)', () => {
    const sending: SluiceEvent = { kind: 'cancel-sending', at: seconds(1), intentId: I1 };
    const left = [...crashedAfter('order-moved'), sending];
    const rig = restarted(left, ({ venue }) =>
      venue.list('O-I1', { intentId: I1, terms: termsOf({ quantity: decimal('10') }) }),
    );
    runTo(rig.clock, seconds(1));
    expect(fresh(rig, left).slice(0, 4)).toEqual([
      'cancel-answered',
      'run-started',
      'cancel-sending',
      'cancel-answered',
    ]);
    expect(rig.venue.calls.filter((call) => call.startsWith('cancel'))).toEqual(['cancel O-I1']);
  });

  it('treats a replace that may not have been sent as unknown, until a read shows the terms (T-42, I-6)', () => {
    const terms = termsOf({ quantity: decimal('20') });
    const sending: SluiceEvent = {
      kind: 'replace-sending',
      at: seconds(1),
      intentId: I1,
      terms,
      numbers: [],
    };
    const left = [...crashedAfter('order-moved'), sending];
    const rig = restarted(left, ({ venue }) => {
      venue.list('O-I1', { intentId: I1, terms });
      venue.answers.silent.add('orderDetail');
    });
    expect(fresh(rig, left).slice(0, 2)).toEqual(['replace-answered', 'run-started']);
    expect(stateOf(rig)?.pending).toBe('replace-unknown');
    rig.venue.answers.silent.clear();
    runTo(rig.clock, seconds(10));
    expect(stateOf(rig)).toMatchObject({ pending: 'none', ordered: decimal('20') });
    expect(rig.venue.calls.some((call) => call.startsWith('replace'))).toBe(false);
  });

  it('requests nothing twice when it is repeated: a crash within recovery changes nothing (F-P09, I-21)', () => {
    const left = crashedAfter('submit-sending');
    const venueSide = ({ venue }: EngineRig) =>
      venue.list('O-9', { intentId: I1, terms: termsOf({ quantity: decimal('10') }) });
    const whole = restarted(left, venueSide);
    const records = [...whole.journal.replay()];
    for (let cut = left.length; cut <= records.length; cut += 1) {
      const again = restarted(records.slice(0, cut), venueSide);
      expect(stateOf(again)).toEqual(stateOf(whole));
      expect(again.venue.calls.filter((call) => /^(submit|cancel)/.test(call))).toEqual([]);
    }
  });

  it('opens the books once: later starts continue with the stored books (I-12)', () => {
    const left = crashedAfter('run-started');
    const rig = restarted(left);
    expect(fresh(rig, left)).toEqual(['run-started']);
    expect(rig.engine.state.portfolio.cash.get('USD')).toEqual(decimal('10000'));
  });

  it('cancels what has been open for too long by then', () => {
    const rig = createEngineRig({ strategy: buying, cancelAfterMs: 30_000 });
    rig.start();
    rig.quote(10);
    const left = [...rig.journal.replay()];
    const again = restarted(left, ({ venue, clock }) => {
      venue.list('O-I1', { intentId: I1, terms: termsOf({ quantity: decimal('10') }) });
      clock.moveTo(seconds(20));
    });
    runTo(again.clock, seconds(29));
    expect(again.venue.calls.some((call) => call.startsWith('cancel'))).toBe(false);
    runTo(again.clock, seconds(30));
    expect(again.venue.calls.some((call) => call === 'cancel O-I1')).toBe(true);
  });
});
