import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { SluiceEvent } from '#src/events/event.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { first } from '#src/signals/cross.ts';
import { defineStrategy, type StrategyDefinition } from '#src/strategy/define-strategy.ts';
import type { ExitTerms } from '#src/strategy/exits.ts';
import { fillsOf, setupOf } from '../../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf } from '../../fixtures/market.ts';

const OPEN = '2024-03-04T09:30:00-05:00';

/** Minute bars from the open on, each as open, high, low, close. */
function minutes(...rows: readonly (readonly [number, number, number, number])[]) {
  const open = at(OPEN);
  return columnsOf(
    AAPL,
    '1m',
    rows.map((row, index): BarRow => [open + index * 60_000, ...row]),
  );
}

/** Buys 100 at the first close, with exits. */
function bracket(exits: ExitTerms, more: Partial<StrategyDefinition> = {}) {
  return defineStrategy({
    name: 'bracketed',
    params: {},
    signals: ({ bars }) => ({ start: first(bars) }),
    onSignal: ({ symbol }, { orders }) => orders.bracket(orders.buy(symbol, 100), exits),
    ...more,
  });
}

function run(strategy: ReturnType<typeof bracket>, bars: ReturnType<typeof minutes>) {
  const journal = createMemoryJournal();
  const record = runBacktest(setupOf(strategy, [bars]), { journal });
  return { record, events: [...journal.replay()] };
}

function endsOf(events: readonly SluiceEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.kind === 'algorithm-ended' ? [`${event.outcome}: ${event.why}`] : [],
  );
}

const fills = (record: RunRecord) => fillsOf(record).map((fill) => fill.slice(6, -7));

describe('a bracket', () => {
  it('closes at its stop, and cancels its target', () => {
    const { record, events } = run(
      bracket({ stop: 9.5, target: 11 }),
      minutes([10, 10, 10, 10], [10, 10.2, 9.9, 10], [10, 10, 9, 9.2], [9.2, 12, 9.2, 12]),
    );
    expect(fills(record)).toEqual(['14:31 buy 100 at 10', '14:32 sell 100 at 9.5']);
    expect(endsOf(events)).toEqual(['done: left by its stop']);
  });

  it('closes at its target, and cancels its stop', () => {
    const { record, events } = run(
      bracket({ stop: 9.5, target: 11 }),
      minutes([10, 10, 10, 10], [10, 10.2, 9.9, 10], [10, 11.5, 10, 11], [11, 11, 9, 9]),
    );
    expect(fills(record)).toEqual(['14:31 buy 100 at 10', '14:32 sell 100 at 11']);
    expect(endsOf(events)).toEqual(['done: left by its target']);
  });

  it('computes its levels from the fill price', () => {
    const { record } = run(
      bracket({ stop: { percent: 5 }, target: { amount: '1.25' } }),
      minutes([10, 10, 10, 10], [10, 10.2, 9.9, 10], [10, 11.5, 10, 11.4], [11, 11, 9, 9]),
    );
    expect(fills(record)).toEqual(['14:31 buy 100 at 10', '14:32 sell 100 at 11.25']);
  });

  it('closes at the market when its time is over', () => {
    const { record, events } = run(
      bracket({ stop: 5, afterMinutes: 2 }),
      minutes([10, 10, 10, 10], [10, 10, 10, 10], [11, 11, 11, 11], [12, 12, 12, 12], [13, 13, 13, 13]),
    );
    expect(fills(record)).toEqual(['14:31 buy 100 at 10', '14:33 sell 100 at 12']);
    expect(endsOf(events)).toEqual(['done: left by its close']);
  });

  it('moves its stop to the fill price once a bar closed at the required gain', () => {
    const { record } = run(
      bracket({ stop: 9, breakEven: { percent: 5 } }),
      minutes([10, 10, 10, 10], [10, 10, 10, 10], [10, 10.6, 10, 10.6], [10.6, 10.6, 9.5, 9.5]),
    );
    expect(fills(record)).toEqual(['14:31 buy 100 at 10', '14:33 sell 100 at 10']);
  });

  it('follows the price with a trailing stop at the venue', () => {
    const { record } = run(
      bracket({ trail: { amount: 1 } }),
      minutes([10, 10, 10, 10], [10, 10, 10, 10], [10, 14, 10, 14], [14, 14, 12, 12]),
    );
    expect(fills(record)).toEqual(['14:31 buy 100 at 10', '14:33 sell 100 at 13']);
  });

  it('yields priority when the strategy closes the position itself', () => {
    let bar = 0;
    const { record, events } = run(
      bracket(
        { stop: 5, target: 50 },
        {
          onBar: ({ symbol }, { orders }) => {
            bar += 1;
            return bar === 3 ? orders.close(symbol) : undefined;
          },
        },
      ),
      minutes([10, 10, 10, 10], [10, 10, 10, 10], [11, 11, 11, 11], [12, 12, 12, 12], [13, 13, 13, 13]),
    );
    expect(fills(record)).toEqual(['14:31 buy 100 at 10', '14:33 sell 100 at 12']);
    expect(endsOf(events)).toEqual(['done: the strategy took the position back']);
  });

  it('protects the rest when the strategy closes a part', () => {
    let bar = 0;
    const { record } = run(
      bracket(
        { stop: 8 },
        {
          onBar: ({ symbol }, { orders }) => {
            bar += 1;
            return bar === 3 ? orders.sell(symbol, 40) : undefined;
          },
        },
      ),
      minutes([10, 10, 10, 10], [10, 10, 10, 10], [11, 11, 11, 11], [12, 12, 12, 12], [12, 12, 7, 7]),
    );
    expect(fills(record)).toEqual(['14:31 buy 100 at 10', '14:33 sell 40 at 12', '14:34 sell 60 at 8']);
  });

  it('names its parent with every order', () => {
    const { events } = run(
      bracket({ stop: 9.5, target: 11 }),
      minutes([10, 10, 10, 10], [10, 10.2, 9.9, 10], [10, 10, 9, 9.2]),
    );
    const drafted = events.flatMap((event) => (event.kind === 'intent-drafted' ? [event.link] : []));
    expect(drafted.map((link) => link?.slot)).toEqual(['entry', 'stop', 'target']);
    expect(new Set(drafted.map((link) => link?.algorithm)).size).toBe(1);
  });
});
