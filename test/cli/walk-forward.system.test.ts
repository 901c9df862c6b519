import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
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
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, PACKAGE } from '../fixtures/built-package.ts';
import { sluice } from './run-sluice.ts';

// The built package's library: its processes start in a third of the processor time that the sources need.
const { crossValidate, luck, monteCarlo, walkForward }: typeof import('#src/app/research-library.ts') =
  await import(pathToFileURL(join(PACKAGE, 'src/app/research-library.js')).href);

const project = mkdtempSync(join(tmpdir(), 'sluice-walk-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

beforeAll(() => {
  mkdirSync(join(project, 'objectives'));
  writeFileSync(
    join(project, 'objectives/long-runs.js'),
    `import { defineObjective } from '@sluice-trading/sluice';
export default defineObjective({
  name: 'long-runs',
  doc: 'The return, of long runs alone',
  score: ({ figures, returns }) => {
    if (returns.length < 400) throw new Error('too few days');
    return figures.totalReturn;
  },
});
`,
  );
  const cross = `strategy: sma-cross
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2015-01-02, to: 2018-12-31 }
risk: { maxOrderNotional: 100000 USD, maxPositionWeight: 90% }
`;
  writeFileSync(join(project, 'cross.yaml'), cross);
  writeFileSync(join(project, 'weekly.yaml'), cross.replace('period: 1d', 'period: 1w'));
  writeFileSync(
    join(project, 'ranked.yaml'),
    `${cross}sweep: { axes: { fast: '5..10:5' }, objective: long-runs }\n`,
  );
});

const run = (...args: readonly string[]) => sluice(args, { cwd: project });
const AXES = ['--set', 'fast=5..10:5', '--set', 'slow=20..30:10'];
const WALK = ['walk-forward', 'cross.yaml', '--train', '2y', '--test', '1y', ...AXES];
const RESULT = '.sluice/walk-forward/cross-2y-1y/result.json';

const bytes = (path: string): string => readFileSync(join(project, path), 'utf8');

async function ended(...args: readonly string[]) {
  const { code, out, err } = await run(...args, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

describe('sluice walk-forward', () => {
  it('continues where it was stopped, with the same bytes for any number of processes', async () => {
    const child = spawn(process.execPath, [MAIN, ...WALK, '--jobs', '1'], { cwd: project, stdio: 'ignore' });
    const gone = once(child, 'close');
    const sweeps = join(project, '.sluice/sweeps');
    const finished = () =>
      existsSync(sweeps) && readdirSync(sweeps).some((name) => existsSync(join(sweeps, name, 'result.json')));
    await expect.poll(finished, { timeout: 60_000, interval: 5 }).toBe(true);
    child.kill('SIGINT');
    expect(await gone).toEqual([130, null]);
    expect(existsSync(join(project, RESULT))).toBe(false);
    const one = await ended(...WALK, '--jobs', '1');
    const before = bytes(RESULT);
    await ended(...WALK, '--jobs', '3', '--fresh');
    expect(bytes(RESULT)).toBe(before);
    expect(one.steps.map(({ test }: { test: object }) => test)).toEqual([
      { from: '2017-01-02', to: '2018-01-01' },
      { from: '2018-01-02', to: '2018-12-31' },
    ]);
    expect(one.leftOut).toEqual([]);
    // The test of a window is the backtest of its days with the parameters chosen before.
    const [step] = one.steps;
    const params = Object.entries(step.chosen.params).flatMap(([name, value]) => [
      '--param',
      `${name}=${value}`,
    ]);
    const alone = (days: { from: string; to: string }) =>
      ended('backtest', 'cross.yaml', '--from', days.from, '--to', days.to, ...params);
    const tested = await alone(step.test);
    expect(step.chosen.outOfSample.totalReturn).toBeCloseTo(tested.figures.totalReturn, 12);
    // Its training has no day of the test.
    const trained = await alone(step.train);
    expect(step.chosen.inSample.totalReturn).toBe(trained.figures.totalReturn);
  });

  it('chooses by an objective plugin, which is not called for the tests', async () => {
    const { steps, objective } = await ended('walk-forward', 'ranked.yaml', '--train', '2y', '--test', '1y');
    expect(objective).toBe('long-runs');
    for (const { trials, failed, chosen } of steps) {
      expect([trials, failed]).toEqual([2, 0]);
      expect(chosen.objective).toBe(chosen.inSample.totalReturn);
    }
  });

  it('leaves out a last window without a bar, before the first sweep, and states it', async () => {
    const days = ['--from', '2015-01-02', '--to', '2017-01-02', '--train', '1y', '--test', '1y'];
    const { steps, leftOut, files } = await ended('walk-forward', 'cross.yaml', ...days, ...AXES);
    expect(steps).toHaveLength(1);
    expect(leftOut).toMatchObject([{ test: { from: '2017-01-02', to: '2017-01-02' } }]);
    expect(bytes(files.page)).toContain('test 2017-01-02 to 2017-01-02');
  });

  it('refuses bars that are longer than a day', async () => {
    const { code, err } = await run('walk-forward', 'weekly.yaml', '--train', '2y', '--test', '1y', ...AXES);
    expect([code, err]).toEqual([2, expect.stringContaining('Cannot walk forward on bars of "1w"')]);
  });

  it.each([
    [['--train', '5y', '--test', '6m'], 'Cannot walk forward: training takes 5y'],
    [['--train', 'long', '--test', '6m'], 'Cannot read "--train long", want a length such as 90d'],
    [['--train', '2y'], "required option '--test <length>'"],
  ])('reports what is wrong with %j', async (args, message) => {
    const { code, out, err } = await run('walk-forward', 'cross.yaml', ...args, ...AXES);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });
});

describe('sluice cross-validate', () => {
  it('has the paths of all splits, the same bytes for any number of processes, and counts its trials', async () => {
    const args = ['cross-validate', 'cross.yaml', '--groups', '6', ...AXES];
    const found = await ended(...args, '--jobs', '1');
    const before = bytes(found.files.json);
    await ended(...args, '--jobs', '2', '--fresh');
    expect(bytes(found.files.json)).toBe(before);
    expect(found.splits).toHaveLength(15);
    expect(found.paths).toHaveLength(5);
    const whole = luck({ project }).find(({ data }) => data === found.data);
    expect(whole).toMatchObject({ trials: 4, ability: { trials: 4 } });
  });

  it('names what it does not support', async () => {
    const groups = await run('cross-validate', 'cross.yaml', '--groups', '2', ...AXES);
    expect([groups.code, groups.err]).toEqual([
      2,
      expect.stringContaining('found 2 groups, want at least 3'),
    ]);
    const figure = await run('cross-validate', 'cross.yaml', '--objective', 'wins', ...AXES);
    expect(figure.code).toBe(2);
    expect(figure.err).toContain('"wins" is not known');
    const plugin = await run('cross-validate', 'ranked.yaml');
    expect(plugin.code).toBe(2);
    expect(plugin.err).toContain('Cannot cross-validate by the objective plugin "long-runs"');
  });
});

describe('sluice monte-carlo', () => {
  it('returns the same figures each time, and the requested number of runs', async () => {
    const one = await ended('monte-carlo', 'cross.yaml', '--runs', '500');
    expect(await ended('monte-carlo', 'cross.yaml', '--runs', '500')).toEqual(one);
    expect(one.plan).toMatchObject({ runs: 500, bootstrap: 'stationary' });
    const { code, err } = await run('monte-carlo', 'cross.yaml', '--bootstrap', 'trades', '--ruin', '200%');
    expect([code, err]).toEqual([2, expect.stringContaining('Want a share above 0 up to 1')]);
  });
});

describe('the library', () => {
  it('has the same commands as functions', async () => {
    const axes = { fast: '5..10:5', slow: '20..30:10' };
    const path = join(project, 'cross.yaml');
    const walk = await walkForward(path, { project, axes, train: '2y', test: '1y' });
    expect(walk.steps).toHaveLength(2);
    expect((await crossValidate(path, { project, axes, groups: 6 })).paths).toHaveLength(5);
    expect((await monteCarlo(path, { project, runs: 200 })).plan.runs).toBe(200);
    await expect(walkForward(path, { project, axes, train: '9y', test: '1y' })).rejects.toThrow(
      'Cannot walk forward',
    );
  });
});
