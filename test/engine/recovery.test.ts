import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import type { Journal } from '#src/ports/journal.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { chargeOf, termsOf } from '../fixtures/orders.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const I1 = intentId('I1');
const buying: NonNullable<RigOptions['strategy']> = { onQuote: () => orderDrafts.buy(AAPL, 10) };

/** The records of a run that ended without a word right after the first record of a kind. */
function crashedAfter(kind: SluiceEvent['kind']): readonly SluiceEvent[] {
  const rig = createEngineRig({ strategy: buying });
  rig.start();
  rig.quote(10);
  const all = [...rig.journal.replay()];
  return all.slice(0, all.findIndex((event) => event.kind === kind) + 1);
}

function journalOf(events: readonly SluiceEvent[]): Journal {
  const journal = createMemoryJournal();
  for (const event of events) journal.append(event).subscribe();
  return journal;
}

/** A bot that starts where another left off; `before` puts the venue as it is then. */
function restarted(
  left: readonly SluiceEvent[],
  before: (rig: EngineRig) => void = () => undefined,
  options: RigOptions = {},
): EngineRig {
  const rig = createEngineRig({ ...options, journal: journalOf(left) });
  before(rig);
  rig.start();
  return rig;
}

const fresh = (rig: EngineRig, left: readonly SluiceEvent[]) => rig.kinds().slice(left.length);
const stateOf = (rig: EngineRig) => rig.engine.state.order(I1)?.facets;

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

  it('holds what was sending for unknown, and finds it by its tag (T-09, T-10, I-3)', () => {
    const left = crashedAfter('submit-sending');
    const rig = restarted(left, ({ venue }) =>
      venue.list('O-9', { intentId: I1, terms: termsOf({ quantity: decimal('10') }) }),
    );
    expect(fresh(rig, left)).toEqual(['submit-unknown', 'submit-acked', 'order-moved', 'run-started']);
    expect(stateOf(rig)?.submission).toEqual({ kind: 'acked', orderId: 'O-9' });
  });

  it('goes on looking for what no listing shows, and never sends it again (T-09, T-13, I-2)', () => {
    const left = crashedAfter('submit-sending');
    const rig = restarted(left);
    runTo(rig.clock, seconds(200));
    expect(stateOf(rig)?.submission.kind).toBe('abandoned');
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toEqual([]);
  });

  it('books what was executed meanwhile, and tells the strategy after its start (I-13)', () => {
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

  it('repeats a cancel of which nobody knows whether it left (T-35)', () => {
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

  it('asks nothing twice when it is done twice: a crash within recovery changes nothing (F-P09, I-21)', () => {
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

  it('opens the books once: later starts go on with their own (I-12)', () => {
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

describe('books that differ at a start', () => {
  const differing = ({ venue }: EngineRig) => venue.hold({ AAPL: '7' }, '10000');

  it('pause what opens at first sight, and halt it when a second read says the same (I-13, F-B21)', () => {
    const left = crashedAfter('run-started');
    const alarms: string[] = [];
    const rig = restarted(left, differing, { onAlarm: ({ message }) => alarms.push(message) });
    expect(rig.engine.state.gate.standing).toMatchObject({ state: 'reduce-only', by: 'books' });
    runTo(rig.clock, seconds(1));
    expect(rig.engine.state.gate.standing).toMatchObject({ state: 'halted', rule: 'books-diverged' });
    expect(alarms).toEqual([
      "Our books are not the venue's, read twice: AAPL.US is 0 here and 7 at the venue. Nothing opens until an operator has settled it",
    ]);
  });

  it('open again by themselves when the second read agrees (F-B22)', () => {
    const rig = restarted(crashedAfter('run-started'), differing);
    rig.venue.hold({}, '10000');
    runTo(rig.clock, seconds(1));
    expect(rig.engine.state.gate.standing).toMatchObject({ state: 'active', by: 'books' });
  });
});

describe('an order with our tag that the journal does not know', () => {
  it('halts the account, is counted and left alone (F-K11, I-3)', () => {
    const left = crashedAfter('run-started');
    const alarms: string[] = [];
    const rig = restarted(
      left,
      ({ venue }) =>
        venue.list('O-7', { intentId: intentId('GONE'), terms: termsOf({ quantity: decimal('5') }) }),
      { onAlarm: ({ code }) => alarms.push(code) },
    );
    expect(rig.engine.state.gate.standing).toMatchObject({ state: 'halted', rule: 'journal-forgot' });
    expect(alarms).toEqual(['journal-forgot']);
    expect(rig.engine.state.foreign.orders.size).toBe(1);
    expect(rig.venue.calls.some((call) => call.startsWith('cancel'))).toBe(false);
    expect(fresh(rig, left)).toEqual(['gate-moved', 'foreign-moved', 'run-started']);
  });

  it('is not an alarm again at the next start', () => {
    const list = ({ venue }: EngineRig) => venue.list('O-7', { intentId: intentId('GONE') });
    const once = restarted(crashedAfter('run-started'), list);
    const left = [...once.journal.replay()];
    const alarms: string[] = [];
    const again = restarted(left, list, { onAlarm: ({ code }) => alarms.push(code) });
    expect(alarms).toEqual([]);
    expect(fresh(again, left)).toEqual(['run-started']);
  });
});

describe('a foreign order', () => {
  const foreign = { terms: termsOf({ quantity: decimal('50') }) };

  it('counts among open orders and their shares, and is never touched (T-52, I-6)', () => {
    const rig = createEngineRig({ strategy: buying, limits: { maxOpenOrders: 1 } });
    rig.venue.list('HAND-1', foreign);
    rig.start();
    rig.quote(10);
    const denial = [...rig.journal.replay()].find((event) => event.kind === 'intent-denied');
    expect(denial).toMatchObject({ rule: 'max-open-orders' });
    expect(rig.venue.calls.some((call) => /^(submit|cancel)/.test(call))).toBe(false);
  });

  it('that was executed before the first start is in the books already; what comes later is booked (T-52, I-13)', () => {
    const rig = createEngineRig();
    rig.venue.list('HAND-1', foreign);
    rig.venue.execute('HAND-1', { id: 'f1', quantity: '10', price: '10' });
    rig.venue.hold({ AAPL: '10' }, '9900');
    rig.start();
    expect(rig.engine.state.portfolio.holdings.get(AAPL)?.quantity).toEqual(decimal('10'));
    rig.venue.execute('HAND-1', { id: 'f2', quantity: '5', price: '10' });
    rig.venue.push('HAND-1');
    expect(rig.engine.state.portfolio.holdings.get(AAPL)?.quantity).toEqual(decimal('15'));
    expect(rig.engine.state.portfolio.cash.get('USD')).toEqual(decimal('9850'));
  });
});

describe('a bot that crashes again and again', () => {
  const lease = (epoch: number, machineAt: number) => ({
    epoch,
    version: '1',
    configHash: 'c',
    machineAt: seconds(machineAt),
  });

  it('starts halted after three starts in ten minutes that ended without a word (F-P03)', () => {
    let left: readonly SluiceEvent[] = [];
    const states: string[] = [];
    for (const [index, at] of [0, 100, 200, 300].entries()) {
      const rig = restarted(left, () => undefined, { lease: lease(index + 1, at) });
      left = [...rig.journal.replay()];
      states.push(rig.engine.state.gate.standing.state);
    }
    expect(states).toEqual(['active', 'active', 'active', 'halted']);
  });

  it('does not count starts that ended in good order, nor old ones (F-P03)', () => {
    let left: readonly SluiceEvent[] = [];
    for (const [index, at] of [0, 700, 1_400, 2_100].entries()) {
      const rig = restarted(left, () => undefined, { lease: lease(index + 1, at) });
      left = [...rig.journal.replay()];
      expect(rig.engine.state.gate.standing.state).toBe('active');
    }
    for (const epoch of [5, 6, 7, 8]) {
      const rig = restarted(left, () => undefined, { lease: lease(epoch, 2_100 + epoch) });
      rig.stop();
      left = [...rig.journal.replay()];
      expect(rig.engine.state.gate.standing.state).toBe('active');
    }
  });
});

describe('a journal that another program has written', () => {
  const lease = (epoch: number, version: string, configHash = 'c') => ({
    epoch,
    version,
    configHash,
    machineAt: seconds(epoch * 1_000),
  });
  const left = () => [...restarted([], () => undefined, { lease: lease(1, '1.10.0') }).journal.replay()];

  it('is not traded by an older one (F-F06, I-25)', () => {
    const rig = restarted(left(), () => undefined, { lease: lease(2, '1.9.3') });
    expect(rig.status()).toContain(
      "Cannot trade with version 1.9.3 of this program: version 1.10.0 has written this account's journal",
    );
    expect(rig.venue.calls).toEqual([]);
  });

  it.each([
    ['2.0.0', 'c', ['bot-changed']],
    ['1.10.0', 'd', ['bot-changed']],
    ['1.10.0', 'c', []],
  ])(
    'is gone on with by version %s and config %s, which a person hears of when it changed (F-F06)',
    (version, config, wanted) => {
      const alarms: string[] = [];
      const options = {
        lease: lease(2, version, config),
        onAlarm: ({ code }: { readonly code: string }) => alarms.push(code),
      };
      expect(restarted(left(), () => undefined, options).status()).toBe('running');
      expect(alarms).toEqual(wanted);
    },
  );
});

describe('charges that the venue tells later', () => {
  it('are booked once all executions are, also after the order is over (I-13)', () => {
    const rig = createEngineRig({ strategy: buying });
    rig.start();
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '10', price: '10' });
    rig.venue.push('O-I1');
    expect(rig.engine.state.portfolio.cash.get('USD')).toEqual(decimal('9900'));
    rig.venue.charge('O-I1', [chargeOf('LATE', '1.25')]);
    rig.venue.push('O-I1');
    rig.venue.push('O-I1');
    expect(rig.engine.state.portfolio.cash.get('USD')).toEqual(decimal('9898.75'));
    expect(rig.kinds().filter((kind) => kind === 'order-charged')).toHaveLength(1);
  });
});

describe('a replaced answer', () => {
  it('is not needed: a submit that the venue refused stays refused after a restart (T-07)', () => {
    const rig = createEngineRig({ strategy: buying });
    rig.venue.answers.submit = () => of({ kind: 'refused', code: 602001, message: 'no' });
    rig.start();
    rig.quote(10);
    const left = [...rig.journal.replay()];
    const again = restarted(left);
    expect(stateOf(again)?.submission).toEqual({ kind: 'refused', code: 602001 });
    expect(fresh(again, left)).toEqual(['run-started']);
  });
});
