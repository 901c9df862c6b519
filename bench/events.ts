import { runBacktest } from '../src/backtest/run-backtest.ts';
import { createMemoryJournal } from '../src/journal/memory.ts';
import { atMost, type Benchmark, type Row, type Scale } from './benchmark.ts';
import { alternate } from './processor-time.ts';
import { type RunResult, resultOf, sameResult } from './run-result.ts';
import { withShape } from './shapes/run-shape.ts';
import { s1Cross } from './shapes/s1-cross.ts';
import { s2Exits } from './shapes/s2-exits.ts';
import type { Shape } from './shapes/shape.ts';

const BARS = { full: 100_000, smoke: 2_500 } as const;

/**
 * A run that writes every event into an in-memory journal and passes it to a listener, compared with the same run
 * without either.
 */
export const events: Benchmark = {
  name: 'events',
  async run(scale, bars = BARS[scale]) {
    return [await rowOf(s1Cross, bars, scale), await rowOf(s2Exits, bars, scale)];
  },
};

function rowOf(shape: Shape, bars: number, scale: Scale): Promise<Row> {
  return withShape(shape, bars, ({ trading }) => {
    let heard = 0;
    const results: { journaled?: RunResult; bare?: RunResult } = {};
    const [oursMs, yardstickMs] = alternate(
      [
        () => {
          heard = 0;
          const journal = createMemoryJournal();
          const record = runBacktest(trading, {
            journal,
            onEvent: () => {
              heard += 1;
            },
          });
          results.journaled = resultOf(record);
          journal.close();
        },
        () => {
          results.bare = resultOf(runBacktest(trading));
        },
      ],
      scale,
    );
    const { journaled, bare } = results;
    if (journaled === undefined || bare === undefined) throw new Error('A run with events did not run');
    return {
      id: `events-${shape.id}`,
      work: `${shape.id} over ${bars} bars with a journal and a listener of its events, compared with the same without`,
      ours: oursMs,
      yardstick: yardstickMs,
      unit: 'ms cpu',
      ratio: oursMs / yardstickMs,
      goal: atMost(3),
      gates: [
        ...sameResult(journaled, bare),
        { what: 'events are heard', holds: heard > bare.fills, saw: String(heard) },
      ],
      notes: ['The journal is in memory: what a disk costs is in the row of one durable event'],
    };
  });
}
