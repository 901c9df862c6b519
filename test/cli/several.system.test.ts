import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sluice } from './run-sluice.ts';

const CONFIG = 'config/two-strategies.yaml';

describe('the summary of several strategies before a run', () => {
  it('explains each with its parameters and limits, and the worst case of all together', async () => {
    const { code, out } = await sluice(['explain', CONFIG, '--json']);
    expect(code).toBe(0);
    const { said } = JSON.parse(out) as { said: { title: string; sentences: string[] }[] };
    const part = (title: string) => said.find((each) => each.title === title)?.sentences ?? [];
    expect(part('What it does')[0]).toBe(
      '2 strategies share one account, called in this order: "trend", "dips"',
    );
    expect(part('What "trend" does')).toContain('slow = 40: bars in the slow average');
    expect(part('What "trend" does').at(-1)).toBe(
      'Its own limits, in addition to those of the account: maxPositionWeight 40%',
    );
    expect(part('What "dips" does').at(-1)).toBe(
      'Its own limits, in addition to those of the account: maxPositionWeight 45%, maxDailyLoss 3%',
    );
    expect(part('The worst case').slice(0, 2)).toEqual([
      'Maximum share of equity of each: "trend" 40%, "dips" 45%; 85% in total',
      'The limits of the account allow 80% in total: first come, first served',
    ]);
  });

  it('lists each in a check', async () => {
    const { code, out } = await sluice(['check', CONFIG]);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      `${CONFIG}: ok`,
      '  trend: sma-cross on SPX.US (fast 10, slow 40, weight 0.3); maxPositionWeight 40%',
      '  dips: mean-reversion on SPX.US (length 20, entry 2, weight 0.4); maxPositionWeight 45%, maxDailyLoss 3%',
      '',
    ]);
    const json = JSON.parse((await sluice(['check', CONFIG, '--json'])).out) as { strategies: unknown[] };
    expect(json.strategies[1]).toEqual({
      ...{ config: CONFIG, name: 'dips', strategy: 'mean-reversion', symbols: ['SPX.US'] },
      params: { length: 20, entry: 2, weight: 0.4 },
      limits: ['maxPositionWeight 45%', 'maxDailyLoss 3%'],
    });
  });
});

interface Told {
  readonly figures: { readonly initialEquity: number; readonly finalEquity: number };
  readonly flow: { readonly orders: number; readonly fills: number };
  readonly strategies: readonly {
    readonly name: string;
    readonly orders: number;
    readonly fills: number;
    readonly profit: number;
    readonly quarantined: boolean;
  }[];
}

describe('the report of several strategies', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'sluice-reported-'));
  let [backtest, paper]: [string, string] = ['', ''];
  beforeAll(async () => {
    mkdirSync(join(cwd, 'config'));
    cpSync(CONFIG, join(cwd, CONFIG));
    const yaml = readFileSync(join(cwd, CONFIG), 'utf8').replace('from: 2015-01-02', 'from: 2019-07-01');
    writeFileSync(join(cwd, CONFIG), yaml);
    backtest = (await sluice(['backtest', CONFIG, '--json'], { cwd })).out;
    paper = (await sluice(['run', CONFIG, '--json'], { cwd })).out;
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  it('shows the orders and profit of each strategy, which add up to the totals, on paper and in backtest', () => {
    const { strategies, figures, flow } = JSON.parse(backtest) as Told;
    const sum = (of: (each: Told['strategies'][number]) => number): number =>
      strategies.reduce((all, each) => all + of(each), 0);
    expect(strategies.map(({ name, quarantined }) => [name, quarantined])).toEqual([
      ['trend', false],
      ['dips', false],
    ]);
    expect(strategies.every(({ fills }) => fills > 0)).toBe(true);
    expect([sum(({ orders }) => orders), sum(({ fills }) => fills)]).toEqual([flow.orders, flow.fills]);
    expect(sum(({ profit }) => profit)).toBeCloseTo(figures.finalEquity - figures.initialEquity, 6);
    const onPaper = (JSON.parse(paper) as Told).strategies;
    expect(onPaper.map((each) => ({ ...each, profit: each.profit.toFixed(6) }))).toEqual(
      strategies.map((each) => ({ ...each, profit: each.profit.toFixed(6) })),
    );
  });

  it('shows them in the report, and on its page', async () => {
    const { out } = await sluice(['backtest', CONFIG], { cwd });
    expect(out).toMatch(/Strategy │ Orders │ Denied │ Fills │ +Fees │ +Profit │ State/);
    expect(out).toMatch(/│ dips +│ +\d+ │ +0 │ +\d+ │ +[\d.]+ USD │ +-?[\d,.]+ USD │ at work │/);
    expect((await sluice(['report', CONFIG], { cwd })).code).toBe(0);
    const page = readFileSync(join(cwd, '.sluice/reports/two-strategies.html'), 'utf8');
    expect(page).toContain('<th scope="row">dips</th>');
  });

  it('names them in the status, and the strategy of each order', async () => {
    const status = await sluice(['status'], { cwd });
    const lines = status.out.split('\n').filter((line) => line.includes(': at work, holds '));
    expect(lines[0]).toMatch(/^strategies (?:trend|dips): /);
    expect(lines.map((line) => line.slice(11).split(':')[0]).toSorted()).toEqual(['dips', 'trend']);
    expect((await sluice(['why', '#1'], { cwd })).out).toMatch(/"(?:trend|dips)" wants to buy/);
  });
});

describe('commands for one strategy of several', () => {
  it('include its parameters, by its name', async () => {
    const changed = await sluice(['backtest', CONFIG, '--json', '--param', 'dips.length=30']);
    const plain = await sluice(['backtest', CONFIG, '--json']);
    const [now, before] = [changed, plain].map(({ out }) => (JSON.parse(out) as Told).strategies);
    expect(now?.[0]?.fills).toBe(before?.[0]?.fills);
    expect(now?.[1]?.fills).not.toBe(before?.[1]?.fills);
  });

  it.each([
    ['length=30', 'it does not name the strategy, want "trend.length" or "dips.length"'],
    ['dip.length=30', 'no strategy is named "dip", want "trend.length" or "dips.length"'],
    [
      'dips.lengt=30',
      'Cannot set parameter "dips.lengt" to "30", want a declared parameter (length, entry, weight)',
    ],
  ])('is refused as %s', async (param, words) => {
    const { code, err } = await sluice(['backtest', CONFIG, '--param', param]);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });

  it('do not include watching its files', async () => {
    const { code, err } = await sluice(['run', CONFIG, '--watch']);
    expect(code).toBe(2);
    expect(err).toContain('Cannot watch the files of several strategies');
  });
});
