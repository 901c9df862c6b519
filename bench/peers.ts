import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BarColumns } from '../src/model/bar.ts';
import type { Rules } from './w1-loop.ts';

/** What became of a peer: its figures, or why it did not run. */
type Found =
  | { readonly kind: 'ran'; readonly ms: number; readonly bars: number; readonly fills: number | undefined }
  | { readonly kind: 'absent'; readonly why: string };

/** Another backtester on the same bars and rule. */
export interface Peer {
  readonly name: string;
  /** How many times its throughput ours should be. */
  readonly goal: number;
  readonly about: string;
  readonly found: Found;
}

interface Runner {
  readonly name: string;
  readonly goal: number;
  readonly about: string;
  readonly script: string;
  /** Most bars that it is asked for: some would take hours over all. */
  readonly barsMax: number;
}

const PYTHON = 'SLUICE_BENCH_PYTHON';
const MODULES = 'SLUICE_BENCH_MODULES';
/** A peer that needs longer is given up. */
const PATIENCE_MS = 300_000;

const RUNNERS: readonly Runner[] = [
  {
    name: 'numba',
    goal: 1,
    about: 'numba signals, then an order loop: the form of vectorbt',
    script: 'peers/numba_signals.py',
    barsMax: 1_000_000,
  },
  {
    name: 'backtesting',
    goal: 200,
    about: 'backtesting.py buys whole units and reckons its commission its own way',
    script: 'peers/backtesting_py.py',
    barsMax: 1_000_000,
  },
  {
    name: 'backtrader',
    goal: 3_000,
    about: 'backtrader, cheat-on-open for an exact size',
    script: 'peers/backtrader_py.py',
    barsMax: 50_000,
  },
  {
    name: 'grademark',
    goal: 40,
    about:
      'grademark charges nothing in its loop and never enters on the bar of an exit: its fills are not compared',
    script: 'peers/grademark.mjs',
    barsMax: 1_000_000,
  },
  {
    name: 'backtest-kit',
    goal: 5_000,
    about:
      'backtest-kit, engine only: the strategy reads a ready column; it fills at the typical price, so fills are not compared',
    script: 'peers/backtest-kit.mjs',
    barsMax: 20_000,
  },
];

/**
 * Runs every peer that is installed, each in a process of its own. Python peers are looked for with the interpreter that
 * `SLUICE_BENCH_PYTHON` names (else `python3`), JavaScript ones in the `node_modules` folder that `SLUICE_BENCH_MODULES`
 * names.
 */
export function peers(bars: BarColumns, rules: Rules): readonly Peer[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-peers-'));
  try {
    return RUNNERS.map(({ name, goal, about, script, barsMax }) => {
      const count = Math.min(bars.length, barsMax);
      const file = join(folder, `bars-${count}.bin`);
      writeFileSync(file, columnsOf(bars, count));
      return {
        name,
        goal,
        about,
        found: run(script, [file, String(rules.fast), String(rules.slow), String(rules.charge)], folder),
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(script: string, args: readonly string[], cwd: string): Found {
  const path = join(import.meta.dirname, script);
  const isPython = script.endsWith('.py');
  const modules = process.env[MODULES];
  if (!isPython && modules === undefined)
    return { kind: 'absent', why: `Not installed: ${MODULES} names no folder` };
  const command = isPython ? (process.env[PYTHON] ?? 'python3') : process.execPath;
  const { status, stdout, stderr, error } = spawnSync(command, [path, ...args], {
    cwd,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    maxBuffer: 1 << 26,
  });
  if (error !== undefined) return { kind: 'absent', why: `Not run: ${error.message}` };
  const line = stdout.trim().split('\n').at(-1) ?? '';
  if (status === NOT_INSTALLED)
    return { kind: 'absent', why: `Not installed${isPython ? ` for ${PYTHON}` : ''}: ${line}` };
  if (status !== 0)
    return { kind: 'absent', why: `Failed: ${(stderr.trim().split('\n').at(-1) ?? '').slice(0, 200)}` };
  const { ms, bars, fills } = JSON.parse(line) as { ms: number; bars: number; fills?: number };
  return { kind: 'ran', ms, bars, fills };
}

/** What a peer's script ends with when its library is not there. */
const NOT_INSTALLED = 3;

/** Six columns of float64, one after the other: time, open, high, low, close, volume. */
function columnsOf({ time, open, high, low, close, volume }: BarColumns, count: number): Buffer {
  return Buffer.concat(
    [time, open, high, low, close, volume].map((column) => {
      const part = column.subarray(0, count);
      return Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    }),
  );
}
