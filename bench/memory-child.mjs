/**
 * Runs a config through the given entry point `@sluice-trading/sluice/backtest`, and prints the figures of the run and the peak memory in KiB, as
 * Linux keeps it (elsewhere as Node does); started by `memory.ts`. Plain JavaScript, as a user's script is who has the package.
 */
import { readFileSync } from 'node:fs';

const [door, config] = process.argv.slice(2);
const { backtest } = await import(door);
const { performance, record } = await backtest(config);
const peak =
  process.platform === 'linux'
    ? Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
    : process.resourceUsage().maxRSS;
const { user } = process.cpuUsage();
const { bars, fills } = record.flow;
process.stdout.write(
  JSON.stringify({ peak, bars, fills, seconds: user / 1e6, equity: performance.finalEquity }),
);
