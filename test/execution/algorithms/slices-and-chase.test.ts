import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { first } from '#src/signals/cross.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import type { OrderDraft, OrderDrafts } from '#src/strategy/order-draft.ts';
import { fillsOf, setupOf } from '../../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf } from '../../fixtures/market.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

/** Asks once, at the first close, in minute bars that each stand at one price. */
function run(ask: (orders: OrderDrafts) => OrderDraft, ...prices: readonly number[]) {
  const strategy = defineStrategy({
    name: 'asks-once',
    params: {},
    signals: ({ bars }) => ({ start: first(bars) }),
    onSignal: (_signal, { orders }) => ask(orders),
  });
  const bars = columnsOf(
    AAPL,
    '1m',
    prices.map((price, index): BarRow => [OPEN + index * 60_000, price, price, price, price]),
  );
  const journal = createMemoryJournal();
  const record = runBacktest(setupOf(strategy, [bars]), { journal });
  const events = [...journal.replay()];
  return {
    fills: fillsOf(record).map((fill) => fill.slice(6, -7)),
    ends: events.flatMap((event) =>
      event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : [],
    ),
    replaced: events.flatMap((event) => (event.kind === 'replace-read' ? [`${event.terms.price}`] : [])),
    events,
  };
}

describe('an order in parts', () => {
  it('trades in equal parts over its time', () => {
    const { fills, ends } = run(
      (orders) => orders.twap(orders.buy(AAPL, 90), { minutes: 3, parts: 3 }),
      10,
      11,
      12,
      13,
      14,
    );
    expect(fills).toEqual(['14:31 buy 30 at 11', '14:32 buy 30 at 12', '14:33 buy 30 at 13']);
    expect(ends).toEqual(['done: 90 of 90 traded']);
  });

  it('trades more where the profile has more volume', () => {
    const { fills } = run(
      (orders) => orders.vwap(orders.buy(AAPL, 100), { minutes: 3, weights: [5, 1, 4] }),
      ...[10, 11, 12, 13, 14],
    );
    expect(fills).toEqual(['14:31 buy 50 at 11', '14:32 buy 10 at 12', '14:33 buy 40 at 13']);
  });

  it('shows one part at a time, the next when the one before was filled', () => {
    const { fills, ends } = run(
      (orders) => orders.iceberg(orders.buy(AAPL, 70, { type: 'LO', price: 12 }), { shown: 30 }),
      ...[13, 13, 12, 11, 11],
    );
    expect(fills.map((fill) => fill.replace(/^\S+ /, ''))).toEqual([
      'buy 30 at 12',
      'buy 30 at 12',
      'buy 10 at 12',
    ]);
    expect(ends).toEqual(['done: 70 of 70 traded']);
  });
});

describe('a chase', () => {
  const chase = (atEnd: 'cancel' | 'cross') => (orders: OrderDrafts) =>
    orders.chase(orders.buy(AAPL, 100), { bound: 10.5, minutes: 4, atEnd, everySeconds: 60 });

  it('moves its limit after the market, no farther than its bound, and takes it back at the end (T-40, T-41)', () => {
    const { fills, ends, replaced } = run(chase('cancel'), 10, 10.2, 10.4, 10.6, 10.8, 11, 11);
    expect(replaced).toEqual(['10.2', '10.4', '10.5']);
    expect(fills).toEqual([]);
    expect(ends).toEqual(['done: its time is over, 100 did not trade']);
  });

  it('takes what its bound allows when its time is over', () => {
    const { fills, ends } = run(chase('cross'), 10, 10.2, 10.4, 10.6, 10.8, 10.4, 10.4);
    expect(fills).toEqual(['14:35 buy 100 at 10.4']);
    expect(ends).toEqual(['done: all of it traded']);
  });

  it('stays where it is while the market comes towards it', () => {
    const { fills, replaced } = run(chase('cancel'), 10, 10.2, 10.1, 9.9, 9.9);
    expect(replaced).toEqual(['10.2']);
    expect(fills).toEqual(['14:32 buy 100 at 10.1']);
  });
});

describe('a replace', () => {
  it('is requested by a strategy, passes the gate and changes the order at the venue (T-40, T-41)', () => {
    const strategy = defineStrategy({
      name: 'replaces',
      params: {},
      signals: ({ bars }) => ({ start: first(bars) }),
      onSignal: ({ symbol }, { orders }) => orders.buy(symbol, 100, { type: 'LO', price: 9 }),
      onOrder: (order, { orders }) =>
        order.outcome === 'working' && order.why === ''
          ? orders.replace(order, { price: 9.5, quantity: 60 })
          : undefined,
    });
    const bars = columnsOf(AAPL, '1m', [
      [OPEN, 10, 10, 10, 10],
      [OPEN + 60_000, 10, 10, 9.4, 9.4],
    ]);
    const journal = createMemoryJournal();
    const record = runBacktest(setupOf(strategy, [bars]), { journal });
    expect(fillsOf(record).map((fill) => fill.slice(12, -7))).toEqual(['buy 60 at 9.5']);
    const kinds = [...journal.replay()].map(({ kind }) => kind).filter((kind) => kind.startsWith('replace-'));
    expect(kinds).toEqual(['replace-sending', 'replace-answered', 'replace-read']);
  });
});
