import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectRuns } from '#src/app/dashboard/project-runs.ts';
import { runBacktest } from '#src/backtest/run-backtest.ts';
import { type RunPage, runPage } from '#src/reports/run-page.ts';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { setupOf } from '../../fixtures/backtest.ts';
import { bars } from '../../simulation/world.ts';

const holder = defineStrategy({
  name: 'holder',
  params: {},
  onBar: ({ symbol }, { position, orders }) =>
    position(symbol).quantity === 0 ? orders.buy(symbol, 100) : undefined,
});

/** The saved record of a backtest that buys at 10 and ends at `last`. */
function pageOf(last: number, yaml = 'strategy: holder'): RunPage {
  const days = [
    ['2024-03-04T00:00:00-05:00', 10, 10, 10, 10, 1_000],
    ['2024-03-05T00:00:00-05:00', 10, 10, 10, 10, 1_000],
    ['2024-03-06T00:00:00-05:00', last, last, last, last, 1_000],
  ] as const;
  const record = runBacktest(setupOf(holder, [bars('AAPL.US', '1d', days)]));
  return runPage(record, [], { yaml, yamlSha256: '', strategySha256: '', sluice: '', node: '' });
}

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-runs-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function keep(path: string, content: unknown): void {
  const file = join(project, '.sluice', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

describe('the runs of a project', () => {
  it('are none in an empty project', async () => {
    expect(await projectRuns(project).list()).toEqual([]);
  });

  it('have the figures of backtests, and the best trial and objective of sweeps', async () => {
    const page = pageOf(12);
    keep('backtests/one/run.json', page);
    keep(
      'sweeps/two/result.json',
      '{"schema":"sluice.sweep/1","config":"a.yaml","strategy":"holder","from":"2024-01-01","to":"2024-12-31","objective":"sharpe",\n"best": [\n{"trial":3,"objective":1.25}\n],\n"trials": [\n]}\n',
    );
    const rows = await projectRuns(project).list();
    expect(rows.find(({ kind }) => kind === 'backtests')).toMatchObject({
      name: 'one',
      strategy: 'holder',
      figures: { totalReturn: page.report.figures.totalReturn },
      isComparable: true,
      hasReport: true,
      problem: null,
    });
    expect(rows.find(({ kind }) => kind === 'sweeps')).toMatchObject({
      name: 'two',
      config: 'a.yaml',
      objective: { text: 'sharpe', best: 1.25 },
      isComparable: false,
      hasReport: false,
    });
  });

  it('state what is wrong with a file that cannot be read, and have no report of it', async () => {
    keep('backtests/cut/run.json', '{"schema":');
    keep('backtests/other/run.json', { schema: 'sluice.run/999', report: {} });
    for (const row of await projectRuns(project).list())
      expect(row).toMatchObject({ problem: expect.stringMatching(/JSON|schema/), hasReport: false });
  });

  it('are read completely if the result is one long line', async () => {
    const folds = Array.from({ length: 10_000 }, (_, index) => ({
      fold: index,
      from: '2024-01-01',
      sharpe: 1.5,
    }));
    const head = { schema: 'sluice.cross-validation/1', config: 'a.yaml', strategy: 'holder' };
    keep('cross-validation/long/result.json', { ...head, folds });
    expect(await projectRuns(project).list()).toMatchObject(
      [{ ...head, schema: undefined, problem: null }].map(({ schema: _, ...row }) => row),
    );
  });

  it('begin on the day of their first close, and yield to other work while they are read', async () => {
    const page = pageOf(12);
    const equity = [['2024-03-05T08:00:00.000Z', 100]];
    const report = { ...page.report, from: '2024-03-04T16:00:00.000Z', equity };
    for (const name of ['a', 'b', 'c']) keep(`backtests/${name}/run.json`, { ...page, report });
    const runs = projectRuns(project);
    let turns = 0;
    const count = () => {
      turns += 1;
      turn = setImmediate(count);
    };
    let turn = setImmediate(count);
    const rows = await runs.list();
    clearImmediate(turn);
    expect(rows.map(({ from }) => from)).toEqual(['2024-03-05', '2024-03-05', '2024-03-05']);
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(runs.find({ kind: 'backtests', name: 'b' })).toEqual(rows.find(({ name }) => name === 'b'));
    expect(runs.find({ kind: 'backtests', name: 'd' })).toBeUndefined();
  });

  it('are read again once their file has changed', async () => {
    const runs = projectRuns(project);
    keep('backtests/one/run.json', '{');
    expect((await runs.list())[0]?.problem).not.toBeNull();
    keep('backtests/one/run.json', pageOf(12));
    const again = (await projectRuns(project).list())[0];
    expect(again?.problem).toBeNull();
  });

  it('are compared figure by figure, with their curves', () => {
    keep('backtests/a/run.json', pageOf(12, 'strategy: holder\nperiod: 1d'));
    keep('backtests/b/run.json', pageOf(8, 'strategy: holder'));
    const runs = projectRuns(project);
    const found = runs.compare({ kind: 'backtests', name: 'a' }, { kind: 'backtests', name: 'b' });
    const total = found?.comparison.figures.find(({ name }) => name === 'Return');
    expect(total?.a).toBeGreaterThan(0);
    expect(total?.b).toBeLessThan(0);
    expect(found?.comparison.onlyInA).toEqual(['period: 1d']);
    expect(found?.caveats).toEqual([{ kind: 'few-trades', least: 30 }]);
    expect(found?.curves.a.initial).toBe(pageOf(12).report.figures.initialEquity);
    expect(found?.curves.a.time.length).toBe(found?.curves.a.equity.length);
    expect(runs.compare({ kind: 'backtests', name: 'a' }, { kind: 'backtests', name: 'c' })).toBeUndefined();
    expect(runs.compare({ kind: 'sweeps', name: 'a' }, { kind: 'backtests', name: 'b' })).toBeUndefined();
  });

  it('are found by the name of an existing folder, and never by a path or a link', () => {
    keep('backtests/a/run.json', pageOf(12));
    keep('sweeps/s/report.html', '<p>a report</p>');
    mkdirSync(join(project, 'outside'));
    writeFileSync(join(project, 'outside/report.html'), '<p>secret</p>');
    symlinkSync(join(project, 'outside'), join(project, '.sluice/sweeps/linked'));
    mkdirSync(join(project, '.sluice/sweeps/file'));
    symlinkSync(join(project, 'outside/report.html'), join(project, '.sluice/sweeps/file/report.html'));
    const { report } = projectRuns(project);
    expect(report({ kind: 'sweeps', name: 's' })).toEqual({ html: '<p>a report</p>', origin: 'stored' });
    expect(report({ kind: 'backtests', name: 'a' })?.origin).toBe('own');
    for (const name of ['linked', 'file', '../../outside', '..', '.', 's/../s', ''])
      expect(report({ kind: 'sweeps', name })).toBeUndefined();
  });
});
