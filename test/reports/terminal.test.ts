import { describe, expect, it } from 'vitest';
import { FillLog } from '../../src/events/curve/fill-columns.ts';
import type { RunRecord } from '../../src/events/run-record.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { estimate, noEstimate } from '../../src/reports/estimate.ts';
import { inkFor } from '../../src/reports/ink.ts';
import { reportJson } from '../../src/reports/json.ts';
import { originLabel } from '../../src/reports/origin.ts';
import { summaryText } from '../../src/reports/summary.ts';
import { terminalReport } from '../../src/reports/terminal.ts';
import { aFill, aRun, aSecurity, GENERATED } from './a-run.ts';

const plain = { colour: false };
const explained = { colour: false, explained: true };
const equity = Array.from({ length: 120 }, (_, index) => 100_000 + 40 * index + 3_000 * Math.sin(index / 9));
const fills = [
  aFill('buy', 17, '1400.5', { fee: aFill('buy', 1, '1').fee.times('1.23') }),
  aFill('sell', 17, '1466', { day: 40 }),
  aFill('buy', 18, '1390', { day: 50 }),
  aFill('sell', 18, '1352.25', { day: 61 }),
  aFill('buy', 16, '1401', { day: 90 }),
];
const real = aRun(equity, { fills, journal: '.sluice/runs/1/journal.sqlite' });
const demo = aSecurity({
  symbol: securitySymbol('DEMO.HK'),
  kind: 'stock',
  origin: GENERATED,
  currency: 'HKD',
});
const generated = aRun([100_500, 99_800], {
  config: 'config/hk.yaml',
  mode: 'paper',
  currency: 'HKD',
  securities: [demo],
});

const hold = {
  totalReturn: estimate(0.2),
  cagr: estimate(0.74),
  maxDrawdown: estimate(0.1),
  sharpe: noEstimate('no data'),
  sortino: estimate(1.5),
  volatility: estimate(0.2),
  finalEquity: estimate(120_000),
  hasDividends: true,
};

/** A text without its colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape character
const uncoloured = (text: string): string => text.replace(/\u001b\[[\d;]*m/g, '');
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => Array.from(line).length));

describe('terminalReport', () => {
  it('equals the committed summary, and with explanations the committed page', async () => {
    await expect(terminalReport(real, { ...plain, hold })).toMatchFileSnapshot('golden/summary-run.txt');
    await expect(terminalReport(real, { ...explained, hold })).toMatchFileSnapshot('golden/report.txt');
  });

  it('fits a screen of 24 rows with a prompt below, and explains nothing by default', () => {
    const denied = Array.from({ length: 5 }, (_, index) => ({
      rule: `rule-${index}`,
      count: 1,
      firstAt: real.from,
      reason: 'Order too large',
    }));
    const runs = [real, generated, aRun([]), { ...real, denials: denied }];
    for (const run of runs) {
      const text = terminalReport(run, { ...plain, hold });
      expect(text.split('\n').length).toBeLessThanOrEqual(24);
      expect(text).toMatch(/^\d+ assumptions? of the model, definitions, all figures: /m);
      expect(text).not.toContain('Assumptions\n');
    }
    expect(terminalReport({ ...real, denials: denied }, plain)).toContain('  and 3 more\n');
    expect(terminalReport({ ...real, denials: denied }, explained)).toContain('rule-4');
    const saved = terminalReport({ ...generated, journal: '.sluice/runs/1/journal.db' }, plain);
    expect(saved).toContain('all figures:\n  sluice report .sluice/runs/1\n');
  });

  it('shows buy and hold next to the result, and names undefined figures', () => {
    const text = terminalReport(real, { ...plain, hold });
    expect(text).toMatch(/^Return {2,}\+6\.59% {2,}\+20\.00% {2}Trades/m);
    expect(text).toMatch(/^Sharpe {2,}\S+ {2,}- {2}Orders/m);
    expect(terminalReport(real, plain)).not.toContain('Buy and hold');
    expect(terminalReport(aRun([100_500]), plain).replace(/\s+/g, ' ')).toContain(
      'Not computed: CAGR: too short a run (under 90 days); Sharpe, Sortino, volatility: too few samples (1 of 30 days)',
    );
  });

  it('shows in capitals that prices are generated', () => {
    expect(terminalReport(generated, plain)).toContain('GENERATED PRICES');
    const text = terminalReport(generated, explained);
    expect(text).toContain('DEMO.HK (S&P 500): GENERATED, no market ever had these prices; seed 7, a walk');
    expect(text).not.toContain('REAL');
  });

  it('shows that an index was made tradable, and only that', () => {
    expect(terminalReport(real, plain).replace(/\s+/g, ' ')).toContain('an INDEX MADE TRADABLE');
    expect(terminalReport(generated, plain)).not.toContain('INDEX');
  });

  it('needs no decisions if the fills of the run are in columns', () => {
    const log = new FillLog();
    log.add({ security: 0, at: real.from, price: 1400, quantity: 2, fee: 1_000_000, by: 0, order: 0 });
    const run = aRun(equity);
    const { decisions: _, ...undecided } = run;
    const record: RunRecord = {
      ...undecided,
      flow: { ...run.flow, denied: 0 },
      fillColumns: log.columns(),
    };
    expect(terminalReport(record, plain)).toContain('0 closed, 1 open');
    expect(summaryText([record], plain)).toContain('backtest');
    expect(reportJson(record).open).toHaveLength(1);
  });

  it('draws no equity line across real and generated prices', () => {
    const text = terminalReport(aRun(equity, { securities: [aSecurity(), demo] }), plain);
    expect(text).toContain('REAL AND GENERATED PRICES');
    expect(text).toContain('No equity line');
    expect(text).not.toMatch(/[\u2801-\u28ff]/);
  });

  it('fits 80 columns, and shows the same with colour as without', () => {
    for (const run of [real, generated, aRun([])]) {
      const text = `${terminalReport(run, plain)}${terminalReport(run, { ...explained, hold })}`;
      expect(widest(text)).toBeLessThanOrEqual(80);
      expect(uncoloured(text)).toBe(text);
      const colour = { colour: true };
      const shown = `${terminalReport(run, colour)}${terminalReport(run, { ...colour, explained: true, hold })}`;
      expect(uncoloured(shown)).toBe(text);
    }
  });

  it('lists at most ten securities and counts the others', () => {
    const many = (count: number) =>
      aRun([1], { securities: Array.from({ length: count }, () => aSecurity()) });
    expect(terminalReport(many(10), explained)).not.toContain('  and');
    expect(terminalReport(many(11), explained)).toContain('  and 1 more\n');
    expect(terminalReport(many(11), plain)).toContain('SPX.US (an INDEX MADE TRADABLE) and 9 more\n');
  });

  it('prints no control character of a name', () => {
    const evil = aSecurity({ names: { en: '\u001b[2Jgone\nREAL', zhCn: '', zhHk: '' } });
    const text = terminalReport(aRun([1], { securities: [evil], strategy: 'a\u001b]0;b' }), explained);
    expect(uncoloured(text)).not.toContain('\u001b');
    expect(text).toContain('\\u001b[2Jgone\\u000aREAL');
  });
});

describe('summaryText', () => {
  const runs = [real, { ...real, mode: 'paper' as const }, generated];

  it('equals the committed tables, one per config', async () => {
    await expect(summaryText(runs, plain)).toMatchFileSnapshot('golden/summary.txt');
  });

  it('fits 80 columns and shows each origin with its table', () => {
    const text = summaryText(runs, plain);
    expect(widest(text)).toBeLessThanOrEqual(80);
    expect(text.match(/^config\/.*$/gm)).toEqual([
      'config/sma-cross.yaml  sma-cross  REAL PRICES',
      'config/hk.yaml  sma-cross  GENERATED PRICES',
    ]);
  });
});

describe('originLabel', () => {
  it('marks prices that are not real by colour and by text', () => {
    const ink = inkFor(true);
    expect(originLabel('generated', ink)).toBe('\u001b[30;43mGENERATED PRICES\u001b[39;49m');
    expect(originLabel('real', ink)).not.toContain('43m');
  });
});
