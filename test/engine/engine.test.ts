import { describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { orderDrafts } from '#src/strategy/order-draft.ts';
import { createEngineRig } from '../fixtures/engine-rig.ts';
import { AAPL } from '../fixtures/market.ts';

const buying = { onQuote: () => orderDrafts.buy(AAPL, 10) };
const ORDER = ['intent-drafted', 'intent-armed', 'submit-sending', 'submit-acked', 'order-moved'];

describe('an engine', () => {
  it('reads the account before anything else', () => {
    const rig = createEngineRig();
    rig.start();
    expect(rig.venue.calls).toEqual([
      'executionsToday',
      'positions',
      'balance USD',
      'ordersToday',
      'executionsToday',
    ]);
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

  it("calls the strategy's start first and its stop last", () => {
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

  it('sends a decision to the venue, and records its reasons', () => {
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

  it('counts open orders when the next one is sized and judged (I-6)', () => {
    const rig = createEngineRig({ strategy: { onQuote: () => orderDrafts.targetWeight(AAPL, 0.5) } });
    rig.start();
    rig.quote(10);
    rig.quote(10);
    expect(rig.venue.calls.filter((call) => call.startsWith('submit'))).toEqual(['submit I1']);
  });

  it('keeps a denied order from the venue, and notifies the strategy (T-01, I-4)', () => {
    const reported: string[] = [];
    const rig = createEngineRig({
      strategy: {
        ...buying,
        onOrder: (event) => {
          reported.push(`${event.outcome} ${event.why}`);
          return undefined;
        },
      },
      limits: { maxOrderNotional: { amount: decimal('99'), currency: 'USD' } },
    });
    rig.start();
    rig.quote(10);
    expect(rig.kinds()).toEqual(['run-started', 'intent-drafted', 'intent-denied']);
    expect(rig.venue.calls.some((call) => call.startsWith('submit'))).toBe(false);
    expect(reported).toEqual(['denied max-order-notional: Order is worth 100.00 USD, limit is 99.00 USD']);
  });

  it('books a fill before the strategy is notified of it', () => {
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

  it('marks equity at every instant at which bars close, before the strategy is called', () => {
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

  it('has the same state when its journal is replayed (I-12, I-21)', () => {
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

  it('emits every event right after it was written', () => {
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
