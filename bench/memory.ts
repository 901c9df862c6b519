import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PACKAGE } from '../.ci/build-package.ts';
import { atMost, type Benchmark, type Gate, type Row, type Scale } from './benchmark.ts';
import { type ProjectOf, settle, writeProject } from './project.ts';

const HELD: Readonly<Record<Scale, ProjectOf>> = {
  full: { bars: 1_000_000, symbols: 1 },
  smoke: { bars: 20_000, symbols: 1 },
};
const STREAMED: Readonly<Record<Scale, ProjectOf>> = {
  full: { bars: 2_000_000, symbols: 5 },
  smoke: { bars: 40_000, symbols: 2 },
};
/** Six columns and the equity, eight bytes each. */
const BYTES_A_BAR = 56;
const STREAM_MIB = 100;

const DOOR = pathToFileURL(join(PACKAGE, 'src/app/backtest-library.js')).href;
const CHILD = join(import.meta.dirname, 'memory-child.mjs');

/** On Linux, `maxRSS` of a child begins with the memory of its parent at the fork. */
const EMPTY = `process.stdout.write(String(process.platform === 'linux'
  ? require('node:fs').readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\\s*(\\d+)/)[1]
  : process.resourceUsage().maxRSS))`;

/** Memory of a process that ran a backtest from the cache. */
interface Peak {
  /** KiB. */
  readonly peak: number;
  readonly bars: number;
  readonly fills: number;
  readonly seconds: number;
}

/** The median of several processes, with the smallest and the largest peak. */
interface Measured extends Peak {
  readonly least: number;
  readonly most: number;
}

/** Peak memory of a user's script that runs the shipped sma-cross from the cache, minus that of an empty process. */
export const memory: Benchmark = {
  name: 'memory',
  usesPackage: true,
  async run(scale) {
    const empty = Number(spawn(['-e', EMPTY]));
    const held = measured(HELD[scale]);
    const streamed = measured(STREAMED[scale]);
    const over = (measure: Measured): number => (measure.peak - empty) / 1024;
    const share = (BYTES_A_BAR * held.bars) / 2 ** 20;
    return [
      rowOf('memory', held, {
        ...{ ours: over(held), yardstick: share, goal: atMost(1.3), empty },
        limit: `${BYTES_A_BAR} bytes a bar`,
      }),
      rowOf('memory-stream', streamed, {
        ...{ ours: over(streamed), yardstick: STREAM_MIB, goal: atMost(1), empty },
        limit: `${STREAM_MIB} MiB`,
      }),
    ];
  },
};

function rowOf(
  id: string,
  { peak, least, most, bars, fills, seconds }: Measured,
  measured: Pick<Row, 'goal'> & { ours: number; yardstick: number; empty: number; limit: string },
): Row {
  const { ours, yardstick, goal, empty, limit } = measured;
  return {
    ...{ id, ours, yardstick, goal, unit: 'MiB', ratio: ours / yardstick },
    work: `Peak memory of a backtest of ${bars} cached bars over an empty process, compared with ${limit}`,
    gates: gatesOf(fills),
    notes: [
      'The largest resident set of the whole process; the package as it is installed, by its door `@sluice-trading/sluice/backtest`',
      `An empty process takes ${(empty / 1024).toFixed(0)} MiB, this one ${(peak / 1024).toFixed(0)} (the middle of ${PROCESSES}, from ${(least / 1024).toFixed(0)} to ${(most / 1024).toFixed(0)}), and ${seconds.toFixed(1)} s of the processor for ${fills} fills`,
    ],
  };
}

const gatesOf = (fills: number): readonly Gate[] => [
  { what: 'the run has fills', holds: fills > 0, saw: String(fills) },
];

/** Measured processes. The timing of the garbage collector changes a peak by some MiB. */
const PROCESSES = 5;

/** The first run fills the cache. Of the later runs, the one with the median peak counts. */
function measured(project: ProjectOf): Measured {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    const config = writeProject(folder, project);
    settle();
    spawn([CHILD, DOOR, config], folder);
    const runs = Array.from(
      { length: PROCESSES },
      (): Peak => JSON.parse(spawn([CHILD, DOOR, config], folder)),
    );
    const [least, , middle, , most] = runs.sort((a, b) => a.peak - b.peak);
    if (least === undefined || middle === undefined || most === undefined)
      throw new Error('No run was measured');
    return { ...middle, least: least.peak, most: most.peak };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function spawn(args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd });
  if (status !== 0) throw new Error(`Cannot measure memory: ${stderr}`);
  return stdout;
}
