import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage, PACKAGE } from '../.ci/build-package.ts';
import { writeBars } from '../src/market-data/csv-text.ts';
import { dayOf } from '../src/markets/sessions.ts';
import { millis } from '../src/model/time.ts';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import { compare } from './compare.ts';
import { w1Bars } from './w1.ts';
import { walkSecurity } from './walk-bars.ts';

const BARS = { full: 100_000, smoke: 5_000 } as const;
const ROUNDS = { full: 11, smoke: 1 } as const;
/** What users install, and what is in the repository. */
const PACKAGED = join(PACKAGE, 'src/cli/main.js');
const SOURCE = join(import.meta.dirname, '../src/cli/main.ts');

/** Averages so long that they seldom cross: what is left is the start, the bars and the report. */
const SELDOM = ['--param', 'fast=100', '--param', 'slow=300'] as const;

/** The whole process of `sluice backtest` on cached bars, from its start to the printed report, beside an empty node. */
export const coldStart: Benchmark = {
  name: 'cold-start',
  async run(scale) {
    await buildPackage();
    const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
    try {
      const count = BARS[scale];
      const backtest = ['backtest', writeProject(folder, count)];
      spawn([PACKAGED, ...backtest], folder);
      settle();
      const rowOf = (named: Pick<Row, 'id' | 'work' | 'goal'>, cli: string, args: readonly string[]): Row =>
        besideEmpty(named, [cli, ...backtest, ...args], { folder, rounds: ROUNDS[scale] });
      const work = `\`sluice backtest\` on ${count} cached bars, the whole process, beside an empty node`;
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

/** A project of one config and one symbol; returns the config's path inside it. */
function writeProject(folder: string, count: number): string {
  const bars = w1Bars(count);
  const { symbol, ...security } = walkSecurity('WALK', 42);
  const data = join(folder, 'backtest-data', symbol);
  mkdirSync(data, { recursive: true });
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'package.json'), '{"name":"bench","private":true}\n');
  writeFileSync(join(data, 'security.json'), JSON.stringify({ symbol, ...security }));
  writeFileSync(join(data, '1m.csv'), writeBars(bars));
  const day = (at: number): string => dayOf('US', millis(bars.time[at] ?? Number.NaN));
  writeFileSync(
    join(folder, 'config/bench.yaml'),
    `strategy: sma-cross
symbols: [${symbol}]
period: 1m
params: { fast: 10, slow: 30, weight: 25% }
account: { currency: USD, cash: { USD: 1000000000 } }
data: { from: ${day(0)}, to: ${day(count - 1)} }
charges: none
risk:
  maxOrderNotional: 1000000000 USD
  maxOrderQuantity: 1000000000 shares
  maxPositionWeight: 50%
  maxPositionQuantity: 1000000000 shares
  maxUnattendedFills: 10000
`,
  );
  return 'config/bench.yaml';
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

/** The cache believes a file's stamps only once they are two seconds old. */
function settle(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
}
