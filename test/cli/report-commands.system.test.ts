import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunPage } from '#src/reports/run-page.ts';
import { sluice as run } from './run-sluice.ts';

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'sluice-report-'));
const CONFIG = `strategy: sma-cross
symbols: [SPX.US]
period: 1d
params: { weight: 25% }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2019-01-02, to: 2019-06-28, dir: ${join(root, 'backtest-data')} }
risk: { maxOrderNotional: 100000 USD, maxPositionWeight: 40% }
`;

const sluice = (...args: readonly string[]) => run(args, { cwd: project });

beforeAll(() => {
  writeFileSync(join(project, 'a.yaml'), CONFIG);
  writeFileSync(join(project, 'b.yaml'), CONFIG.replace('weight: 25%', 'weight: 10%'));
});
afterAll(() => rmSync(project, { recursive: true }));

describe('sluice backtest --fills', () => {
  it('writes every fill, whose fees are those of the report', async () => {
    const { code, out } = await sluice('backtest', 'a.yaml', '--json', '--fills', 'made/fills.csv');
    expect(code).toBe(0);
    const { flow, money } = JSON.parse(out);
    const [header, ...rows] = readFileSync(join(project, 'made/fills.csv'), 'utf8').trimEnd().split('\n');
    expect(header).toBe('time,symbol,side,quantity,price,currency,fee,order_id');
    expect(rows).toHaveLength(flow.fills);
    expect(rows[0]).toMatch(/^2019-\d\d-\d\dT1[34]:30:00\.000Z,SPX\.US,buy,\d+,[\d.]+,USD,[\d.]+,\d+$/);
    const fees = rows.reduce((sum, row) => sum + Number(row.split(',')[6]), 0);
    expect(fees).toBeCloseTo(Number(money[0].fees), 6);
  });

  it('reports if it cannot write them', async () => {
    const { code, out, err } = await sluice('backtest', 'a.yaml', '--fills', 'a.yaml/fills.csv');
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain('Cannot write the fills to "a.yaml/fills.csv"');
  });
});

describe('sluice backtest --equity', () => {
  it('writes every close, and a tearsheet of the file has the figures of the report', async () => {
    const { code, out } = await sluice('backtest', 'a.yaml', '--json', '--equity', 'made/equity.csv');
    expect(code).toBe(0);
    const report = JSON.parse(out);
    const [header, first, ...rows] = readFileSync(join(project, 'made/equity.csv'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(header).toBe('time,equity,drawdown,exposure,day');
    expect(first).toMatch(/^2019-01-0[12]T[\d:.]+Z,100000,0,0,2019-01-02$/);
    expect(rows).toHaveLength(report.equity.length);
    expect(rows[0]).toMatch(/^2019-01-02T21:00:00\.000Z,[\d.]+,[\d.]+,[\d.]+,2019-01-02$/);
    const deepest = Math.max(...rows.map((row) => Number(row.split(',')[2])));
    expect(deepest).toBeCloseTo(report.figures.maxDrawdown.share, 8);
    const sheet = JSON.parse((await sluice('tearsheet', 'made/equity.csv', '--json')).out);
    const same = ['initialEquity', 'finalEquity', 'totalReturn', 'cagr', 'sharpe', 'sortino', 'volatility'];
    for (const name of same) expect([name, sheet[name]]).toEqual([name, report.figures[name]]);
    expect(sheet.maxDrawdown).toBeCloseTo(report.figures.maxDrawdown.share, 12);
    expect((await sluice('tearsheet', 'made/equity.csv', '--out', 'sheet.html')).code).toBe(0);
  });

  it('and --fills are refused with one file', async () => {
    const { code, err } = await sluice('backtest', 'a.yaml', '--fills', 'x.csv', '--equity', './x.csv');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('--fills and --equity name one file, "x.csv", want two files'),
    ]);
  });

  it('reports if it cannot write it', async () => {
    const { code, out, err } = await sluice('backtest', 'a.yaml', '--equity', 'a.yaml/equity.csv');
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain('Cannot write the equity curve to "a.yaml/equity.csv"');
  });
});

describe('a backtest', () => {
  const kept = (): readonly string[] => readdirSync(join(project, '.sluice/backtests')).toSorted();

  it('is stored for comparisons, with the options that changed its config', async () => {
    const before = await sluice('backtest', 'a.yaml');
    const after = await sluice('backtest', 'a.yaml', '--param', 'weight=10%', '--to', '2019-05-31');
    const [a = '', b = ''] = [before, after].map(
      ({ err }) => /^Kept as (\S+): open or compare it in "sluice ui"\n$/.exec(err)?.[1],
    );
    const compared = JSON.parse((await sluice('compare', a, b, '--json')).out);
    expect(compared.onlyInA).toEqual([]);
    expect(compared.onlyInB).toEqual(['--param weight=10%', '--to 2019-05-31']);
    const figure = (name: string) => compared.figures.find((each: { name: string }) => each.name === name);
    expect(figure('Final equity').a).not.toBe(figure('Final equity').b);
    expect((await sluice('report', b, '--out', 'kept.html')).code).toBe(0);
    expect(readFileSync(join(project, 'kept.html'), 'utf8')).toContain(
      'Changed by options: <code>--param weight=10% --to 2019-05-31</code>',
    );
  });

  it('is stored without a message with --json, and not stored with --no-keep or after a failure', async () => {
    const before = kept();
    expect((await sluice('backtest', 'a.yaml', '--json')).err).toBe('');
    const after = kept();
    expect(after).toHaveLength(before.length + 1);
    expect((await sluice('backtest', 'a.yaml', '--no-keep')).err).toBe('');
    expect((await sluice('backtest', 'a.yaml', '--param', 'fast=none')).code).not.toBe(0);
    expect(kept()).toEqual(after);
  });
});

describe('sluice report', () => {
  it('backtests a config and writes one page', async () => {
    const { code, out } = await sluice('report', 'a.yaml', '--json');
    expect(code).toBe(0);
    const { path, bytes } = JSON.parse(out);
    expect(path).toBe('.sluice/reports/a.html');
    expect(statSync(join(project, path)).size).toBe(bytes);
    expect(readFileSync(join(project, path), 'utf8')).toContain('<h1>sma-cross: backtest 2019-01-02');
  });

  it('names the page after the whole folder of a bot, including the dots of an address', async () => {
    const [newest = ''] = readdirSync(join(project, '.sluice/backtests'));
    const folder = join(project, '127.0.0.1-7070-paper');
    cpSync(join(project, '.sluice/backtests', newest), folder, { recursive: true });
    const { out } = await sluice('report', folder, '--json');
    expect(JSON.parse(out).path).toBe('.sluice/reports/127.0.0.1-7070-paper.html');
    rmSync(folder, { recursive: true });
  });

  it('writes to the given path', async () => {
    expect((await sluice('report', 'a.yaml', '--out', 'deep/er/page.html')).out).toContain(
      'deep/er/page.html',
    );
    expect(statSync(join(project, 'deep/er/page.html')).size).toBeGreaterThan(100_000);
  });

  it('refuses a folder as the file, and a file as the folder', async () => {
    mkdirSync(join(project, 'folder'));
    for (const out of ['folder', 'a.yaml/page.html']) {
      const { code, err } = await sluice('report', 'a.yaml', '--out', out);
      expect(code).toBe(3);
      expect(err).toContain(`Cannot write the report to "${out}"`);
      expect(err).not.toMatch(/Unexpected error|^\s+at /m);
    }
  });

  it('reads what a paper run saved next to its journal', async () => {
    expect((await sluice('run', 'a.yaml')).code).toBe(0);
    const runs = readdirSync(join(project, '.sluice/runs'));
    expect(runs).toHaveLength(1);
    const folder = join('.sluice/runs', runs[0] ?? '');
    expect((await sluice('report', folder, '--out', 'paper.html')).code).toBe(0);
    expect(readFileSync(join(project, 'paper.html'), 'utf8')).toContain('<h1>sma-cross: paper');
    // Its strategy's series equal those of the backtest, which computes them in another way.
    const chartOf = (path: string): RunPage['charts'][number] | undefined =>
      (JSON.parse(readFileSync(join(project, path, 'run.json'), 'utf8')) as RunPage).charts[0];
    const tested = /^The run is kept in (\S+),/m.exec((await sluice('report', 'a.yaml')).out)?.[1] ?? '';
    const { indicators = [] } = chartOf(folder) ?? {};
    expect(indicators.map(({ name }) => name)).toEqual(['sma(close,10)', 'sma(close,30)']);
    expect(indicators).toEqual(chartOf(tested)?.indicators);
    const compared = JSON.parse((await sluice('compare', 'a.yaml', folder, '--json')).out);
    const closing = compared.figures.find(({ name }: { name: string }) => name === 'Final equity');
    expect(closing.a).toBe(closing.b);
    expect(compared.caveats).toContain('Modes differ: backtest / paper');
  });

  it('explains that a killed bot has saved no run to compare', async () => {
    mkdirSync(join(project, 'killed'));
    writeFileSync(join(project, 'killed/journal.db'), '');
    const { code, err } = await sluice('compare', 'a.yaml', 'killed');
    expect(code).toBe(3);
    expect(err).toContain(
      'there is no "run.json" in that folder, as its bot still runs or did not end in good order',
    );
  });

  it('explains what a run is when it gets something else, and writes nothing', async () => {
    writeFileSync(join(project, 'no-run.json'), '{"schema":"else"}');
    mkdirSync(join(project, 'empty'));
    for (const named of ['nowhere', 'no-run.json', 'empty']) {
      const { code, err } = await sluice('report', named, '--out', 'never.html');
      expect(code).toBe(3);
      expect(err).toContain(`Cannot read the run "${named}"`);
      expect(err).not.toMatch(/^\s+at /m);
    }
    expect(() => statSync(join(project, 'never.html'))).toThrow();
  });
});

describe('sluice compare', () => {
  it('shows two configs figure by figure', async () => {
    const { code, out } = await sluice('compare', 'a.yaml', 'b.yaml');
    expect(code).toBe(0);
    expect(out).toContain('- params: { weight: 25% }');
    expect(out).toContain('+ params: { weight: 10% }');
    expect(out).toContain('Final equity');
  });
});
