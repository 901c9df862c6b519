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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backtest } from '#src/app/backtest-library.ts';
import { runSweep } from '#src/app/research/sweep.ts';
import { sweep } from '#src/app/research-library.ts';
import { sluice } from './run-sluice.ts';

const project = mkdtempSync(join(tmpdir(), 'sluice-sweep-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const config = (strategy: string) => `strategy: ${strategy}
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2015-01-02, to: 2016-12-30 }
risk: { maxOrderNotional: 100000 USD, maxPositionWeight: 90% }
`;

/** Uses random numbers at load and in a hook, and throws, hangs or ends its process for some parameters. */
const ODD = `import { defineStrategy, param } from '@sluice-trading/sluice';
const loaded = Math.random();
export default defineStrategy({
  name: 'odd',
  params: { n: param.int({ min: 0, max: 100, default: 1, doc: 'N' }) },
  onBar: (bar, { params, orders }) => {
    if (params.n === 3) throw new Error('n is three');
    if (params.n === 5) for (;;) {}
    if (params.n === 6) process.exit(0);
    return Math.random() < loaded / 3 ? orders.targetWeight(bar.symbol, (params.n + 1) / 500, 'by chance') : [];
  },
});
`;

/**
 * Fills a heap of 70 MB in three ways: V8 ends the thread, or the process during a large allocation; or buffers fill
 * it.
 */
const HUNGRY = `import { defineStrategy, param } from '@sluice-trading/sluice';
const kept = [];
export default defineStrategy({
  name: 'hungry',
  params: { n: param.int({ min: 0, max: 100, default: 1, doc: 'N' }) },
  onBar: (bar, { params, orders }) => {
    if (params.n === 2) for (;;) kept.push({ bar: [params.n] });
    if (params.n === 4) for (const map = new Map(); ; ) map.set(map.size, map.size);
    if (params.n === 6) for (;;) kept.push(new Uint8Array(2 ** 24).fill(1));
    return orders.targetWeight(bar.symbol, (params.n + 1) / 500, 'a little');
  },
});
`;

/** Counts its runs in a module variable. */
const LEAKS = `import { defineStrategy, param } from '@sluice-trading/sluice';
let runs = 0;
export default defineStrategy({
  name: 'leaks',
  params: { n: param.int({ min: 0, max: 100, default: 1, doc: 'N' }) },
  signals: () => { runs += 1; return {}; },
  onBar: (bar, { orders }) => orders.targetWeight(bar.symbol, runs / 100, 'more each time'),
});
`;

/**
 * Leaves 80 MB in a module variable with each trial, and computes long enough for the memory to be measured in the
 * meantime.
 */
const HOARDER = `import { defineStrategy, param } from '@sluice-trading/sluice';
const kept = new Map();
export default defineStrategy({
  name: 'hoarder',
  params: { n: param.int({ min: 0, max: 100, default: 1, doc: 'N' }) },
  onBar: (bar, { params, orders }) => {
    if (!kept.has(params.n)) kept.set(params.n, new Uint8Array(80 * 2 ** 20).fill(1));
    let sum = 0;
    for (let at = 0; at < 30_000; at += 1) sum += Math.sin(at);
    return orders.targetWeight(bar.symbol, (params.n + 1) / 500 + sum / 1e12, 'a little');
  },
});
`;

/** Gets the bars that trials share by replacing a built-in function, and changes them in one trial. */
const WRITER = `import { defineStrategy, param } from '@sluice-trading/sluice';
const columns = [];
const { set } = Map.prototype;
Map.prototype.set = function (key, value) {
  if (value?.close instanceof Float64Array) columns.push(value.close);
  return set.call(this, key, value);
};
export default defineStrategy({
  name: 'writer',
  params: { n: param.int({ min: 0, max: 100, default: 1, doc: 'N' }) },
  onBar: (bar, { params, orders }) => {
    if (params.n === 1) for (const close of columns.splice(0)) close.fill(1, close.length - 9);
    return orders.targetWeight(bar.symbol, (params.n + 1) / 500, 'a little');
  },
});
`;

/** Replaces the method that creates every view of a column. */
const PATCHER = `import { defineStrategy } from '@sluice-trading/sluice';
Object.getPrototypeOf(Float64Array.prototype).subarray = function () { return this; };
export default defineStrategy({ name: 'patcher', params: {}, onBar: () => [] });
`;

beforeAll(() => {
  mkdirSync(join(project, 'strategies'));
  for (const [name, text] of [
    ['odd', ODD],
    ['hungry', HUNGRY],
    ['leaks', LEAKS],
    ['hoarder', HOARDER],
    ['writer', WRITER],
    ['patcher', PATCHER],
  ] as const) {
    writeFileSync(join(project, `strategies/${name}.ts`), text);
    writeFileSync(join(project, `${name}.yaml`), config(name));
  }
  writeFileSync(join(project, 'cross.yaml'), config('sma-cross'));
  const section =
    'sweep:\n  axes: { fast: "5..15:5", slow: { from: 20, to: 40, step: 10 } }\n  where: fast < slow\n';
  writeFileSync(join(project, 'written.yaml'), `${config('sma-cross')}${section}`);
});

const run = (...args: readonly string[]) => sluice(['sweep', ...args], { cwd: project });
const GRID = ['--set', 'fast=5..30:5', '--set', 'slow=20..60:10', '--where', 'fast < slow'];

async function ended(...args: readonly string[]) {
  const { code, out, err } = await run(...args, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

const bytesOf = (report: { readonly files: { readonly json: string } }): string =>
  readFileSync(join(project, report.files.json), 'utf8');

/** The sweep of the grid with one job, run once for all tests. */
let swept: ReturnType<typeof ended> | undefined;
const grid = () => {
  swept ??= ended('cross.yaml', ...GRID, '--jobs', '1');
  return swept;
};

describe('sluice sweep', () => {
  it('returns the same bytes with 1, 2 and 7 processes, and the figures of a single backtest', async () => {
    const one = bytesOf(await grid());
    const two = bytesOf(await ended('cross.yaml', ...GRID, '--jobs', '2', '--fresh'));
    const seven = bytesOf(await ended('cross.yaml', ...GRID, '--jobs', '7', '--fresh'));
    expect(two).toBe(one);
    expect(seven).toBe(one);
    const [best] = JSON.parse(one).best;
    const params = Object.entries(best.params).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
    const alone = await sluice(['backtest', 'cross.yaml', ...params, '--json'], { cwd: project });
    const { figures } = JSON.parse(alone.out);
    expect(best.figures).toMatchObject({
      ...{ sharpe: figures.sharpe, totalReturn: figures.totalReturn, calmar: figures.calmar },
      ...{ maxDrawdown: figures.maxDrawdown.share, closedTrades: figures.closedTrades },
    });
  });

  it.each(['tpe', 'cma-es'])(
    'searches by %s with the same bytes with 1 process, and with 2 and then 7 when it continues with more trials',
    async (method) => {
      const args = ['cross.yaml', '--set', 'fast=2..40', '--set', 'slow=10..60:1', '--where', 'fast < slow'];
      const search = (trials: string, jobs: string, ...more: readonly string[]) =>
        ended(...args, '--method', method, '--trials', trials, '--jobs', jobs, ...more);
      const one = await search('28', '1');
      const bytes = bytesOf(one);
      expect(JSON.parse(bytes).trials).toHaveLength(28);
      // A search with fewer trials is continued from the stored ones.
      await search('14', '2', '--fresh');
      const stored = join(project, one.files.json, '../trials.jsonl');
      const lines = () => readFileSync(stored, 'utf8').trimEnd().split('\n');
      const first = lines();
      expect(first).toHaveLength(14);
      const more = await search('28', '7');
      expect([more.files, bytesOf(more)]).toEqual([one.files, bytes]);
      expect(lines().slice(0, 14)).toEqual(first);
      expect(lines()).toHaveLength(28);
    },
    180_000,
  );

  it('continues a search if a strategy throws, hangs or ends its process', async () => {
    const args = ['odd.yaml', '--set', 'n=0..9', '--hook-timeout', '1', '--method', 'tpe', '--trials', '10'];
    const bytes = bytesOf(await ended(...args, '--jobs', '2'));
    const { failed, trials } = JSON.parse(bytes);
    expect(failed.map(({ params }: { params: { n: number } }) => params.n).toSorted()).toEqual([3, 5, 6]);
    expect(trials).toHaveLength(7);
    expect(bytesOf(await ended(...args, '--jobs', '3', '--fresh'))).toBe(bytes);
  });

  it('ranks by an objective plugin, and names the trials in which it throws or hangs', async () => {
    mkdirSync(join(project, 'objectives'), { recursive: true });
    writeFileSync(
      join(project, 'objectives/odd-goal.ts'),
      `import { defineObjective } from '@sluice-trading/sluice';
export default defineObjective({
  name: 'odd-goal',
  score: ({ figures, params, returns }) => {
    if (params.fast === 6) throw new Error('fast is six');
    if (params.fast === 7) for (;;) {}
    if (params.fast === 8) return 'high' as never;
    if (params.fast === 9) return null;
    return returns.length + Number(figures.finalEquity) / 1e9;
  },
});
`,
    );
    const args = [
      'cross.yaml',
      '--set',
      'fast=5..10',
      '--set',
      'slow=30',
      '--objective',
      'odd-goal',
      '--hook-timeout',
      '1',
    ];
    const one = await ended(...args, '--jobs', '1');
    expect(bytesOf(await ended(...args, '--jobs', '3', '--fresh'))).toBe(bytesOf(one));
    const { failed, best } = JSON.parse(bytesOf(one));
    expect(failed.map(({ params }: { params: { fast: number } }) => params.fast)).toEqual([6, 7, 8]);
    expect(failed[0].message).toMatch(
      /^Objective "odd-goal" threw in score: fast is six \(at objectives\/odd-goal\.ts:5:\d+\)$/,
    );
    expect(failed[1].message).toBe('score of "odd-goal" did not return within 1 s');
    expect(failed[2].message).toContain('answered a string in score, want a finite number, or null');
    expect(best.map(({ params }: { params: { fast: number } }) => params.fast).toSorted()).toEqual([10, 5]);
    const { dailyReturns, finalEquity } = best[0].figures;
    expect(best[0].objective).toBe(dailyReturns + finalEquity / 1e9);
  });

  it('reports what is wrong with an objective plugin before any trial runs', async () => {
    mkdirSync(join(project, 'objectives'), { recursive: true });
    writeFileSync(
      join(project, 'objectives/no-score.ts'),
      "import { defineObjective } from '@sluice-trading/sluice';\nexport default defineObjective({ name: 'no-score' } as never);\n",
    );
    const { code, err } = await run('cross.yaml', '--set', 'fast=5', '--objective', 'no-score');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('Cannot define objective "no-score": it has no function "score"'),
    ]);
    const other = await run('cross.yaml', '--set', 'fast=5', '--objective', './objectives/none.ts');
    expect(other.err).toContain('Cannot read the objective: There is no file "./objectives/none.ts"');
  });

  it('reuses stored trials, also for another objective', async () => {
    const first = await grid();
    const folder = join(project, first.files.json, '..');
    const before = readFileSync(join(folder, 'trials.jsonl'), 'utf8');
    const other = await ended('cross.yaml', ...GRID, '--objective', 'totalReturn - 2 * maxDrawdown');
    expect(other.files).toEqual(first.files);
    expect(readFileSync(join(folder, 'trials.jsonl'), 'utf8')).toBe(before);
    const { figures, objective } = other.best[0];
    expect(objective).toBeCloseTo(figures.totalReturn - 2 * figures.maxDrawdown, 12);
  });

  it('reads the section of the YAML, and a file of axes', async () => {
    const written = await ended('written.yaml');
    expect(written).toMatchObject({ trials: 9, where: 'fast < slow', objective: 'sharpe' });
    writeFileSync(join(project, 'axes.yaml'), 'axes: { fast: [5, 10] }\nmethod: sobol\nobjective: calmar\n');
    expect(await ended('written.yaml', '--axes', 'axes.yaml')).toMatchObject({
      ...{ trials: 2, method: 'sobol', objective: 'calmar' },
    });
  });

  it('names trials whose strategy throws, hangs or ends its process, and continues with the others', async () => {
    const args = ['odd.yaml', '--set', 'n=0..9', '--hook-timeout', '1'];
    const one = await ended(...args, '--jobs', '1');
    const bytes = bytesOf(one);
    const { failed, trials } = JSON.parse(bytes);
    expect(failed.map(({ trial }: { trial: number }) => trial)).toEqual([3, 5, 6]);
    expect(failed[0].message).toContain('n is three (at strategies/odd.ts:');
    expect(failed[1].message).toBe('onBar of "odd" did not return within 1 s');
    expect(failed[2].message).toBe('the strategy ended its process, exit code 0');
    expect(trials).toHaveLength(7);
    expect(bytesOf(await ended(...args, '--jobs', '3', '--fresh'))).toBe(bytes);
    // Each trial has the random seed of a single backtest.
    const alone = await sluice(['backtest', 'odd.yaml', '--param', 'n=9', '--json'], { cwd: project });
    expect(trials.at(-1).figures.finalEquity).toBe(JSON.parse(alone.out).figures.finalEquity);
  });

  it('names trials that run out of memory, with the same bytes with 1 and 3 jobs', async () => {
    const swept = async (jobs: string) => {
      const args = ['sweep', 'hungry.yaml', '--set', 'n=0..8', '--objective', 'totalReturn', '--jobs', jobs];
      const { code, out, err } = await sluice([...args, '--fresh', '--json'], {
        cwd: project,
        flags: ['--max-old-space-size=70'],
      });
      expect([code, err]).toEqual([0, '']);
      return bytesOf(JSON.parse(out));
    };
    const one = await swept('1');
    const { failed, trials } = JSON.parse(one);
    expect(failed.map(({ trial }: { trial: number }) => trial)).toEqual([2, 4, 6]);
    for (const { message } of failed) expect(message).toBe('the process of the trial ran out of memory');
    expect(trials).toHaveLength(6);
    expect(await swept('3')).toBe(one);
  });

  it('does not blame a trial for the memory that earlier ones took', async () => {
    const args = [
      'sweep',
      'hoarder.yaml',
      '--set',
      'n=0..4',
      '--objective',
      'totalReturn',
      '--jobs',
      '1',
      '--json',
    ];
    const flags = ['--max-old-space-size=120'];
    const { code, out, err } = await sluice(args, { cwd: project, flags });
    expect([code, err]).toEqual([0, '']);
    const { failed, trials } = JSON.parse(bytesOf(JSON.parse(out)));
    expect([failed, trials.length]).toEqual([[], 5]);
  });

  it('refuses the result of a strategy that carries values from one run to the next, and again when all its trials are stored', async () => {
    const { code, err } = await run('leaks.yaml', '--set', 'n=0..5', '--jobs', '1');
    expect(code).toBe(2);
    expect(err).toMatch(
      /^Trial \d comes to other figures when it runs alone: the strategy keeps values in variables of its file/,
    );
    const again = await run('leaks.yaml', '--set', 'n=0..5', '--jobs', '1');
    expect([again.code, again.err]).toEqual([2, err]);
    const folder = readdirSync(join(project, '.sluice/sweeps')).find((name) => name.startsWith('leaks'));
    expect(existsSync(join(project, '.sluice/sweeps', folder ?? '', 'result.json'))).toBe(false);
  });

  it.each(['1', '2'])(
    'refuses and removes outcomes after a strategy changed the shared bars, %s jobs',
    async (jobs) => {
      const { code, out, err } = await run('writer.yaml', '--set', 'n=0..5', '--jobs', jobs);
      expect([code, out]).toEqual([2, '']);
      expect(err).toContain('changed the bars in memory that its trials share');
      const folder = readdirSync(join(project, '.sluice/sweeps')).find((name) => name.startsWith('writer'));
      expect(folder).toBeDefined();
      expect(readdirSync(join(project, '.sluice/sweeps', folder ?? ''))).toEqual([]);
    },
  );

  it('lets no strategy replace what columns are made of', async () => {
    const { code, err } = await sluice(['backtest', 'patcher.yaml'], { cwd: project });
    expect(code).not.toBe(0);
    expect(err).toContain("Cannot assign to read only property 'subarray'");
  });

  it.each([
    [['cross.yaml'], 'Cannot sweep without an axis: write "--set NAME=FROM..TO:STEP"'],
    [['cross.yaml', '--set', 'fats=1..5'], 'it is not a parameter of the strategy, did you mean "fast"?'],
    [['cross.yaml', '--set', 'fast=1..5'], 'Cannot sweep "fast" over "1", want a whole number from 2 to 200'],
    [
      ['cross.yaml', '--set', 'fast'.concat('=5'), '--objective', 'sharp'],
      '"sharp" is not known, did you mean "sharpe"?',
    ],
    [['cross.yaml', '--set', 'fast=5', '--where', 'fast > 9'], '"fast > 9" holds for no combination'],
    [['cross.yaml', '--set', 'weight'], 'Cannot make a grid of "weight" without a step'],
    [['cross.yaml', '--set', 'fast=5', '--trials', '9'], 'Cannot limit a grid by "--trials"'],
    [
      ['cross.yaml', '--set', 'fast', '--method', 'tpe', '--trials', '999999999'],
      'Cannot run 999999999 trials, want at most 1000000',
    ],
  ])('reports what is wrong with %j', async (args, message) => {
    const { code, out, err } = await run(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });

  it('names the position of a mistake in a file of axes', async () => {
    writeFileSync(join(project, 'wrong.yaml'), 'axes:\n  fast: 5..\nmethd: grid\n');
    const { code, err } = await run('cross.yaml', '--axes', 'wrong.yaml');
    expect(code).toBe(3);
    expect(err).toContain('at wrong.yaml:2:9 (axes.fast)');
    expect(err).toContain('"methd" is not a known setting, did you mean "method"?');
  });
});

describe('sluice luck', () => {
  const counted = async (): Promise<number> => {
    const { out } = await sluice(['luck', 'sma-cross', '--json'], { cwd: luckProject });
    return JSON.parse(out).strategies[0]?.trials ?? 0;
  };
  const luckProject = join(project, 'luck');

  it('counts each trial once, however it was started, and judges the best of all of them', async () => {
    mkdirSync(luckProject);
    writeFileSync(join(luckProject, 'cross.yaml'), config('sma-cross'));
    const started = (...args: readonly string[]) => sluice([...args, '--json'], { cwd: luckProject });
    expect(await counted()).toBe(0);
    expect((await started('backtest', 'cross.yaml')).code).toBe(0);
    expect(await counted()).toBe(1);
    const swept = JSON.parse(
      (await started('sweep', 'cross.yaml', '--set', 'fast=5..15:5', '--set', 'slow=20,30')).out,
    );
    // The backtest had fast 10 and slow 30.
    expect(swept.luck.trials).toBe(6);
    expect(swept.overfitting.trials).toBe(6);
    await started('backtest', 'cross.yaml', '--param', 'fast=5');
    expect(await counted()).toBe(6);
    await backtest(join(luckProject, 'cross.yaml'), { project: luckProject, params: { fast: 7 } });
    expect(await counted()).toBe(7);
    await started('backtest', 'cross.yaml', '--from', '2016-01-04');
    const unknown = await sluice(['luck', 'cross.yaml'], { cwd: luckProject });
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('it has those of "sma-cross"') });
    const { out } = await started('luck');
    const [, other] = JSON.parse(out).strategies.toSorted(
      (a: { trials: number }, b: { trials: number }) => a.trials - b.trials,
    );
    expect(JSON.parse(out).strategies).toHaveLength(2);
    expect(other.trials).toBe(7);
    expect(other.deflated).toBeLessThan(other.probabilistic);
  });
});

describe('a ledger that cannot be written', () => {
  it('is reported, and the backtest is printed nevertheless', async () => {
    const place = join(project, 'blocked');
    mkdirSync(place);
    writeFileSync(join(place, 'cross.yaml'), config('sma-cross'));
    writeFileSync(join(place, '.sluice'), 'a file in its place');
    const { code, out, err } = await sluice(['backtest', 'cross.yaml', '--json'], { cwd: place });
    expect(code).toBe(0);
    expect(JSON.parse(out).schema).toBe('sluice.report/1');
    expect(err).toMatch(/^Warning: This trial is not counted, so "sluice luck" judges too kindly: EEXIST/);
  });
});

describe('a search with more trials than the ledger keeps daily returns for', () => {
  it('continues one with fewer, without those returns, and is stored by itself', async () => {
    const place = join(project, 'extended');
    mkdirSync(place);
    const path = join(place, 'cross.yaml');
    writeFileSync(path, config('sma-cross'));
    const search = { axes: { fast: '2..40', slow: '50..400' }, method: 'tpe', jobs: 2 } as const;
    await runSweep(path, place, { ...search, trials: 14 });
    const stored = () =>
      readdirSync(join(place, '.sluice/sweeps')).map((name) =>
        readFileSync(join(place, '.sluice/sweeps', name, 'trials.jsonl'), 'utf8')
          .trimEnd()
          .split('\n')
          .map((line): { trial: number; outcome: { days?: string } } => JSON.parse(line))
          .toSorted((one, other) => one.trial - other.trial),
      );
    const [few = []] = stored();
    expect(few.map(({ trial, outcome }) => [trial, 'days' in outcome])).toEqual(
      Array.from({ length: 14 }, (_, trial) => [trial, true]),
    );
    const controller = new AbortController();
    const known: number[] = [];
    const end = await runSweep(
      path,
      place,
      { ...search, trials: 1_001 },
      {
        interrupted: controller.signal,
        onProgress: (progress) => {
          known.push(progress.known);
          if (progress.done >= 20) controller.abort();
        },
      },
    );
    expect([end.kind, known[0]]).toEqual(['stopped', 14]);
    const many = stored().find(({ length }) => length > 14) ?? [];
    expect(many.slice(0, 14)).toEqual(
      few.map(({ trial, outcome: { days: _, ...outcome } }) => ({ trial, outcome })),
    );
    expect(many.map(({ trial }) => trial).slice(0, 18)).toEqual(
      Array.from({ length: 18 }, (_, trial) => trial),
    );
    expect(many.some(({ outcome }) => 'days' in outcome)).toBe(false);
  });
});

describe('sweep of the library', () => {
  it('returns the report that the command writes', async () => {
    const progress: number[] = [];
    const report = await sweep(join(project, 'cross.yaml'), {
      ...{ project, axes: { fast: '5..10:5', slow: [20, 30] }, jobs: 1 },
      onProgress: ({ done, tested }) => {
        if (tested === undefined) progress.push(done);
      },
    });
    expect(Array.from(report.findings.trials, ({ params }) => params)).toEqual([
      { fast: 5, slow: 20 },
      { fast: 5, slow: 30 },
      { fast: 10, slow: 20 },
      { fast: 10, slow: 30 },
    ]);
    expect(report.findings.best[0]?.neighbours.trials).toHaveLength(2);
    expect(progress).toEqual([0, 1, 2, 3, 4]);
  });
});
