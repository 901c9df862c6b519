import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BarColumns } from '../src/model/bar.ts';
import type { Rules } from './w1-loop.ts';

/** Result of a peer: its figures, or why it did not run. */
type Found =
  | {
      readonly kind: 'ran';
      readonly ms: number;
      /** Processor time, if the peer's script measures it. */
      readonly cpuMs: number | undefined;
      readonly bars: number;
      readonly fills: number | undefined;
    }
  | { readonly kind: 'absent'; readonly why: string };

/** Another backtester on the same bars and rule. */
export interface Peer {
  readonly name: PeerName;
  readonly about: string;
  readonly found: Found;
}

/** The rule of W1, the share of equity of a position, and distances of its exits in currency. */
export interface PeerRules extends Rules {
  readonly weight: number;
  readonly exits?: { readonly stop: number; readonly target: number };
}

interface Runner {
  readonly name: PeerName;
  readonly about: string;
  readonly script: string;
  /** Maximum number of bars for this peer: some would take hours for all bars. */
  readonly barsMax: number;
}

/** The libraries that run if they are installed. */
export type PeerName =
  | 'numba'
  | 'vectorbt'
  | 'backtesting'
  | 'backtrader'
  | 'nautilus'
  | 'grademark'
  | 'backtest-kit';

const PYTHON = 'SLUICE_BENCH_PYTHON';
const MODULES = 'SLUICE_BENCH_MODULES';
/** A peer that takes longer is stopped. */
const PATIENCE_MS = 300_000;

const RUNNERS: readonly Runner[] = [
  {
    name: 'numba',
    about: 'numba signals, then an order loop: the form of vectorbt',
    script: 'peers/numba_signals.py',
    barsMax: 1_000_000,
  },
  {
    name: 'backtesting',
    about: 'backtesting.py buys whole units and reckons its commission its own way',
    script: 'peers/backtesting_py.py',
    barsMax: 1_000_000,
  },
  {
    name: 'backtrader',
    about: 'backtrader, cheat-on-open for an exact size',
    script: 'peers/backtrader_py.py',
    barsMax: 50_000,
  },
  {
    name: 'nautilus',
    about: 'NautilusTrader with a strategy in Python, on bars made before; its orders fill at the close',
    script: 'peers/nautilus_py.py',
    barsMax: 1_000_000,
  },
  {
    name: 'vectorbt',
    about: 'vectorbt, Portfolio.from_signals with the equity and its drawdown',
    script: 'peers/vectorbt_py.py',
    barsMax: 1_000_000,
  },
  {
    name: 'grademark',
    about:
      'grademark charges nothing in its loop and never enters on the bar of an exit: its fills are not compared',
    script: 'peers/grademark.mjs',
    barsMax: 1_000_000,
  },
  {
    name: 'backtest-kit',
    about:
      'backtest-kit, engine only: the strategy reads a ready column; it fills at the typical price, so fills are not compared',
    script: 'peers/backtest-kit.mjs',
    barsMax: 20_000,
  },
];

/**
 * Runs the installed peers, each in its own process. Python peers use the interpreter in `SLUICE_BENCH_PYTHON`
 * (default `python3`), JavaScript peers the `node_modules` folder in `SLUICE_BENCH_MODULES`.
 */
export function peers(bars: BarColumns, rules: PeerRules, names: readonly PeerName[]): readonly Peer[] {
  const { fast, slow, charge, cash, weight, exits = { stop: 0, target: 0 } } = rules;
  const figures = [fast, slow, charge, cash, weight, exits.stop, exits.target].map(String);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-peers-'));
  try {
    return RUNNERS.filter(({ name }) => names.includes(name)).map(({ name, about, script, barsMax }) => {
      const count = Math.min(bars.length, barsMax);
      const file = join(folder, `bars-${count}.bin`);
      writeFileSync(file, columnsOf(bars, count));
      return { name, about, found: run(script, [file, ...figures], folder) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(script: string, args: readonly string[], cwd: string): Found {
  const answer = answerOf(script, args, cwd);
  if (answer.kind === 'absent') return answer;
  const { ms, cpuMs, bars, fills }: { ms: number; cpuMs?: number; bars: number; fills?: number } = JSON.parse(
    answer.line,
  );
  return { kind: 'ran', ms, cpuMs, bars, fills };
}

type Answer =
  | { readonly kind: 'ran'; readonly line: string }
  | { readonly kind: 'absent'; readonly why: string };

/** Runs a peer's script; its answer is the last line that it prints. */
function answerOf(script: string, args: readonly string[], cwd: string): Answer {
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
  return { kind: 'ran', line };
}

/** The libraries whose sweeps run if they are installed. */
export type SweepPeerName = 'backtesting' | 'vectorbt' | 'optuna';

/** A sweep over the averages of a cross, and the account of its trials. */
export interface SweepQuestion {
  readonly fast: readonly number[];
  readonly slow: readonly number[];
  readonly cash: number;
  readonly weight: number;
}

/** A sweep of another library: times per trial, and the closed trades of each trial by its two averages. */
export type SweepAnswer =
  | {
      readonly kind: 'ran';
      readonly msPerTrial: number;
      /** Processor time of all its processes. */
      readonly cpuMsPerTrial: number;
      readonly version: string;
      readonly closed: readonly (readonly [fast: number, slow: number, trades: number])[];
    }
  | { readonly kind: 'absent'; readonly why: string };

/** Runs the same sweep with another library, if it is installed. */
export function sweepPeer(name: SweepPeerName, bars: BarColumns, question: SweepQuestion): SweepAnswer {
  const { fast, slow, cash, weight } = question;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-peers-'));
  try {
    const file = join(folder, 'bars.bin');
    writeFileSync(file, columnsOf(bars, bars.length));
    const args = [file, fast.join(','), slow.join(','), String(cash), String(weight)];
    const answer = answerOf(`peers/sweep_${name}_py.py`, args, folder);
    return answer.kind === 'absent' ? answer : { kind: 'ran', ...JSON.parse(answer.line) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Exit code of a peer's script whose library is not installed. */
const NOT_INSTALLED = 3;

/** Six columns of float64 in sequence: time, open, high, low, close, volume. */
function columnsOf({ time, open, high, low, close, volume }: BarColumns, count: number): Buffer {
  return Buffer.concat(
    [time, open, high, low, close, volume].map((column) => {
      const part = column.subarray(0, count);
      return Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    }),
  );
}
