import { NEVER, of, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { haltedSymbols } from '#src/events/records/gate-record.ts';
import type { MarkedKill } from '#src/execution/gate/restrictions.ts';
import type { Alarm } from '#src/model/notice.ts';
import { type IntentId, intentId } from '#src/model/order.ts';
import { securitySymbol } from '#src/model/symbol.ts';
import type { ChangeAnswer, SubmitAnswer } from '#src/ports/broker.ts';
import type { OperatorCommand } from '#src/ports/operator.ts';
import { statusOf, statusText } from '#src/reports/status.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { bracketRig, fill, sent } from '../fixtures/bracket-rig.ts';
import { createEngineRig, type EngineRig, type RigOptions } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';
import { restarted } from '../fixtures/restarting.ts';
import { runTo, seconds } from '../fixtures/time.ts';
import { buying, cancels, standing, submits } from './a-buying-bot.ts';

const KILL = { kind: 'kill', flatten: false, foreign: false } as const;

const pendingOf = ({ engine }: EngineRig) => [...engine.state.live.values()][0]?.facets.pending;

/** Buys at the first quote and changes the price at the second. */
function rebidding(): EngineRig {
  let order: IntentId | undefined;
  return buying({
    strategy: {
      onQuote: () =>
        order === undefined
          ? orderDrafts.buy(AAPL, 100, { type: 'LO', price: 9 })
          : orderDrafts.replace({ symbol: AAPL, intentId: order }, { price: 8 }),
      onOrder: ({ intentId }) => {
        order = intentId;
      },
    },
  });
}

describe('a kill', () => {
  it('cancels all orders of the bot, and opens nothing after it (I-14)', () => {
    const rig = buying();
    rig.quote(10);
    rig.quote(10);
    expect(submits(rig)).toBe(2);
    const outcomes = rig.command(KILL, 'the strategy went mad');
    expect(cancels(rig)).toEqual(['cancel O-I1', 'cancel O-I2']);
    expect(standing(rig)).toMatchObject({ state: 'killed', by: 'operator', rule: 'kill' });
    for (const id of ['O-I1', 'O-I2']) {
      rig.venue.list(id, { status: 'CanceledStatus' });
      rig.venue.push(id);
    }
    runTo(rig.clock, seconds(1));
    expect(outcomes).toEqual([
      { kind: 'done', message: 'Gate is killed (kill: the strategy went mad (cli))' },
    ]);
    rig.quote(10);
    expect(submits(rig)).toBe(2);
    expect(rig.kinds()).toContain('intent-denied');
  });

  it('sends its cancels while the strategy still computes, and journals them afterwards (I-1, I-14)', () => {
    const thinking = new Subject<ChangeAnswer>();
    const rig = buying();
    rig.quote(10);
    rig.venue.answers.cancel = () => thinking;
    rig.command(KILL);
    expect(cancels(rig)).toEqual(['cancel O-I1']);
    expect(rig.kinds()).not.toContain('gate-moved');
    rig.quote(10);
    thinking.next({ kind: 'accepted' });
    thinking.complete();
    expect(rig.kinds().slice(-6)).toEqual([
      'operator-commanded',
      'gate-moved',
      'cancel-sending',
      'cancel-answered',
      'intent-drafted',
      'intent-denied',
    ]);
    expect(submits(rig)).toBe(1);
  });

  it('stops an order between its approval and its first byte (F-O01, I-14, T-03)', () => {
    const rig = buying({
      onEvent: (event) => {
        if (event.kind === 'submit-sending') rig.command(KILL);
      },
    });
    rig.quote(10);
    expect(submits(rig)).toBe(0);
    expect(
      rig.engine.state.order([...rig.engine.state.done.keys()][0] as never)?.facets.submission.kind,
    ).toBe('not-sent');
  });

  it('marked by another process is seen before the next order leaves (I-14)', () => {
    let mark: MarkedKill | undefined;
    const rig = buying({ killMark: { read: () => mark, lift: () => undefined } });
    rig.quote(10);
    mark = { reason: 'the bot hung', id: '1' };
    rig.quote(10);
    expect(submits(rig)).toBe(1);
  });

  it('that is given twice, also while it runs, cancels nothing twice (F-O02)', () => {
    const rig = buying();
    rig.quote(10);
    const answer = new Subject<ChangeAnswer>();
    rig.venue.answers.cancel = () => answer;
    const first = rig.command(KILL);
    const second = rig.command(KILL);
    expect(cancels(rig)).toHaveLength(1);
    answer.next({ kind: 'accepted' });
    answer.complete();
    const third = rig.command(KILL);
    runTo(rig.clock, seconds(10));
    expect([first, second, third].map((outcomes) => outcomes[0]?.kind)).toEqual(['done', 'done', 'done']);
    expect(cancels(rig)).toHaveLength(1);
  });

  it.each<[string, ChangeAnswer, string]>([
    ['accepted and not confirmed', { kind: 'accepted' }, 'NewStatus, cancel-acked'],
    ['refused', { kind: 'refused', code: 602_001, message: 'no' }, 'NewStatus'],
    ['not answered', { kind: 'unknown', message: 'timed out' }, 'NewStatus, cancel-unknown'],
    ['not sent', { kind: 'not-sent', message: 'no connection' }, 'NewStatus'],
  ])('is answered within ten seconds with the orders whose cancel was %s (I-14)', (_what, answer, state) => {
    const rig = buying();
    rig.quote(10);
    rig.quote(10);
    rig.venue.answers.cancel = (id) => of(id === 'O-I1' ? { kind: 'accepted' } : answer);
    const outcomes = rig.command(KILL);
    rig.venue.list('O-I1', { status: 'CanceledStatus' });
    rig.venue.push('O-I1');
    runTo(rig.clock, seconds(9));
    expect(outcomes).toEqual([]);
    runTo(rig.clock, seconds(10));
    expect(outcomes).toMatchObject([{ kind: 'done', open: [{ id: 'O-I2', symbol: AAPL, state }] }]);
    expect(outcomes[0]?.message).toContain(`NOT confirmed as cancelled`);
    expect(outcomes[0]?.message).toContain(`1 order, O-I2 of AAPL.US (${state})`);
  });

  it('is answered with orders whose submit has no known outcome, by their intent', () => {
    const rig = buying({ pushComplete: false });
    rig.venue.answers.submit = () => of<SubmitAnswer>({ kind: 'unknown', message: 'timed out' });
    rig.quote(10);
    const outcomes = rig.command(KILL);
    runTo(rig.clock, seconds(10));
    expect(outcomes).toMatchObject([{ open: [{ id: 'I1', symbol: AAPL, state: 'unknown' }] }]);
  });

  it('names foreign orders that it could not cancel, and states when it could not list them', () => {
    const rig = buying();
    rig.venue.list('THEIRS');
    rig.venue.answers.cancel = () => of({ kind: 'refused', code: 602_001, message: 'no' });
    const refused = rig.command({ ...KILL, foreign: true });
    runTo(rig.clock, seconds(10));
    expect(refused).toMatchObject([{ open: [{ id: 'THEIRS', state: 'NewStatus, not ours' }] }]);
    rig.venue.answers.silent.add('ordersToday');
    const unread = rig.command({ ...KILL, foreign: true });
    runTo(rig.clock, seconds(20));
    expect(unread).toMatchObject([{ kind: 'done', unread: expect.any(String) }]);
    expect(unread[0]?.message).toContain('orders of others could not be listed');
  });

  it('names a foreign order whose status cannot be read after two lists', () => {
    const rig = buying();
    rig.venue.list('THEIRS', { status: 'unrecognised' });
    const outcomes = rig.command({ ...KILL, foreign: true });
    runTo(rig.clock, seconds(2));
    expect(outcomes).toMatchObject([{ open: [{ id: 'THEIRS', state: 'unrecognised, not ours' }] }]);
    // One that is read as working may still end.
    rig.venue.list('THEIRS', { status: 'NewStatus' });
    const working = rig.command({ ...KILL, foreign: true });
    runTo(rig.clock, seconds(11));
    expect(working).toEqual([]);
  });

  it('names one of its orders whose status cannot be read after two seconds, like a foreign one (I-14)', () => {
    const rig = buying();
    rig.quote(10);
    rig.quote(10);
    rig.venue.list('O-I1', { status: 'unrecognised', rawStatus: 'QuantumStatus' });
    rig.venue.push('O-I1');
    const outcomes = rig.command(KILL);
    rig.venue.list('O-I2', { status: 'CanceledStatus' });
    rig.venue.push('O-I2');
    runTo(rig.clock, seconds(1.9));
    expect(outcomes).toEqual([]);
    runTo(rig.clock, seconds(2.5));
    expect(outcomes).toMatchObject([{ open: [{ id: 'O-I1', state: 'unrecognised, cancel-acked' }] }]);
  });

  it('keeps repeating a cancel without a certain answer (T-35)', () => {
    const rig = buying();
    rig.quote(10);
    rig.venue.answers.cancel = () => of({ kind: 'unknown', message: 'timed out' });
    rig.command(KILL);
    runTo(rig.clock, seconds(1));
    expect(cancels(rig).length).toBeGreaterThanOrEqual(2);
  });

  it('remembers an order that is not yet known, and cancels it when it is found (T-14)', () => {
    const rig = buying({ pushComplete: false });
    rig.venue.answers.submit = () => of<SubmitAnswer>({ kind: 'unknown', message: 'timed out' });
    rig.quote(10);
    rig.command(KILL);
    expect(cancels(rig)).toEqual([]);
    const { intentId, terms } = [...rig.engine.state.live.values()][0] ?? {};
    rig.venue.list('O-9', { ...(intentId && { intentId }), ...(terms && { terms }) });
    runTo(rig.clock, seconds(2));
    expect(cancels(rig)).toContain('cancel O-9');
  });

  it('closes positions on request, with orders that only reduce', () => {
    const rig = buying();
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '100', price: '9' });
    rig.venue.push('O-I1');
    rig.command({ ...KILL, flatten: true });
    expect(rig.venue.calls.at(-2)).toBe('submit I2');
    const order = [...rig.engine.state.live.values()].at(-1);
    expect(order?.terms).toMatchObject({ symbol: AAPL, side: 'sell', type: 'MO' });
    expect(order?.terms.quantity.toString()).toBe('100');
  });

  it('closes whole lots, and reports the shares below one', () => {
    const alarms: string[] = [];
    const rig = buying({ onAlarm: ({ code, message }) => alarms.push(`${code}: ${message}`) });
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '40.5', price: '9' });
    rig.venue.list('O-I1', { status: 'CanceledStatus' });
    rig.venue.push('O-I1');
    rig.command({ ...KILL, flatten: true });
    const order = [...rig.engine.state.live.values()].at(-1);
    expect(order?.terms).toMatchObject({ side: 'sell', type: 'MO' });
    expect(order?.terms.quantity.toString()).toBe('40');
    rig.venue.execute('O-I2', { id: 'e2', quantity: '40', price: '9' });
    rig.venue.push('O-I2');
    runTo(rig.clock, seconds(40));
    expect(submits(rig)).toBe(2);
    expect(alarms).toEqual([
      'odd-lot-kept: 0.5 of "AAPL.US" are below its lot of 1 and are kept: no type of order trades them',
    ]);
  });

  it('also cancels at once orders with an unanswered cancel, and orders with an amend in progress (T-45, I-14)', () => {
    const rig = buying();
    rig.quote(10);
    rig.venue.answers.cancel = () => of({ kind: 'unknown', message: 'timed out' });
    rig.command({ kind: 'cancel-all' });
    expect(pendingOf(rig)).toBe('cancel-unknown');
    rig.venue.answers.cancel = () => NEVER;
    rig.command(KILL);
    expect([cancels(rig).length, rig.kinds().includes('gate-moved')]).toEqual([2, false]);
    const again = rebidding();
    again.venue.answers.replace = () => of({ kind: 'unknown', message: 'timed out' });
    again.quote(10);
    again.quote(10);
    expect(pendingOf(again)).toBe('replace-unknown');
    again.venue.answers.cancel = () => NEVER;
    again.command(KILL);
    expect([cancels(again), again.kinds().includes('gate-moved')]).toEqual([['cancel O-I1'], false]);
  });

  it('leaves foreign orders alone, unless the operator includes them (I-3)', () => {
    const rig = buying();
    rig.venue.list('THEIRS');
    rig.command(KILL);
    expect(cancels(rig)).toEqual([]);
    rig.command({ ...KILL, foreign: true });
    expect([...new Set(cancels(rig))]).toEqual(['cancel THEIRS']);
  });
});

describe('milder commands', () => {
  it('halt and reduce-only apply from the call on', () => {
    const rig = buying();
    rig.command({ kind: 'reduce-only' });
    rig.quote(10);
    expect([submits(rig), standing(rig).state]).toEqual([0, 'reduce-only']);
    rig.command({ kind: 'halt' });
    expect(standing(rig).state).toBe('halted');
  });

  it('outside a schedule nothing opens, and the gate itself is unchanged', () => {
    const rig = buying();
    rig.command({ kind: 'stop-opening' });
    rig.quote(10);
    expect([submits(rig), standing(rig).state]).toEqual([0, 'active']);
    rig.command({ kind: 'start-opening' });
    rig.quote(10);
    expect(submits(rig)).toBe(1);
  });

  it('cancel the orders of some symbols only', () => {
    const rig = buying();
    rig.quote(10);
    rig.command({ kind: 'cancel-all', symbols: [] });
    expect(cancels(rig)).toEqual([]);
    rig.command({ kind: 'cancel-all', symbols: [AAPL] });
    expect(cancels(rig)).toEqual(['cancel O-I1']);
  });
});

describe('an incident of an order', () => {
  it('halts the account if more was executed than ordered (I-7, F-B19)', () => {
    const rig = buying();
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '150', price: '9' });
    rig.venue.push('O-I1');
    expect(standing(rig)).toMatchObject({ state: 'halted', by: 'books', rule: 'overfilled' });
    rig.quote(10);
    expect(submits(rig)).toBe(1);
  });

  it('halts a symbol whose cancels the venue accepts three times and ignores (T-39)', () => {
    const rig = buying();
    rig.quote(10);
    rig.command({ kind: 'cancel-all' });
    runTo(rig.clock, seconds(95));
    expect(cancels(rig)).toHaveLength(3);
    expect([...haltedSymbols(rig.engine.state.gate).keys()]).toEqual([AAPL]);
    rig.quote(10);
    expect([submits(rig), standing(rig).state]).toEqual([1, 'active']);
    rig.venue.list('O-I1', { status: 'CanceledStatus' });
    rig.venue.push('O-I1');
    rig.command({ kind: 'resume' }, 'cancelled by hand');
    expect(haltedSymbols(rig.engine.state.gate).size).toBe(0);
  });
});

describe('the state of the gate', () => {
  it('is reported at once, although a missing answer blocks the event queue (I-14)', () => {
    const rig = buying();
    rig.venue.answers.submit = () => NEVER;
    rig.quote(10);
    rig.command(KILL);
    expect(standing(rig).state).toBe('active');
    expect(rig.engine.gateNow()).toMatchObject({ state: 'killed', by: 'operator', rule: 'kill' });
  });
});

describe('a flatten of a symbol whose entry is filled before its cancel arrives', () => {
  it('closes the position, without exits in between', () => {
    const alarms: Alarm[] = [];
    const rig = bracketRig({}, { onAlarm: (alarm) => alarms.push(alarm) });
    rig.command({ kind: 'flatten' });
    fill(rig, '100');
    runTo(rig.clock, seconds(2));
    expect(sent(rig)).toEqual(['submit I2', 'cancel O-I2', 'submit I3']);
    expect(rig.engine.state.order(intentId('I3'))?.terms).toMatchObject({ side: 'sell', type: 'MO' });
    rig.venue.execute('O-I3', { id: 'closes', quantity: '100', price: '9' });
    rig.venue.push('O-I3');
    runTo(rig.clock, seconds(2_000));
    expect([rig.engine.state.portfolio.holdings.size, alarms]).toEqual([0, []]);
  });

  it('cancels orders that the strategy sends in the meantime, so that it does not wait for them', () => {
    let quotes = 0;
    const rig = createEngineRig({
      strategy: {
        onQuote: ({ symbol }, { orders }) => {
          quotes += 1;
          return quotes === 1
            ? orders.buy(symbol, 100, { type: 'LO', price: 10 })
            : orders.sell(symbol, 100, { type: 'LO', price: 20, timeInForce: 'gtc' });
        },
      },
    });
    rig.start();
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '60', price: '10' });
    rig.venue.push('O-I1');
    rig.command({ kind: 'flatten' });
    rig.venue.execute('O-I1', { id: 'e2', quantity: '40', price: '10' });
    rig.venue.push('O-I1');
    rig.quote(10);
    expect(sent(rig)).toEqual(['submit I1', 'cancel O-I1', 'submit I2']);
    runTo(rig.clock, seconds(1));
    expect(sent(rig).at(-1)).toBe('cancel O-I2');
    rig.venue.list('O-I2', { status: 'CanceledStatus' });
    rig.venue.push('O-I2');
    runTo(rig.clock, seconds(3));
    expect(sent(rig).at(-1)).toBe('submit I3');
    expect(rig.engine.state.order(intentId('I3'))?.terms).toMatchObject({ side: 'sell', type: 'MO' });
  });
});

it('a flatten completes once cancels arrive again, after ten seconds without any sent (F-B16)', () => {
  const rig = bracketRig();
  fill(rig, '100');
  const works = rig.venue.answers.cancel;
  rig.venue.answers.cancel = () => of({ kind: 'not-sent', message: 'no connection' });
  rig.command({ kind: 'flatten' });
  runTo(rig.clock, seconds(10));
  expect(cancels(rig).filter((call) => call === 'cancel O-I3')).toHaveLength(5);
  rig.venue.answers.cancel = (id) => {
    rig.venue.list(id, { status: 'CanceledStatus' });
    return works(id);
  };
  runTo(rig.clock, seconds(60));
  expect(sent(rig).at(-1)).toBe('submit I5');
  expect(rig.engine.state.order(intentId('I5'))?.terms).toMatchObject({ side: 'sell', type: 'MO' });
  expect(rig.engine.state.order(intentId('I5'))?.facets.ordered.toNumber()).toBe(100);
});

describe('an entry of a bracket that is still open after a flatten, as its cancels have no effect', () => {
  const isClosed = (rig: EngineRig): boolean =>
    [...rig.engine.state.live.values()].some(
      ({ terms: { side, type, quantity } }) => side === 'sell' && type === 'MO' && quantity.eq(100),
    );

  it('is closed when it is filled an hour later, and reported before', () => {
    const alarms: Alarm[] = [];
    const rig = bracketRig({}, { onAlarm: (alarm) => alarms.push(alarm) });
    rig.command({ kind: 'flatten' });
    runTo(rig.clock, seconds(3_700));
    expect(alarms).toContainEqual(
      expect.objectContaining({
        code: 'flatten-incomplete',
        message: expect.stringContaining('AAPL.US still has open orders'),
      }),
    );
    fill(rig, '100');
    runTo(rig.clock, seconds(3_760));
    expect(isClosed(rig)).toBe(true);
  });

  it.each<OperatorCommand>([{ kind: 'flatten' }, { ...KILL, flatten: true }])(
    'is closed when it is filled after a restart of the bot: $kind',
    (command) => {
      const before = bracketRig();
      before.command(command);
      const terms = before.engine.state.order(intentId('I2'))?.terms;
      if (terms === undefined) throw new Error('The bracket has no entry');
      const rig = restarted(
        [...before.journal.replay()],
        ({ venue }) => venue.list('O-I2', { intentId: intentId('I2'), terms }),
        { minted: 10 },
      );
      runTo(rig.clock, seconds(60));
      expect(isClosed(rig)).toBe(false);
      fill(rig, '100');
      runTo(rig.clock, seconds(120));
      expect(isClosed(rig)).toBe(true);
    },
  );

  it('is closed when it was filled while the bot was down', () => {
    const before = bracketRig();
    before.command({ kind: 'flatten' });
    const terms = before.engine.state.order(intentId('I2'))?.terms;
    if (terms === undefined) throw new Error('The bracket has no entry');
    const rig = restarted(
      [...before.journal.replay()],
      ({ venue }) => {
        venue.list('O-I2', { intentId: intentId('I2'), terms });
        venue.execute('O-I2', { id: 'down', quantity: '100', price: '10' });
        venue.hold({ AAPL: '100' }, '9000');
      },
      { minted: 10 },
    );
    runTo(rig.clock, seconds(10));
    expect(isClosed(rig)).toBe(true);
  });
});

it('a cancel that was refused is sent again after a restart (T-36)', () => {
  const before = buying();
  before.quote(10);
  before.venue.answers.cancel = () => of({ kind: 'refused', code: 404, message: 'not found' });
  before.command({ kind: 'cancel-all' });
  const terms = before.engine.state.order(intentId('I1'))?.terms;
  if (terms === undefined) throw new Error('The strategy sent no order');
  const rig = restarted([...before.journal.replay()], ({ venue }) =>
    venue.list('O-I1', { intentId: intentId('I1'), terms }),
  );
  runTo(rig.clock, seconds(1));
  expect(cancels(rig)).toEqual(['cancel O-I1']);
});

describe('a flatten of a position without a bracket, after a restart', () => {
  const killing = { ...KILL, flatten: true };
  const holding = (options: RigOptions = {}): EngineRig => {
    const rig = buying(options);
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'bought', quantity: '40', price: '9' });
    rig.venue.push('O-I1');
    return rig;
  };
  const closes = (rig: EngineRig) =>
    [...rig.engine.state.live.values(), ...rig.engine.state.done.values()].filter(
      ({ terms, facets }) => terms.type === 'MO' && facets.submission.kind === 'acked',
    );

  /** The venue's state after `before`: 40 shares are held, and the entry is cancelled. */
  function venueAfter(rig: EngineRig, before: EngineRig): void {
    rig.venue.hold({ AAPL: '40' }, '9640');
    const terms = before.engine.state.order(intentId('I1'))?.terms;
    if (terms === undefined) throw new Error('The strategy sent no order');
    rig.venue.list('O-I1', { intentId: intentId('I1'), terms });
    rig.venue.execute('O-I1', { id: 'bought', quantity: '40', price: '9' });
    rig.venue.list('O-I1', { status: 'CanceledStatus' });
  }

  it.each<OperatorCommand>([{ kind: 'flatten' }, killing])(
    'sells it once, whichever record was the last before the crash: $kind',
    (command) => {
      const before = holding();
      before.venue.answers.cancel = () => {
        before.venue.list('O-I1', { status: 'CanceledStatus' });
        return of({ kind: 'accepted' });
      };
      before.command(command);
      runTo(before.clock, seconds(5));
      const records = [...before.journal.replay()];
      const first = records.findIndex(({ kind }) => kind === 'flatten-changed');
      const sending = records.findLastIndex(({ kind }) => kind === 'submit-sending');
      expect(first).toBeGreaterThan(0);
      expect(sending).toBeGreaterThan(first);
      for (let end = first + 1; end <= sending; end += 1) {
        const rig = restarted(records.slice(0, end), (each) => venueAfter(each, before), { minted: 10 });
        runTo(rig.clock, seconds(120));
        expect([end, ...closes(rig).map(({ facets }) => facets.ordered.toNumber())]).toEqual([end, 40]);
        const closing = closes(rig)[0]?.intentId;
        rig.venue.execute(`O-${closing}`, { id: 'sold', quantity: '40', price: '10' });
        rig.venue.push(`O-${closing}`);
        runTo(rig.clock, seconds(300));
        expect(rig.engine.flattening()).toEqual([]);
        expect(closes(rig)).toHaveLength(1);
      }
    },
  );

  it('closes it after a second if the venue does not state its positions (I-14)', () => {
    const rig = holding({ pushComplete: false });
    rig.venue.list('O-I1', { status: 'CanceledStatus' });
    rig.venue.push('O-I1');
    rig.venue.answers.silent.add('positions');
    rig.venue.answers.delayMs = 5_000;
    rig.command({ kind: 'flatten' });
    runTo(rig.clock, seconds(2));
    expect(closes(rig).map(({ facets }) => facets.ordered.toNumber())).toEqual([40]);
  });

  it('of a kill writes nothing before its cancels have left, as a kill without a flatten (F-K05, I-14)', () => {
    for (const command of [KILL, killing]) {
      const rig = holding();
      const before = rig.kinds().length;
      let written: readonly string[] | undefined;
      rig.venue.answers.cancel = () => {
        written = rig.kinds().slice(before);
        return NEVER;
      };
      rig.command(command);
      expect(written).toEqual([]);
    }
  });

  it.each([
    ['are answered', 300, true],
    ['have left, which are never answered', 1_500, false],
  ])(
    'of a kill is on disk as soon as its cancels %s, and continues after a crash',
    (_, afterMs, isAnswered) => {
      const before = holding();
      const answer = new Subject<ChangeAnswer>();
      before.venue.answers.cancel = () => answer;
      const [began, now] = [before.kinds().length, before.clock.now()];
      before.command(killing);
      runTo(before.clock, now + afterMs - 1);
      expect(before.kinds().slice(began)).toEqual([]);
      runTo(before.clock, now + afterMs);
      if (isAnswered) {
        answer.next({ kind: 'accepted' });
        answer.complete();
      }
      const left = [...before.journal.replay()];
      const end = left.findIndex(({ kind }) => kind === 'flatten-changed') + 1;
      expect(end).toBeGreaterThan(0);
      const rig = restarted(left.slice(0, end), (each) => venueAfter(each, before), { minted: 10 });
      runTo(rig.clock, seconds(120));
      expect(closes(rig).map(({ facets }) => facets.ordered.toNumber())).toEqual([40]);
    },
  );

  it('of a kill starts once, and not again after the position was closed', () => {
    const rig = holding();
    rig.venue.answers.cancel = () => {
      rig.venue.list('O-I1', { status: 'CanceledStatus' });
      return of({ kind: 'accepted' });
    };
    rig.command(killing);
    runTo(rig.clock, rig.clock.now() + 500);
    const closing = closes(rig)[0]?.intentId;
    rig.venue.execute(`O-${closing}`, { id: 'sold', quantity: '40', price: '10' });
    rig.venue.push(`O-${closing}`);
    runTo(rig.clock, rig.clock.now() + 5_000);
    const begins = [...rig.journal.replay()].filter((event) => event.kind === 'flatten-changed');
    expect(begins.map(({ symbols }) => symbols.length)).toEqual([1, 0]);
  });

  it('ends with an alarm if the config no longer names its symbol', () => {
    const before = holding();
    before.command({ kind: 'flatten' });
    const alarms: string[] = [];
    const rig = restarted([...before.journal.replay()], (each) => venueAfter(each, before), {
      ...{ minted: 10, symbols: [securitySymbol('MSFT.US')] },
      onAlarm: ({ code, message }) => code === 'flatten-incomplete' && alarms.push(message),
    });
    runTo(rig.clock, seconds(60));
    expect(rig.engine.flattening()).toEqual([]);
    expect(alarms).toEqual([
      expect.stringContaining('40 of "AAPL.US" cannot be closed: the config does not name it'),
    ]);
  });

  it('is listed in the status from the journal', () => {
    const before = holding();
    before.command({ kind: 'flatten' });
    const facts = statusOf(before.engine.state, before.clock.now());
    expect(facts.flattening).toEqual([{ symbol: AAPL }]);
    expect(statusText(facts)).toContain('flatten    under way: closes AAPL.US\n');
  });

  it('keeps the order that closes it, and a resume ends it', () => {
    const before = holding();
    before.venue.answers.cancel = () => {
      before.venue.list('O-I1', { status: 'CanceledStatus' });
      return of({ kind: 'accepted' });
    };
    before.command({ kind: 'flatten' });
    runTo(before.clock, seconds(5));
    const atVenue = (each: EngineRig): void => {
      venueAfter(each, before);
      for (const { intentId: id, terms } of closes(before))
        each.venue.list(`O-${id}`, { intentId: id, terms });
    };
    const rig = restarted([...before.journal.replay()], atVenue, { minted: 10 });
    runTo(rig.clock, seconds(120));
    expect(rig.engine.flattening().map(({ symbol }) => symbol)).toEqual([AAPL]);
    expect(cancels(rig)).toEqual([]);
    expect(submits(rig)).toBe(0);
    rig.command({ kind: 'resume' }, 'keep the rest');
    expect(rig.engine.flattening()).toEqual([]);
    const again = restarted([...rig.journal.replay()], atVenue, { minted: 20 });
    expect(again.engine.flattening()).toEqual([]);
  });
});
