/** Runs W1 once and prints the peak of its own memory in KiB, as Linux keeps it (elsewhere as Node does); started by `memory.ts`. */
import { readFileSync } from 'node:fs';
import { runBacktest } from '../src/backtest/run-backtest.ts';
import { w1Bars, w1Setup } from './w1.ts';
import { w1 } from './w1-strategy.ts';

const bars = w1Bars(Number(process.argv[2]));
runBacktest(w1Setup(bars, w1));
process.stdout.write(String(process.platform === 'linux' ? highWaterMark() : process.resourceUsage().maxRSS));

function highWaterMark(): number {
  return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}
