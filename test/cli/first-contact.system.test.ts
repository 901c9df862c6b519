import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeProject } from '#src/cli/init/write-project.ts';
import { whatNext } from '#src/cli/output/what-next.ts';
import { write } from '../app/doctor/seeded-faults.ts';
import { SOURCE_MAIN } from '../fixtures/built-package.ts';
import { sluice } from './run-sluice.ts';

const place = mkdtempSync(join(tmpdir(), 'sluice-first-'));
beforeAll(() => writeProject({ folder: 'bot', template: 'momentum', sluice: '0.1.0' }, place));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const project = (name: string): string => {
  cpSync(join(place, 'bot'), join(place, name), { recursive: true });
  return join(place, name);
};

describe('sluice without a command', () => {
  it('shows how to begin if there is no project', async () => {
    const empty = join(place, 'empty');
    mkdirSync(empty);
    const { code, out, err } = await sluice([], { cwd: empty });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^There is no project here yet\. Begin with one of these:\n\n {2}npx sluice init my-bot /,
    );
    writeFileSync(join(empty, 'package.json'), '{}');
    expect(await whatNext(empty)).toMatch(/^There is no config\/ with a YAML here yet/);
  });

  it('shows what can be run in a project', async () => {
    const text = await whatNext(project('fine'));
    expect(text).toMatch(/^Ready to run:\n {2}config\/momentum\.yaml\n/);
    expect(text).toContain('npx sluice backtest config/momentum.yaml');
  });

  it('shows the last changed config first', async () => {
    const folder = project('two');
    cpSync(join(folder, 'config/momentum.yaml'), join(folder, 'config/zebra.yaml'));
    for (const [name, changed] of [
      ['momentum', 1_700_000_000],
      ['zebra', 1_700_009_000],
    ] as const)
      utimesSync(join(folder, `config/${name}.yaml`), changed, changed);
    const text = await whatNext(folder);
    expect(text).toMatch(/^Ready to run:\n {2}config\/zebra\.yaml\n {2}config\/momentum\.yaml\n/);
    expect(text).toContain('npx sluice backtest config/zebra.yaml');
  });

  it('shows the first mistakes of an invalid config, and where the rest are', async () => {
    const folder = project('failing');
    write(folder, 'config/momentum.yaml', 'strategy: momentun\nsymbols: [SPX.US]\nperiod: 1x\n');
    const text = await whatNext(folder);
    expect(text).toMatch(/^4 mistakes in config\/, the first of them:\n/);
    expect(text).toContain('did you mean "momentum"?');
    expect(text).toContain('npx sluice check config/*.yaml');
  });

  it('shows a bot that is killed before anything else, and how to let it continue', async () => {
    const folder = project('killed');
    write(folder, '.sluice/accounts/h-1-paper/kill', 'killed: lost too much\n');
    const text = await whatNext(folder);
    expect(text).toMatch(/^A bot is killed \(\.sluice\/accounts\/h-1-paper\): lost too much\n/);
    expect(text).toContain('npx sluice resume --help');
    write(folder, '.sluice/accounts/h-1-paper/kill', 'armed\n');
    expect(await whatNext(folder)).toMatch(/^Ready to run/);
  });
});

describe('sluice start', () => {
  it('trades two shipped configs on paper, and ends by itself with a summary and what to try next', async () => {
    const folder = join(place, 'start');
    mkdirSync(folder);
    const { code, out } = await sluice(['start'], { cwd: folder });
    expect(code).toBe(0);
    expect(out).toMatch(/ sma-cross {2}REAL PRICES\n[\s\S]* rsi-reversion {2}GENERATED PRICES\n/);
    expect(out.match(/^│ paper │/gm)).toHaveLength(2);
    expect(out).toContain('What to try next:');
  });
});

describe('sluice explain', () => {
  it('shows what a bot does, its worst case and what it needs, in 80 columns', async () => {
    const { code, out } = await sluice(['explain', 'config/hk-intraday.yaml']);
    expect(code).toBe(0);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const text = out.replaceAll('\n  ', ' ');
    for (const sentence of [
      'It trades DEMO.HK',
      'A full trading day in HK has 330 bars of 1m',
      'Orders are limit orders 1 tick beyond the last price',
      'At most 10 opening orders a minute, each worth at most 250,000 HKD: 2,500,000 HKD a minute, unless another limit applies',
      '300,000 HKD of the opening equity of 1,000,000 HKD',
      'Bars of 1m of DEMO.HK from 2025-09-02 to 2025-09-26, in "backtest-data"',
    ]) {
      expect(text).toContain(sentence);
    }
  });

  it('tells the account of a broker apart from the cash and the days of its backtests', async () => {
    const folder = project('on-account');
    const config = readFileSync(join(folder, 'config/momentum.yaml'), 'utf8');
    write(folder, 'config/momentum.yaml', `${config}\nbroker: { account: paper }\n`);
    const { out } = await sluice(['explain', 'config/momentum.yaml'], { cwd: folder });
    const text = out.replaceAll('\n  ', ' ');
    expect(text).toContain('It starts with what the account holds; a backtest starts with 100,000 USD');
    expect(text).toContain('Securities and bars of 1d of SPX.US, which it requests from the broker');
    expect(text).toContain('A backtest needs bars of 1d of SPX.US from 2015-01-02 to 2019-12-31');
    expect(text).toContain('bars before it starts are for warm-up');
    expect(text).not.toContain('opening equity');
  });

  it('prints the same as JSON, and ends with 3 for a config with mistakes', async () => {
    const { out } = await sluice(['explain', 'config/sma-cross.yaml', '--json']);
    const { said } = JSON.parse(out);
    expect(said.map(({ title }: { title: string }) => title)).toEqual([
      'What it does',
      'When it decides',
      'How it orders',
      'The worst case',
      'What stops it',
      'What it needs',
    ]);
    expect((await sluice(['explain', 'config/none.yaml'])).code).toBe(3);
  });
});

/** Modules that the command and its plugin thread loaded, by thread. */
async function loadedBy(args: readonly string[], cwd: string) {
  const hook = join(place, 'loaded.mjs');
  writeFileSync(hook, TELL_LOADS);
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(hook)}` };
  const { code, err } = await sluice(args, { cwd, env, main: SOURCE_MAIN });
  const lines = err.split('\n').filter((line) => / (?:file|node):/.test(line));
  const of = (thread: string) => lines.filter((line) => line.startsWith(`${thread} `));
  return { code, err, main: of('0'), apart: lines.filter((line) => !line.startsWith('0 ')) };
}

/** Prints every loaded module with the number of its thread, in all threads. */
const TELL_LOADS = `
  import { writeSync } from 'node:fs';
  import { registerHooks, syncBuiltinESMExports } from 'node:module';
  import threads from 'node:worker_threads';
  const { Worker, threadId } = threads;
  const here = import.meta.url;
  threads.Worker = class extends Worker {
    constructor(file, options) { super(file, { ...options, execArgv: ['--import', here] }); }
  };
  syncBuiltinESMExports();
  // A full pipe refuses a write until the test has read from it.
  const say = (text) => {
    for (let bytes = Buffer.from(text); bytes.length > 0; )
      try {
        bytes = bytes.subarray(writeSync(2, bytes));
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
  };
  registerHooks({ load: (url, context, next) => (say(threadId + ' ' + url + '\\n'), next(url, context)) });
`;

/** Maximum counts of modules, slightly above today's, so that any growth is a decision. */
const MAIN_MODULES_MAX = 420;
const APART_MODULES_MAX = 60;
const HELP_MODULES_MAX = 118;
const HEAVY = /node_modules\/(?:rxjs|ws|undici|fastify|hyparquet|pino)\//;

describe('the loaded modules', () => {
  it('of a check with its past data have no sockets, no servers and no author code', async () => {
    const { code, err, main, apart } = await loadedBy(['check', 'config/momentum.yaml'], project('checked'));
    expect(code, err).toBe(0);
    expect(main.join('\n')).toContain('/src/config/read-config.ts');
    expect([...main, ...apart].join('\n')).not.toContain('/strategies/momentum.ts');
    // The command asks the strategy's process, over a stream, how many bars its signals need.
    expect([...main, ...apart].filter((line) => HEAVY.test(line) && !line.includes('/rxjs/'))).toEqual([]);
  });

  it('of the next steps have no streams, sockets or servers', async () => {
    const { code, err, main, apart } = await loadedBy([], project('asked'));
    expect(code, err).toBe(0);
    expect([...main, ...apart].filter((line) => HEAVY.test(line))).toEqual([]);
    expect(main.length).toBeLessThanOrEqual(MAIN_MODULES_MAX);
    expect(apart.length).toBeLessThanOrEqual(APART_MODULES_MAX);
  });

  it('of the help are the commands only', async () => {
    const { code, err, main, apart } = await loadedBy(['--help'], place);
    expect(code, err).toBe(0);
    expect(main.length).toBeLessThanOrEqual(HELP_MODULES_MAX);
    expect(apart).toEqual([]);
  });
});
