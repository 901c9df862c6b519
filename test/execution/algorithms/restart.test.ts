import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import { createFold } from '#src/events/fold.ts';
import { factsFor } from '#src/execution/algorithms/facts-for.ts';
import { planOf } from '#src/execution/algorithms/plans.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { first } from '#src/signals/cross.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf, security } from '../../fixtures/market.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

/** The journal of a bracket that was bought at 10 and left by its stop at 9.5. */
function journaled() {
  const strategy = defineStrategy({
    name: 'bracketed',
    params: {},
    signals: ({ bars }) => ({ start: first(bars) }),
    onSignal: ({ symbol }, { orders }) => orders.bracket(orders.buy(symbol, 100), { stop: 9.5, target: 11 }),
  });
  const rows: readonly BarRow[] = [
    [OPEN, 10, 10, 10, 10],
    [OPEN + 60_000, 10, 10.2, 9.9, 10],
    [OPEN + 120_000, 10, 10, 9, 9.2],
  ];
  const journal = createMemoryJournal();
  runBacktest(setupOf(strategy, [columnsOf(AAPL, '1m', rows)]), { journal });
  return [...journal.replay()].map((event) => decodeEvent(encodeEvent(event)));
}

/** What every algorithm wants that a journal cut after so many records knows of. */
function wantsAfter(events: ReturnType<typeof journaled>, count: number): readonly string[] {
  const { state, apply } = createFold();
  for (const event of events.slice(0, count)) apply(event);
  const now = events[count - 1]?.at ?? OPEN;
  const last = decimal('10');
  const sources = {
    period: '1m' as const,
    security: () => security(AAPL),
    last: () => last,
    close: () => last,
  };
  return [...state.algorithms.values()].flatMap((algorithm) =>
    planOf(algorithm, factsFor(algorithm, { sources, state, held: [], now })).map((want) =>
      want.kind === 'submit' ? `submit ${want.slot} ${want.terms.quantity}` : want.kind,
    ),
  );
}

describe('an algorithm after a restart', () => {
  const events = journaled();

  it('wants what it still lacks, wherever its journal was cut, and nothing twice', () => {
    const cut = (kind: string, nth = 1): number => {
      let seen = 0;
      return events.findIndex((event) => event.kind === kind && ++seen === nth) + 1;
    };
    expect(wantsAfter(events, cut('algorithm-started'))).toEqual(['submit entry 100']);
    expect(wantsAfter(events, cut('intent-armed'))).toEqual([]);
    expect(wantsAfter(events, cut('order-filled'))).toEqual(['submit stop 100', 'submit target 100']);
    expect(wantsAfter(events, cut('intent-armed', 2))).toEqual(['submit target 100']);
    expect(wantsAfter(events, cut('intent-armed', 3))).toEqual([]);
    expect(wantsAfter(events, cut('order-filled', 2))).toEqual(['withdraw']);
    expect(wantsAfter(events, events.length)).toEqual([]);
  });

  it('never wants more than the position, at any cut', () => {
    for (let count = 1; count <= events.length; count += 1) {
      const submits = wantsAfter(events, count).filter((want) => want.startsWith('submit'));
      expect(new Set(submits).size).toBe(submits.length);
      expect(submits.every((want) => want.endsWith(' 100'))).toBe(true);
    }
  });
});
