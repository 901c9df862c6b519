import { of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId } from '#src/model/order.ts';
import { createEngineRig, type EngineRig } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { chargeOf, termsOf } from '../fixtures/orders.ts';
import { buying, crashedAfter, fresh, restarted, stateOf } from '../fixtures/restarting.ts';
import { runTo, seconds } from '../fixtures/time.ts';

describe('books that differ at a start', () => {
  const differing = ({ venue }: EngineRig) => venue.hold({ AAPL: '7' }, '10000');

  it('pause opening orders at the first read, and halt if a second read shows the same (I-13, F-B21)', () => {
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

  it('reopen by themselves if the second read agrees (F-B22)', () => {
    const rig = restarted(crashedAfter('run-started'), differing);
    rig.venue.hold({}, '10000');
    runTo(rig.clock, seconds(1));
    expect(rig.engine.state.gate.standing).toMatchObject({ state: 'active', by: 'books' });
  });
});

describe('an order with our tag that the journal does not know', () => {
  it('halts the account, is counted and not touched (F-K11, I-3)', () => {
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

  it('that was executed before the first start is in the books already; later executions are booked (T-52, I-13)', () => {
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

describe('a bot that crashes repeatedly', () => {
  const lease = (epoch: number, machineAt: number) => ({
    epoch,
    version: '1',
    configHash: 'c',
    machineAt: seconds(machineAt),
  });

  it('starts halted after three starts in ten minutes that did not end normally (F-P03)', () => {
    let left: readonly SluiceEvent[] = [];
    const states: string[] = [];
    for (const [index, at] of [0, 100, 200, 300].entries()) {
      const rig = restarted(left, () => undefined, { lease: lease(index + 1, at) });
      left = [...rig.journal.replay()];
      states.push(rig.engine.state.gate.standing.state);
    }
    expect(states).toEqual(['active', 'active', 'active', 'halted']);
  });

  it('does not count starts that ended normally, nor old ones (F-P03)', () => {
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

describe('a journal of another program version', () => {
  const lease = (epoch: number, version: string, configHash = 'c') => ({
    epoch,
    version,
    configHash,
    machineAt: seconds(epoch * 1_000),
  });
  const left = () => [...restarted([], () => undefined, { lease: lease(1, '1.10.0') }).journal.replay()];

  it('is refused by an older one (F-F06, I-25)', () => {
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
    'is continued by version %s and config %s, with a notice to the operator when these changed (F-F06)',
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

describe('charges that the venue reports later', () => {
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

describe('the answer to a replace', () => {
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
