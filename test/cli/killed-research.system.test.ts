import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ledgerLuck } from '#src/app/research/trial-ledger.ts';
import { seededRandom } from '#src/research/seeded-random.ts';
import { MAIN } from '../fixtures/built-package.ts';
import { sluice } from './run-sluice.ts';

/** Kills per command; `SLUICE_TEST_KILLS=20` takes minutes. */
const KILLS = Number(process.env['SLUICE_TEST_KILLS'] ?? 2);
/** Numbers of processes and signals that the kills of all commands cycle through, so that each pair occurs. */
const JOBS = ['7', '2', '1'];
const SIGNALS = ['SIGKILL', 'SIGINT'] as const;
const CONFIG = `strategy: slow-cross
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2016-01-04, to: 2017-12-29 }
risk: { maxOrderNotional: 100000 USD, maxPositionWeight: 90% }
`;

/** Sleeps 25 ms in each trial, so that a command can be killed before its end without many trials. */
const SLOW_CROSS = `import { crossover, defineStrategy, param, sma } from '@sluice-trading/sluice';
const cell = new Int32Array(new SharedArrayBuffer(4));
export default defineStrategy({
  name: 'slow-cross',
  params: {
    fast: param.int({ min: 2, max: 200, default: 10 }),
    slow: param.int({ min: 5, max: 400, default: 30 }),
  },
  signals: ({ bars, params }) => {
    Atomics.wait(cell, 0, 0, 25);
    return { cross: crossover(sma(bars.close, params.fast), sma(bars.close, params.slow)) };
  },
  onSignal: (signal, { orders }) =>
    signal.direction === 'up' ? orders.targetWeight(signal.symbol, 0.5) : orders.close(signal.symbol),
});
`;

const places: string[] = [];
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true });
});

function projectFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-killed-'));
  places.push(folder);
  writeFileSync(join(folder, 'cross.yaml'), CONFIG);
  mkdirSync(join(folder, 'strategies'));
  writeFileSync(join(folder, 'strategies/slow-cross.js'), SLOW_CROSS);
  return folder;
}

/** The files that hold the trials of all sweeps of a project. */
function trialFiles(project: string): readonly string[] {
  const sweeps = join(project, '.sluice/sweeps');
  if (!existsSync(sweeps)) return [];
  return readdirSync(sweeps)
    .map((name) => join(sweeps, name, 'trials.jsonl'))
    .filter((path) => existsSync(path));
}

/** Numbers of the trials in a file; truncated lines have none. */
function trialNumbers(path: string): readonly number[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [Number(JSON.parse(line).trial)];
      } catch {
        return [];
      }
    });
}

/** Trials of all sweeps of a project, sorted; two sweeps have the same numbers. */
const allTrials = (project: string): readonly number[] =>
  trialFiles(project)
    .flatMap(trialNumbers)
    .toSorted((one, other) => one - other);

const linesIn = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1;
const trialsIn = (project: string): number =>
  trialFiles(project).reduce((sum, path) => sum + linesIn(path), 0);

async function ended(project: string, args: readonly string[]) {
  const { code, out, err } = await sluice([...args, '--json'], { cwd: project });
  expect([code, err]).toEqual([0, '']);
  const { files, ...report } = JSON.parse(out);
  return { report, files, bytes: readFileSync(join(project, files.json), 'utf8') };
}

/** Starts the command and kills it once it has computed `more` trials; throws if it ends before. */
async function kill(
  project: string,
  args: readonly string[],
  { more, signal }: { readonly more: number; readonly signal: (typeof SIGNALS)[number] },
): Promise<void> {
  const least = trialsIn(project) + more;
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let err = '';
  child.stderr.on('data', (text) => {
    err += text;
  });
  const gone = once(child, 'close');
  await expect
    .poll(() => child.exitCode !== null || trialsIn(project) >= least, { timeout: 120_000, interval: 1 })
    .toBe(true);
  child.kill(signal);
  expect(await gone, err).toEqual(signal === 'SIGINT' ? [130, null] : [null, signal]);
}

/** Cuts off a line, as a machine that stops does. */
function cutOff(project: string, share: number): void {
  const path = trialFiles(project)[Math.floor(share * trialFiles(project).length)];
  if (path !== undefined) appendFileSync(path, '{"trial":3,"outcome":{"kind":"do');
}

const AXES = ['--set', 'fast=2..40', '--set', 'slow=50..250'];
/** Trials per kill, enough that no kill comes too late. */
const PER_KILL = 40;
const drawn = (method: string) => [
  ...[...AXES, '--method', method, '--seed', '3', '--trials', String(PER_KILL * KILLS)],
];
const GRID = ['--set', `fast=2..${PER_KILL + 1}`, '--set', `slow=250..${249 + KILLS}`];

describe('a command that is killed repeatedly, with 1, 2 and 7 processes', () => {
  let turn = 0;

  it.each([
    ['a grid', 6, ['sweep', 'cross.yaml', ...GRID]],
    ['tpe', 6, ['sweep', 'cross.yaml', ...drawn('tpe')]],
    ['cma-es', 6, ['sweep', 'cross.yaml', ...drawn('cma-es')]],
    [
      'a cross-validation of a Sobol sequence',
      6,
      ['cross-validate', 'cross.yaml', '--groups', '6', ...drawn('sobol')],
    ],
    // Killed in the training of each of its windows.
    [
      'a walk forward of random trials',
      50,
      ['walk-forward', 'cross.yaml', '--train', '1y', '--test', '6m', ...drawn('random')],
    ],
  ])(
    'ends with the same bytes, and has computed and counted every trial once: %s',
    async (name, span, args) => {
      const [whole, broken] = [projectFolder(), projectFolder()];
      const undisturbed = await ended(whole, [...args, '--jobs', '1']);
      const random = seededRandom(name.length);
      for (let life = 0; life < KILLS; life += 1) {
        const jobs = JOBS[turn % JOBS.length] as string;
        const signal = SIGNALS[turn % SIGNALS.length] ?? 'SIGKILL';
        turn += 1;
        await kill(broken, [...args, '--jobs', jobs], { more: 1 + Math.floor(random() * span), signal });
        cutOff(broken, random());
      }
      const resumed = await ended(broken, [...args, '--jobs', '2']);
      expect(resumed.bytes).toBe(undisturbed.bytes);
      expect(resumed.report).toEqual(undisturbed.report);
      expect(allTrials(broken)).toEqual(allTrials(whole));
      expect(allTrials(whole).length).toBeGreaterThan(20);
      const counts = (project: string) => ledgerLuck(project).map(({ data, trials }) => [data, trials]);
      expect(counts(broken).toSorted()).toEqual(counts(whole).toSorted());
    },
    600_000,
  );
});
