import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE } from '../.ci/build-package.ts';
import { atMost, type Benchmark, type Row, type Scale } from './benchmark.ts';
import { median } from './compare.ts';
import { settle } from './project.ts';
import { type Bot, configOf, writeBots } from './shapes/project.ts';
import { s1Cross } from './shapes/s1-cross.ts';
import { s2Exits } from './shapes/s2-exits.ts';
import { usMarket } from './shapes/us-market.ts';

const BARS = { full: 100_000, smoke: 2_500 } as const;
const ROUNDS: Readonly<Record<Scale, number>> = { full: 5, smoke: 1 };
const MAIN = join(PACKAGE, 'src/cli/main.js');

/** One command as a user types it. */
interface Command {
  readonly id: string;
  readonly work: string;
  readonly bot: Bot;
  readonly args: readonly string[];
  /** Goal, as a multiple of the time of a bare start. */
  readonly goal: number;
  /** True if some orders must be denied. */
  readonly denies?: boolean;
}

/** An order for half of the equity seldom exceeds this limit: about twenty orders are denied, four in a smoke run. */
const DENIED_ABOVE: Readonly<Record<Scale, number>> = { full: 52_090_000, smoke: 50_100_000 };
const denials = (scale: Scale): Bot => ({
  ...{ id: 'denials', strategy: s1Cross.id, config: s1Cross.config },
  risk: { maxOrderNotional: `${DENIED_ABOVE[scale]} USD` },
});
const ON_FILL: Bot = { id: 'on-fill', config: s1Cross.config };
const commands = (scale: Scale): readonly Command[] => [
  { id: 'cli', work: 'market orders', bot: s1Cross, args: [], goal: 8 },
  { id: 'cli-json', work: 'market orders, --json', bot: s1Cross, args: ['--json'], goal: 8 },
  {
    id: 'cli-denials',
    work: 'market orders, some denied',
    bot: denials(scale),
    args: [],
    goal: 8,
    denies: true,
  },
  { id: 'cli-on-fill', work: 'market orders and onFill', bot: ON_FILL, args: [], goal: 8 },
  { id: 'cli-exits', work: 'stop and target', bot: s2Exits, args: [], goal: 12 },
  { id: 'cli-exits-json', work: 'stop and target, --json', bot: s2Exits, args: ['--json'], goal: 12 },
];

/** The whole process of `sluice backtest` on cached bars, from its start to the printed report, compared with a bare start of the CLI. */
export const cli: Benchmark = {
  name: 'cli',
  usesPackage: true,
  async run(scale, bars = BARS[scale]) {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-cli-'));
    try {
      writeBots(folder, [s1Cross, s2Exits, ON_FILL, denials(scale)], usMarket(bars), PACKAGE);
      sluice(folder, ['backtest', configOf(s1Cross)]);
      settle();
      return commands(scale).map((command) => rowOf(command, { folder, bars, rounds: ROUNDS[scale] }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function rowOf(
  { id, work, bot, args, goal, denies = false }: Command,
  { folder, bars, rounds }: { readonly folder: string; readonly bars: number; readonly rounds: number },
): Row {
  const { flow }: { readonly flow: { readonly fills: number; readonly denied: number } } = JSON.parse(
    sluice(folder, ['backtest', configOf(bot), '--json']).output,
  );
  const times = Array.from({ length: rounds }, () => ({
    ours: sluice(folder, ['backtest', configOf(bot), ...args]).cpuMs,
    bare: sluice(folder, ['--version']).cpuMs,
  }));
  const [ours, bare] = [median(times.map((time) => time.ours)), median(times.map((time) => time.bare))];
  return {
    id,
    work: `\`sluice backtest\` over ${bars} cached minute bars: ${work}; the whole process, compared with \`sluice --version\``,
    ours,
    yardstick: bare,
    unit: 'ms cpu',
    ratio: ours / bare,
    goal: atMost(goal),
    gates: [
      { what: 'the report has fills', holds: flow.fills > 0, saw: String(flow.fills) },
      ...(denies ? [{ what: 'orders are denied', holds: flow.denied > 0, saw: String(flow.denied) }] : []),
    ],
    notes: [
      `The package as it is installed, ${flow.fills} fills, ${flow.denied} denied; median of ${rounds}`,
    ],
  };
}

/** Runs a command and measures the processor time of its process and of all its children. */
function sluice(cwd: string, args: readonly string[]): { readonly output: string; readonly cpuMs: number } {
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%3U %3S"; time "$@"', 'bash', process.execPath, MAIN, ...args],
    { cwd, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  const [user, system] = stderr.trim().split('\n').at(-1)?.split(' ').map(Number) ?? [];
  if (status !== 0 || user === undefined || system === undefined)
    throw new Error(`Cannot time "sluice ${args.join(' ')}": ${stderr.slice(0, 500)}`);
  return { output: stdout, cpuMs: (user + system) * 1e3 };
}
