import { of, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { StrategyError } from '#src/engine/engine.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { JournalError } from '#src/journal/journal-error.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { orderId } from '#src/model/order.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { createEngineRig } from '../fixtures/engine-rig.ts';
import { answeredAfter } from '../fixtures/fake-venue.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const buying = { onQuote: () => orderDrafts.buy(AAPL, 10) };
const ORDER = ['intent-drafted', 'intent-armed', 'submit-sending', 'submit-acked', 'order-moved'];

describe('an engine', () => {
  it('asks the venue what the account holds before anything else', () => {
    const rig = createEngineRig();
    rig.start();
    expect(rig.venue.calls.slice(0, 2)).toEqual(['balance USD', 'positions']);
    const [first] = rig.journal.replay();
    expect(first).toMatchObject({
      kind: 'run-started',
      strategy: 'by-hand',
      config: 'by-hand.yaml',
      currency: 'USD',
      cash: { USD: decimal('10000') },
    });
    expect(rig.engine.equityNow()).toBe(10_000);
  });

  it('asks the strategy first of all to start, and last of all to stop', () => {
    const asked: string[] = [];
    const note = (event: { readonly kind: string }) => {
      asked.push(event.kind);
      return undefined;
    };
    const rig = createEngineRig({ strategy: { onStart: note, onQuote: note, onStop: note } });
    rig.start();
    rig.quote(10);
    rig.stop();
    expect(asked).toEqual(['start', 'quote', 'stop']);
    expect(rig.status()).toBe('done');
    expect(rig.kinds()).toEqual(['run-started', 'run-ended']);
  });

  it('takes a decision all the way to the venue, and remembers why', () => {
    const rig = createEngineRig({ strategy: buying });
    rig.start();
    rig.quote(10);
    expect(rig.kinds()).toEqual(['run-started', ...ORDER]);
    expect([...rig.journal.replay()][1]).toMatchObject({
      intentId: 'I1',
      reason: 'buy 10 shares',
      terms: { symbol: AAPL, side: 'buy', type: 'MO', quantity: decimal('10') },
      cause: { kind: 'quote', name: 'quote', symbol: AAPL, inputs: { last: 10 } },
    });
    expect(rig.venue.calls).toContain('submit I1');
    expect(rig.engine.flow()).toMatchObject({ intents: 1, denied: 0, orders: 1, fills: 0 });
  });

  it('lets orders that are already open count when the next is sized and judged (I-6)', () => {
    const rig = createEngineRig({ strategy: { onQuote: () => orderDrafts.targetWeight(AAPL, 0.5) } });
    rig.start();
    rig.quote(10);
    rig.quote(10);
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toEqual(['submit I1']);
  });

  it('keeps a denied order from the venue, and tells the strategy (T-01, I-4)', () => {
    const told: string[] = [];
    const rig = createEngineRig({
      strategy: {
        ...buying,
        onOrder: (event) => {
          told.push(`${event.outcome} ${event.why}`);
          return undefined;
        },
      },
      limits: { maxOrderNotional: { amount: decimal('99'), currency: 'USD' } },
    });
    rig.start();
    rig.quote(10);
    expect(rig.kinds()).toEqual(['run-started', 'intent-drafted', 'intent-denied']);
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
    expect(told).toEqual(['denied max-order-notional: Order is worth 100.00 USD, limit is 99.00 USD']);
  });

  it('books a fill before the strategy hears of it', () => {
    const seen: number[] = [];
    const rig = createEngineRig({
      strategy: {
        ...buying,
        onFill: (_event, context) => {
          seen.push(context.position(AAPL).quantity, context.position(AAPL).openBuys, context.equity);
          return undefined;
        },
      },
    });
    rig.start();
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '4', price: '9' });
    rig.venue.push('O-I1');
    expect(seen).toEqual([4, 6, 10_004]);
    expect(rig.engine.state.portfolio.cash.get('USD')?.toString()).toBe('9964');
  });

  it('marks equity at every instant at which bars close, before the strategy is asked', () => {
    const rig = createEngineRig({ strategy: buying });
    rig.start();
    rig.moment({ marks: [{ symbol: AAPL, close: 10 }] });
    rig.moment({ marks: [] });
    expect(rig.engine.equity).toEqual([{ time: 0, equity: 10_000, exposure: 0 }]);
  });

  it('keeps signals and order events as decisions, in the order in which they happened', () => {
    const rig = createEngineRig({ strategy: { onSignal: () => orderDrafts.buy(AAPL, 10) } });
    rig.start();
    const time = rig.clock.now();
    const values = { fast: 2, slow: 1 };
    const signal = { kind: 'signal', symbol: AAPL, time, barTime: time, close: 10 } as const;
    rig.moment({ events: [{ ...signal, name: 'cross', direction: 'up', strength: 1, values }] });
    expect(rig.engine.decisions.map(({ kind }) => kind)).toEqual([
      'signal',
      'intent-drafted',
      'intent-armed',
      'order-moved',
    ]);
    expect(rig.engine.decisions[1]).toMatchObject({
      cause: { kind: 'signal', name: 'cross', inputs: { fast: 2, slow: 1, close: 10 } },
    });
    expect(rig.engine.flow()).toMatchObject({ signals: 1, intents: 1 });
  });

  it('comes to the same state when its journal is replayed (I-12, I-21)', () => {
    const rig = createEngineRig({ strategy: buying });
    rig.start();
    rig.quote(10);
    rig.venue.execute('O-I1', { id: 'e1', quantity: '10', price: '9' });
    rig.venue.push('O-I1');
    rig.quote(11);
    const replayed = createFold();
    for (const event of rig.journal.replay()) replayed.apply(event);
    expect(replayed.state.portfolio).toEqual(rig.engine.state.portfolio);
    expect(replayed.state.live).toEqual(rig.engine.state.live);
    expect(replayed.state.done).toEqual(rig.engine.state.done);
  });

  it('tells of every event right after it was written', () => {
    const heard: string[] = [];
    const journal = createMemoryJournal();
    const rig = createEngineRig({
      strategy: buying,
      journal,
      onEvent: (event: SluiceEvent) => heard.push(`${event.kind} ${[...journal.replay()].length}`),
    });
    rig.start();
    rig.quote(10);
    expect(heard).toEqual(rig.kinds().map((kind, index) => `${kind} ${index + 1}`));
  });
});

describe('the end of a run', () => {
  it('is written down with its reason, as the last record', () => {
    const rig = createEngineRig();
    rig.start();
    rig.stop({ reason: 'interrupted', message: 'Ctrl-C' });
    expect([...rig.journal.replay()].at(-1)).toMatchObject({
      kind: 'run-ended',
      reason: 'interrupted',
      message: 'Ctrl-C',
    });
  });

  it('waits for the answer of an order that is under way, and writes it down', () => {
    const rig = createEngineRig({ strategy: buying });
    const accept = rig.venue.answers.submit;
    rig.venue.answers.submit = (order) => {
      accept(order);
      return answeredAfter(rig.clock, 1_000, { kind: 'accepted', orderId: orderId('O-I1') });
    };
    rig.start();
    rig.quote(10);
    rig.stop();
    expect(rig.status()).toBe('running');
    expect(rig.kinds().at(-1)).toBe('submit-sending');
    runTo(rig.clock, seconds(1));
    expect(rig.status()).toBe('done');
    expect(rig.kinds().slice(-3)).toEqual(['submit-acked', 'order-moved', 'run-ended']);
  });

  it('sends nothing more that was still waiting, nor what the strategy wants at the end', () => {
    const rig = createEngineRig({
      strategy: { ...buying, onFill: () => orderDrafts.buy(AAPL, 1), onStop: () => orderDrafts.close(AAPL) },
    });
    const accept = rig.venue.answers.submit;
    rig.venue.answers.submit = (order) => {
      accept(order);
      rig.venue.execute('O-I1', { id: 'e1', quantity: '10', price: '10' });
      return answeredAfter(rig.clock, 1_000, { kind: 'accepted', orderId: orderId('O-I1') });
    };
    rig.start();
    rig.quote(10);
    rig.quote(11);
    rig.stop();
    rig.quote(12);
    runTo(rig.clock, seconds(1));
    expect(rig.status()).toBe('done');
    expect(rig.kinds().filter((kind) => kind === 'intent-drafted')).toHaveLength(1);
    expect(rig.engine.flow()).toMatchObject({ orders: 1, fills: 1 });
  });

  it('may be asked for before trading has begun', () => {
    const rig = createEngineRig({ strategy: { onStart: () => orderDrafts.buy(AAPL, 1) } });
    rig.venue.answers.delayMs = 1_000;
    rig.start();
    rig.stop({ reason: 'interrupted', message: '' });
    runTo(rig.clock, seconds(2));
    expect(rig.status()).toBe('done');
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
  });

  it('is heard once: a second reason changes nothing', () => {
    const rig = createEngineRig();
    rig.start();
    rig.stop({ reason: 'interrupted', message: 'first' });
    rig.stop({ reason: 'finished', message: 'second' });
    const ends = [...rig.journal.replay()].filter(({ kind }) => kind === 'run-ended');
    expect(ends).toMatchObject([{ reason: 'interrupted', message: 'first' }]);
  });
});

describe('a run that cannot go on', () => {
  const throws = () => {
    throw new Error('no idea');
  };

  it.each([['onStart'], ['onQuote'], ['onFill'], ['onStop']])(
    'ends when %s throws, with the failure and the end in the journal (I-16)',
    (hook) => {
      const rig = createEngineRig({ strategy: { ...buying, [hook]: throws } });
      rig.start();
      rig.quote(10);
      if (rig.status() === 'running') {
        rig.venue.execute('O-I1', { id: 'e1', quantity: '10', price: '10' });
        rig.venue.push('O-I1');
      }
      rig.stop();
      expect(rig.error()).toBeInstanceOf(StrategyError);
      expect(rig.status()).toContain(`Strategy "by-hand" threw in ${hook}: no idea`);
      expect(rig.kinds().slice(-2)).toEqual(['strategy-failed', 'run-ended']);
      expect([...rig.journal.replay()].at(-1)).toMatchObject({ reason: 'failed' });
    },
  );

  it('asks a strategy nothing more once it has failed', () => {
    let asked = 0;
    const rig = createEngineRig({
      strategy: {
        onQuote: () => {
          asked += 1;
          return throws();
        },
        onStop: () => {
          asked += 1;
          return undefined;
        },
      },
    });
    rig.start();
    rig.quote(10);
    rig.quote(11);
    expect(asked).toBe(1);
  });

  it('ends when the strategy asks for a symbol that the bot does not trade', () => {
    const rig = createEngineRig({ strategy: { onQuote: () => orderDrafts.buy(TENCENT, 100) } });
    rig.start();
    rig.quote(10);
    expect(rig.error()).toBeInstanceOf(StrategyError);
    expect(rig.status()).toBe(
      'Strategy asked for an order in "700.HK", which this bot does not trade (symbols: AAPL.US)',
    );
    expect(rig.kinds().slice(-2)).toEqual(['strategy-failed', 'run-ended']);
  });

  it('ends when a strategy reacts to its own orders without end (I-15)', () => {
    const again = () => orderDrafts.buy(AAPL, 10);
    const rig = createEngineRig({
      strategy: { onQuote: again, onOrder: again },
      limits: { maxOrderNotional: { amount: decimal('1'), currency: 'USD' } },
    });
    rig.start();
    rig.quote(10);
    expect(rig.status()).toContain('Strategy reacts to its own orders without end');
    expect(rig.kinds().at(-1)).toBe('run-ended');
  });

  it.each(['balance', 'positions'] as const)('does not start without the %s of the account', (question) => {
    const rig = createEngineRig();
    rig.venue.answers.silent.add(question);
    rig.start();
    expect(rig.status()).toContain(
      `Cannot start: the venue did not tell the account's ${question} (500: down)`,
    );
    expect(rig.error()).toMatchObject({ code: 'account-unknown' });
    expect(rig.kinds()).toEqual(['run-ended']);
  });

  it('ends when the journal cannot be written, and sends nothing (I-1)', () => {
    const memory = createMemoryJournal();
    const full = new JournalError('journal-append', 'Disk is full');
    const journal = {
      ...memory,
      append: (event: SluiceEvent) =>
        event.kind === 'submit-sending' || event.kind === 'run-ended'
          ? throwError(() => full)
          : memory.append(event),
    };
    const rig = createEngineRig({ strategy: buying, journal });
    rig.start();
    rig.quote(10);
    expect(rig.error()).toBe(full);
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
  });

  it('leaves an order whose answer never came as it was: sending (T-09)', () => {
    const rig = createEngineRig({ strategy: buying });
    rig.venue.answers.submit = () => throwError(() => new Error('connection is beyond repair'));
    rig.start();
    rig.quote(10);
    expect(rig.status()).toBe('connection is beyond repair');
    expect(rig.kinds().slice(-2)).toEqual(['submit-sending', 'run-ended']);
    expect([...rig.engine.state.live.values()][0]?.facets.submission.kind).toBe('sending');
  });

  it('goes on when one order is in doubt (T-09)', () => {
    const rig = createEngineRig({ strategy: buying });
    rig.venue.answers.submit = () => of({ kind: 'unknown', message: 'timed out' });
    rig.start();
    rig.quote(10);
    expect(rig.status()).toBe('running');
    expect(rig.engine.state.live.size).toBe(1);
  });
});
