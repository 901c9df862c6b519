import { runBacktest } from '../src/backtest/run-backtest.ts';
import type { RunSetup } from '../src/backtest/setup.ts';
import { type Compared, compare } from './compare.ts';
import { type RunResult, resultOf } from './run-result.ts';

/** Times of a backtest and of a loop, and the result of both. */
export interface BesideLoop extends Compared {
  readonly ours: RunResult;
  readonly loop: RunResult;
}

/** Measured pairs of rounds. */
const ROUNDS = 9;
/**
 * Rounds until both are compiled: a loop needs one or two, an engine of many functions about ten. The cost of a first
 * run is in the rows of whole processes.
 */
const WARM_UPS = 12;

/** A backtest compared with a hand-written loop of the same rule, both warm; their results must be equal. */
export function againstLoop(setup: RunSetup, handLoop: () => RunResult): BesideLoop {
  let ours: RunResult | undefined;
  let loop: RunResult | undefined;
  const compared = compare(
    () => {
      ours = resultOf(runBacktest(setup));
    },
    () => {
      loop = handLoop();
    },
    ROUNDS,
    WARM_UPS,
  );
  if (ours === undefined || loop === undefined) throw new Error('A comparison ended before both had run');
  return { ...compared, ours, loop };
}
