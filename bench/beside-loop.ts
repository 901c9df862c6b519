import { runBacktest } from '../src/backtest/run-backtest.ts';
import type { RunSetup } from '../src/backtest/setup.ts';
import { type Compared, compare } from './compare.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

/** How long a backtest and a loop took, and what both came to. */
export interface BesideLoop extends Compared {
  readonly ours: Outcome;
  readonly loop: Outcome;
}

/** Pairs that are counted. */
const ROUNDS = 9;
/**
 * Rounds until both are compiled: the loop is after one or two, an engine of many functions after ten or so. What a first run costs stands in
 * the rows of whole processes.
 */
const WARM_UPS = 12;

/** A backtest beside a hand-written loop of the same rule, both warm; their outcomes are there to be held equal. */
export function besideLoop(setup: RunSetup, handLoop: () => Outcome): BesideLoop {
  let ours: Outcome | undefined;
  let loop: Outcome | undefined;
  const compared = compare(
    () => {
      ours = outcomeOf(runBacktest(setup));
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
