import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE } from '../.ci/build-package.ts';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import { compare } from './compare.ts';
import { settle, writeProject } from './project.ts';

const BARS = { full: 100_000, smoke: 5_000 } as const;
const ROUNDS = { full: 11, smoke: 1 } as const;
/** The built package, as users install it, and the sources in the repository. */
const PACKAGED = join(PACKAGE, 'src/cli/main.js');
const SOURCE = join(import.meta.dirname, '../src/cli/main.ts');

/** Averages that seldom cross, so that the start, the bars and the report make up the time. */
const SELDOM = ['--param', 'fast=100', '--param', 'slow=300'] as const;

/**
 * The whole process of `sluice backtest` on cached bars, from its start to the printed report, compared with an empty
 * Node process.
 */
export const coldStart: Benchmark = {
  name: 'cold-start',
  usesPackage: true,
  async run(scale) {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
    try {
      const count = BARS[scale];
      const backtest = ['backtest', writeProject(folder, { bars: count, symbols: 1 })];
      spawn([PACKAGED, ...backtest], folder);
      settle();
      const rowOf = (named: Pick<Row, 'id' | 'work' | 'goal'>, cli: string, args: readonly string[]): Row =>
        besideEmpty(named, [cli, ...backtest, ...args], { folder, rounds: ROUNDS[scale] });
      const work = `\`sluice backtest\` on ${count} cached bars, the whole process, compared with an empty node`;
      const goal = undefined;
      return [
        rowOf(
          { id: 'cold-start', work: `${work}; the package as it is installed`, goal: atMost(2.5) },
          PACKAGED,
          [],
        ),
        rowOf(
          { id: 'cold-start-seldom', work: `${work}; the package, longer averages`, goal },
          PACKAGED,
          SELDOM,
        ),
        rowOf({ id: 'cold-start-source', work: `${work}; TypeScript of the repository`, goal }, SOURCE, []),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function besideEmpty(
  named: Pick<Row, 'id' | 'work' | 'goal'>,
  args: readonly string[],
  { folder, rounds }: { readonly folder: string; readonly rounds: number },
): Row {
  const report: { readonly flow?: { readonly fills: number } } = JSON.parse(
    spawn([...args, '--json'], folder),
  );
  const fills = report.flow?.fills ?? 0;
  const { oursMs, yardstickMs, timeRatio, pairs } = compare(
    () => spawn(args, folder),
    () => spawn(['-e', '0'], folder),
    rounds,
  );
  return {
    ...named,
    ours: oursMs,
    yardstick: yardstickMs,
    unit: 'ms',
    ratio: timeRatio,
    gates: [{ what: 'the report has fills', holds: fills > 0, saw: String(fills) }],
    notes: [`The shipped sma-cross in the exchange's hours, no charges; median of ${pairs} pairs in turn`],
  };
}

function spawn(args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`Cannot time a process: ${stderr.slice(0, 500)}`);
  return stdout;
}
