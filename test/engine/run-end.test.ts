import { of, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { StrategyError } from '#src/engine/strategy-error.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { unfinishedOrders } from '#src/execution/reconciliation/final-reconciliation.ts';
import { JournalError } from '#src/journal/journal-error.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { intentId, orderId } from '#src/model/order.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { createEngineRig } from '../fixtures/engine-rig.ts';
import { answeredAfter } from '../fixtures/fake-venue.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import { runTo, seconds } from '../fixtures/time.ts';

const buying = { onQuote: () => orderDrafts.buy(AAPL, 10) };

describe('the end of a run', () => {
  it('is recorded with its reason, as the last record', () => {
    const rig = createEngineRig();
    rig.start();
    rig.stop({ reason: 'interrupted', message: 'Ctrl-C' });
    expect([...rig.journal.replay()].at(-1)).toMatchObject({
      kind: 'run-ended',
      reason: 'interrupted',
      message: 'Ctrl-C',
    });
  });

  it('waits for the answer of an order in progress, and records it', () => {
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

  it("sends nothing that was still waiting, nor the strategy's orders at the end", () => {
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

  it('can be requested before trading has begun', () => {
    const rig = createEngineRig({ strategy: { onStart: () => orderDrafts.buy(AAPL, 1) } });
    rig.venue.answers.delayMs = 1_000;
    rig.start();
    rig.stop({ reason: 'interrupted', message: '' });
    runTo(rig.clock, seconds(6));
    expect(rig.status()).toBe('done');
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
  });

  it('happens once: a second reason changes nothing', () => {
    const rig = createEngineRig();
    rig.start();
    rig.stop({ reason: 'interrupted', message: 'first' });
    rig.stop({ reason: 'finished', message: 'second' });
    const ends = [...rig.journal.replay()].filter(({ kind }) => kind === 'run-ended');
    expect(ends).toMatchObject([{ reason: 'interrupted', message: 'first' }]);
  });
});

describe('a run that ends with an order in doubt', () => {
  const inDoubt = () => {
    const rig = createEngineRig({ strategy: buying, pushComplete: false });
    rig.venue.answers.submit = () => of({ kind: 'unknown', message: 'timed out' });
    rig.start();
    rig.quote(10);
    return rig;
  };

  it('looks for it for ten seconds at most, and then ends nevertheless (F-P02)', () => {
    const rig = inDoubt();
    rig.stop({ reason: 'interrupted', message: '' });
    runTo(rig.clock, seconds(9));
    expect(rig.status()).toBe('running');
    runTo(rig.clock, seconds(10));
    expect(rig.status()).toBe('done');
    expect(unfinishedOrders(rig.engine.state)).toEqual({ live: 1, inDoubt: 1 });
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toHaveLength(1);
  });

  it('ends as soon as it is found (F-P02, T-10)', () => {
    const rig = inDoubt();
    rig.stop({ reason: 'interrupted', message: '' });
    rig.venue.list('O-9', { intentId: intentId('I1') });
    runTo(rig.clock, seconds(1));
    expect(rig.status()).toBe('done');
    expect(unfinishedOrders(rig.engine.state)).toEqual({ live: 1, inDoubt: 0 });
  });
});

describe('a run that is over', () => {
  it('has no timer left that would keep a process alive', () => {
    const rig = createEngineRig({ strategy: buying, cancelAfterMs: 60_000 });
    rig.start();
    rig.quote(10);
    rig.venue.answers.submit = () => of({ kind: 'unknown', message: 'timed out' });
    rig.quote(11);
    expect(rig.clock.next()).toBeDefined();
    rig.stop();
    expect(rig.status()).toBe('done');
    expect(rig.clock.next()).toBeUndefined();
  });
});

describe('a run that cannot continue', () => {
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

  it('does not call a strategy again once it has failed', () => {
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

  it('ends when the strategy orders a symbol that the bot does not trade', () => {
    const rig = createEngineRig({ strategy: { onQuote: () => orderDrafts.buy(TENCENT, 100) } });
    rig.start();
    rig.quote(10);
    expect(rig.error()).toBeInstanceOf(StrategyError);
    expect(rig.status()).toBe(
      'Strategy "by-hand" returned an order in "700.HK", which is none of its symbols (AAPL.US) (in onQuote on AAPL.US at 1970-01-01 00:00 UTC)',
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
    expect(rig.kinds().slice(-2)).toEqual(['strategy-failed', 'run-ended']);
  });

  it.each(['balance', 'positions'] as const)('does not start without the %s of the account', (question) => {
    const rig = createEngineRig();
    rig.venue.answers.silent.add(question);
    rig.start();
    expect(rig.status()).toContain(
      `Cannot start: the venue did not state the account's ${question} (500: down)`,
    );
    expect(rig.error()).toMatchObject({ code: 'account-unknown' });
    expect(rig.kinds()).toEqual(['run-ended']);
  });

  it('ends when the journal cannot be written, and sends nothing (I-1)', () => {
    const memory = createMemoryJournal();
    const full = new JournalError('journal-append', 'Disk is full');
    const journal = {
      ...memory,
      append: (event: SluiceEvent) => {
        if (event.kind === 'submit-sending' || event.kind === 'run-ended') throw full;
        return memory.append(event);
      },
    };
    const rig = createEngineRig({ strategy: buying, journal });
    rig.start();
    rig.quote(10);
    expect(rig.error()).toBe(full);
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
  });

  it('keeps an order whose answer never arrived as sending (T-09)', () => {
    const rig = createEngineRig({ strategy: buying });
    rig.venue.answers.submit = () => throwError(() => new Error('connection is beyond repair'));
    rig.start();
    rig.quote(10);
    expect(rig.status()).toBe('connection is beyond repair');
    expect(rig.kinds().slice(-2)).toEqual(['submit-sending', 'run-ended']);
    expect([...rig.engine.state.live.values()][0]?.facets.submission.kind).toBe('sending');
  });

  it('continues when one order is in doubt (T-09)', () => {
    const rig = createEngineRig({ strategy: buying });
    rig.venue.answers.submit = () => of({ kind: 'unknown', message: 'timed out' });
    rig.start();
    rig.quote(10);
    expect(rig.status()).toBe('running');
    expect(rig.engine.state.live.size).toBe(1);
  });
});
