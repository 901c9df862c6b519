/** Runs W1 once and prints the peak of its resident set in KiB; started by `memory.ts`. */
import { runBacktest } from '../src/backtest/run-backtest.ts';
import { w1Bars, w1Setup } from './w1.ts';
import { w1 } from './w1-strategy.ts';

const bars = w1Bars(Number(process.argv[2]));
runBacktest(w1Setup(bars, w1));
process.stdout.write(String(process.resourceUsage().maxRSS));
