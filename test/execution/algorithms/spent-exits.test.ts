import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { decodeEvent, encodeEvent } from '#src/events/codec.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { openedBy } from '#src/events/records/bracket-shares.ts';
import { missingExits } from '#src/execution/algorithms/exit-coverage.ts';
import { planOf } from '#src/execution/algorithms/plans.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { decimal } from '#src/model/decimal.ts';
import { executionId } from '#src/model/order.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf, security } from '../../fixtures/market.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');
const BRACKETS = 3;

/**
 * The journal of three brackets in one symbol, whose strategy sells a share at each of several bars: all exits yield
 * each time.
 */
function journaled(bars: number, breakEven = false): readonly SluiceEvent[] {
  let seen = 0;
  const exits = { stop: 9, target: 12, ...(breakEven ? { breakEven: { amount: 0.1 } } : {}) };
  const strategy = defineStrategy({
    name: 'seller',
    params: {},
    onBar: ({ symbol }, { orders }) => {
      seen += 1;
      return seen <= BRACKETS ? orders.bracket(orders.buy(symbol, 40), exits) : orders.sell(symbol, 1);
    },
  });
  const rows = Array.from(
    { length: bars },
    (_, row): BarRow => [OPEN + row * 60_000, ...([10, 10.3, 9.8, row % 2 === 0 ? 10 : 10.2] as const)],
  );
  const journal = createMemoryJournal();
  runBacktest(setupOf(strategy, [columnsOf(AAPL, '1m', rows)]), { journal });
  return [...journal.replay()].map((event) => decodeEvent(encodeEvent(event)));
}

const sources = {
  period: '1m' as const,
  security: () => security(AAPL),
  last: () => decimal('10'),
  close: () => decimal('10'),
  rebalanceOrder: () => undefined,
  waiting: () => [],
};

type Fold = ReturnType<typeof createFold>;

/** All conclusions of brackets from their orders. */
function conclusions(state: Fold['state'], now: SluiceEvent['at']) {
  const brackets = [...state.algorithms.values()].map((algorithm) => ({
    plan: planOf(algorithm, { sources, state, held: [], now }),
    opened: openedBy(algorithm, state),
  }));
  return { brackets, missing: missingExits(state, sources) };
}

/** Orders that the plan of one bracket reads, and the total that brackets ever sent. */
function counted(state: Fold['state']): { readonly relevant: number; readonly sent: number } {
  const sum = (lists: Iterable<readonly unknown[]>): number =>
    [...lists].reduce((count, { length }) => count + length, 0);
  const of = [...state.algorithms.values()];
  return {
    relevant: Math.max(...of.map(({ id }) => sum(state.relevantChildren(id)?.values() ?? []))),
    sent: Math.max(...of.map(({ children }) => sum(children.values()))),
  };
}

/** The state after a journal without its end, in which brackets are still open. */
function foldOf(events: readonly SluiceEvent[]): Fold {
  const fold = createFold();
  for (const event of events) if (event.kind !== 'run-ended') fold.apply(event);
  return fold;
}

/** A journal with a two-for-one split after this number of its records. */
function withSplit(events: readonly SluiceEvent[], place: number): readonly SluiceEvent[] {
  const { portfolio } = foldOf(events.slice(0, place)).state;
  const quantity = portfolio.holdings.get(AAPL)?.quantity ?? decimal('0');
  const split: SluiceEvent = {
    ...{ kind: 'corporate-action', at: events[place - 1]?.at ?? OPEN, action: 'split', symbol: AAPL },
    ...{ currency: 'USD', quantity, averageCost: decimal('5'), amount: decimal('0') },
    terms: { ratio: decimal('2'), price: decimal('5') },
  };
  return [...events.slice(0, place), split, ...events.slice(place)];
}

describe('exits that were cancelled and sent again', () => {
  it('cost nothing afterwards: a bracket reads as many orders after ten sales as after sixty', () => {
    const few = counted(foldOf(journaled(BRACKETS + 10)).state);
    const many = counted(foldOf(journaled(BRACKETS + 60)).state);
    expect(few.sent).toBeGreaterThan(15);
    expect(many.sent).toBeGreaterThan(100);
    expect(many.relevant).toBe(few.relevant);
    expect(many.relevant).toBeLessThanOrEqual(5);
  });

  it('cost nothing after a split either', () => {
    const events = journaled(BRACKETS + 60);
    const place = Math.floor(events.length / 2);
    const before = counted(foldOf(events.slice(0, place)).state);
    const after = counted(foldOf(withSplit(events, place)).state);
    expect(before.sent).toBeGreaterThan(50);
    expect(after.sent).toBeGreaterThan(100);
    expect(after.relevant).toBeLessThanOrEqual(8);
  });

  it.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])('change no plan, at any point of the journal (break-even: %s, split: %s)', (breakEven, isSplit) => {
    const fold = createFold();
    const recorded = journaled(BRACKETS + 10, breakEven);
    const events = isSplit ? withSplit(recorded, Math.floor(recorded.length / 2)) : recorded;
    const all = { ...fold.state, relevantChildren: () => undefined };
    let compared = 0;
    for (const [place, event] of events.entries()) {
      fold.apply(event);
      if (place % 7 !== 0 || fold.state.algorithms.size === 0) continue;
      const { portfolio, openedAt } = fold.state;
      const whole = { ...all, portfolio, openedAt };
      expect(conclusions(fold.state, event.at)).toEqual(conclusions(whole, event.at));
      compared += 1;
    }
    expect(compared).toBeGreaterThan(10);
  });

  it('count again if one of them was executed after all', () => {
    const fold = foldOf(journaled(BRACKETS + 20));
    const { state } = fold;
    const [bracket] = state.algorithms.values();
    if (bracket === undefined) throw new Error('No bracket holds');
    const [spent] = bracket.children.get('stop') ?? [];
    const order = spent === undefined ? undefined : state.order(spent);
    if (order?.facets.submission.kind !== 'acked') throw new Error('The first stop was not sent');
    expect(state.relevantChildren(bracket.id)?.get('stop')).not.toContain(order.intentId);
    const before = openedBy(bracket, state);
    fold.apply({
      kind: 'order-filled',
      at: order.decidedAt,
      intentId: order.intentId,
      fill: {
        executionId: executionId('LATE'),
        orderId: order.facets.submission.orderId,
        intentId: order.intentId,
        ...{ symbol: AAPL, side: 'sell', quantity: decimal('3'), price: decimal('9') },
        ...{ time: order.decidedAt, currency: 'USD', fee: decimal('0'), charges: [] },
      },
    });
    expect(state.relevantChildren(bracket.id)?.get('stop')?.[0]).toBe(order.intentId);
    expect(openedBy(bracket, state).toString()).toBe(before.minus(3).toString());
  });
});
