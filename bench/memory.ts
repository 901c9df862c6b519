import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { atMost, type Benchmark } from './benchmark.ts';

const BARS = { full: 1_000_000, smoke: 20_000 } as const;
/** Six columns and one of equity, eight bytes each. */
const BYTES_A_BAR = 56;

/** Linux counts in `maxRSS` what the parent held when it started a process; the high-water mark of its own memory begins with it. */
const EMPTY = `process.stdout.write(String(process.platform === 'linux'
  ? require('node:fs').readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\\s*(\\d+)/)[1]
  : process.resourceUsage().maxRSS))`;

/** Peak memory of W1 in a process of its own, over one that does nothing. */
export const memory: Benchmark = {
  name: 'memory',
  run(scale) {
    const count = BARS[scale];
    const empty = peak(['-e', EMPTY]);
    const whole = peak([join(import.meta.dirname, 'memory-child.ts'), String(count)]);
    const ours = (whole - empty) * 1024;
    const yardstick = BYTES_A_BAR * count;
    return [
      {
        id: 'memory',
        work: `Peak memory of W1 at ${count} bars over an empty process, beside ${BYTES_A_BAR} bytes a bar`,
        ours: ours / 2 ** 20,
        yardstick: yardstick / 2 ** 20,
        unit: 'MiB',
        ratio: ours / yardstick,
        goal: atMost(1.3),
        gates: [],
        notes: [
          'The largest resident set of the whole process, code and generated bars included',
          `An empty process takes ${(empty / 1024).toFixed(0)} MiB, this one ${(whole / 1024).toFixed(0)}`,
        ],
      },
    ];
  },
};

/** KiB. */
function peak(args: readonly string[]): number {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Cannot measure memory: ${stderr}`);
  return Number(stdout);
}
