import { describe, expect, it } from 'vitest';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import type { Schedule } from '#src/execution/schedule.ts';
import { createMemoryJournal } from '#src/journal/memory.ts';
import { every } from '#src/signals/cross.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { fillsOf, setupOf } from '../fixtures/backtest.ts';
import { AAPL, at, type BarRow, columnsOf } from '../fixtures/market.ts';
import { readTimeOf } from '../fixtures/schedule.ts';

const OPEN = at('2024-03-04T09:30:00-05:00');

/** Wants 100 at every close, in minute bars at 10. */
const holds = defineStrategy({
  name: 'holds',
  params: {},
  signals: ({ bars }) => ({ bar: every(bars) }),
  onSignal: ({ symbol }, { orders }) => orders.targetQuantity(symbol, 100),
});

function run(schedule: Schedule, bars = 6) {
  const history = columnsOf(
    AAPL,
    '1m',
    Array.from({ length: bars }, (_, index): BarRow => [OPEN + index * 60_000, 10, 10, 10, 10]),
  );
  const journal = createMemoryJournal();
  const record = runBacktest(setupOf(holds, [history], { schedule }), { journal });
  return {
    fills: fillsOf(record).map((fill) => fill.slice(6, -7)),
    said: [...journal.replay()].flatMap((event) =>
      event.kind === 'operator-commanded' && event.at <= OPEN + 600_000
        ? [`${event.command} by ${event.by}`]
        : [],
    ),
    denied: record.flow.denied,
  };
}

describe('a schedule', () => {
  it('opens nothing before its start, in a backtest as live', () => {
    const { fills, said } = run({ start: readTimeOf('33 9 * * 1-5'), stop: readTimeOf('0 15 * * 1-5') });
    expect(fills).toEqual(['14:34 buy 100 at 10']);
    expect(said).toEqual(['stop-opening by schedule', 'start-opening by schedule']);
  });

  it('gives up what is held at the time to be flat, and stays so when it has stopped', () => {
    const { fills } = run({ stop: readTimeOf('32 9 * * 1-5'), flatten: readTimeOf('33 9 * * 1-5') });
    expect(fills).toEqual(['14:31 buy 100 at 10', '14:33 sell 100 at 10']);
  });
});
