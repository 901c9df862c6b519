import fc from 'fast-check';
import { describe, it } from 'vitest';
import { runInFull, stepsOfRun } from '#src/backtest/run-in-full.ts';
import type { RunSetup } from '#src/backtest/setup.ts';
import type { RunRecord } from '#src/events/run-record.ts';
import { expectEqual } from '../fixtures/expect-equal.ts';
import { type Sample, someSample, strategyOf } from '../fixtures/random-behaviours.ts';
import { randomCases } from '../fixtures/random-cases.ts';

const outcomeOf = (run: () => RunRecord) => {
  try {
    const { decisions, equity, flow } = run();
    return { decisions, equity, flow };
  } catch (error) {
    return String(error);
  }
};

function setupOf({ setup, behaviour }: Sample, seen: unknown[]): RunSetup {
  return { ...setup, strategy: strategyOf(behaviour, seen) };
}

describe('two backtests in one process', () => {
  it('that run alternately step by step give the results of each alone', () => {
    const turns = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(someSample, someSample, turns, (first, second, pattern) => {
        const alone = [first, second].map((sample) => {
          const seen: unknown[] = [];
          return { result: outcomeOf(() => runInFull(setupOf(sample, seen))), seen };
        });
        const seen: [unknown[], unknown[]] = [[], []];
        const runs = [stepsOfRun(setupOf(first, seen[0])), stepsOfRun(setupOf(second, seen[1]))] as const;
        const results: (ReturnType<typeof outcomeOf> | undefined)[] = [undefined, undefined];
        for (let turn = 0; results.includes(undefined); turn += 1) {
          const which = turn % 2;
          const run = runs[which];
          for (
            let left = pattern[turn % pattern.length] ?? 1;
            left > 0 && results[which] === undefined;
            left -= 1
          ) {
            let ended: RunRecord | undefined;
            const result = outcomeOf(() => {
              const step = run?.next();
              ended = step?.done === true ? step.value : undefined;
              if (ended === undefined) throw ONGOING;
              return ended;
            });
            if (result !== String(ONGOING)) results[which] = result;
          }
        }
        expectEqual(
          results,
          alone.map(({ result }) => result),
        );
        expectEqual(
          seen,
          alone.map((each) => each.seen),
        );
      }),
      { numRuns: randomCases(8, 5) },
    );
  });
});

const ONGOING = new Error('the run is not at its end');
