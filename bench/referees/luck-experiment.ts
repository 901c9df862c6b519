/**
 * The experiment of docs/research.md: is the best of 200 strategies that trade real prices at random accepted as more than luck, and is a
 * planted Sharpe ratio of 2.4 a year? Writes its figures to standard output.
 *
 *     node bench/referees/luck-experiment.ts
 */
import { readFileSync } from 'node:fs';
import { acceptedShare, closesIn } from './luck-experiment-trials.ts';

const closes = closesIn(readFileSync(new URL('../../backtest-data/SPX.US/1d.csv', import.meta.url), 'utf8'));
const SEEDS = 200;
const TRIALS = 200;
for (const years of [5, 10]) {
  const days = years * 252;
  for (const planted of [0, 2.4]) {
    const { accepted, expected } = acceptedShare(closes, { seeds: SEEDS, trials: TRIALS, days, planted });
    process.stdout.write(
      `${years} years, planted ${planted}: accepted in ${accepted} of ${SEEDS}; the best without skill is expected to show ${expected.toFixed(2)}\n`,
    );
  }
}
