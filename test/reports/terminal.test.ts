import { describe, expect, it } from 'vitest';
import { FillLog } from '../../src/events/curve/fill-columns.ts';
import type { Decision, RunRecord } from '../../src/events/run-record.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { inkFor } from '../../src/reports/ink.ts';
import { reportJson } from '../../src/reports/json.ts';
import { originLabel } from '../../src/reports/origin.ts';
import { summaryText } from '../../src/reports/summary.ts';
import { terminalReport } from '../../src/reports/terminal.ts';
import { aFill, aRun, aSecurity, GENERATED } from './a-run.ts';

const plain = { colour: false };
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

/** What a terminal shows of a text with colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape character
const uncoloured = (text: string): string => text.replace(/\u001b\[[\d;]*m/g, '');
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => Array.from(line).length));

describe('terminalReport', () => {
  it('is the committed page', async () => {
    await expect(terminalReport(real, plain)).toMatchFileSnapshot('golden/report.txt');
  });

  it('says in capitals that prices are generated', () => {
    const text = terminalReport(generated, plain);
    expect(text).toContain('GENERATED PRICES');
    expect(text).toContain('DEMO.HK (S&P 500): GENERATED, no market ever had these prices; seed 7, a walk');
    expect(text).not.toContain('REAL');
  });

  it('says that an index was made tradable, and says it of nothing else', () => {
    expect(terminalReport(real, plain).replace(/\s+/g, ' ')).toContain('an INDEX MADE TRADABLE');
    expect(terminalReport(generated, plain)).not.toContain('INDEX');
  });

  it('reads no decisions of one strategy, none denied, whose fills are there in columns, as making them costs a run', () => {
    const log = new FillLog();
    log.add({ security: 0, at: real.from, price: 1400, quantity: 2, fee: 1_000_000, by: 0 });
    const run = aRun(equity);
    const record: RunRecord = {
      ...run,
      flow: { ...run.flow, denied: 0 },
      fillColumns: log.columns(),
      get decisions(): readonly Decision[] {
        throw new Error('The decisions were read');
      },
    };
    expect(terminalReport(record, plain)).toContain('0 closed, 1 open');
    expect(summaryText([record], plain)).toContain('backtest');
    expect(reportJson(record).open).toHaveLength(1);
  });

  it('draws no equity line where real and generated prices meet', () => {
    const text = terminalReport(aRun(equity, { securities: [aSecurity(), demo] }), plain);
    expect(text).toContain('REAL AND GENERATED PRICES');
    expect(text).toContain('No equity line');
    expect(text).not.toMatch(/[\u2801-\u28ff]/);
  });

  it('fits 80 columns, and shows the same with colour as without', () => {
    for (const run of [real, generated, aRun([])]) {
      const text = terminalReport(run, plain);
      expect(widest(text)).toBeLessThanOrEqual(80);
      expect(uncoloured(text)).toBe(text);
      expect(uncoloured(terminalReport(run, { colour: true }))).toBe(text);
    }
  });

  it('lists at most ten securities and counts the others', () => {
    const many = (count: number) =>
      aRun([1], { securities: Array.from({ length: count }, () => aSecurity()) });
    expect(terminalReport(many(10), plain)).not.toContain('more');
    expect(terminalReport(many(11), plain)).toContain('  and 1 more\n');
  });

  it('lets no name steer the terminal', () => {
    const evil = aSecurity({ names: { en: '\u001b[2Jgone\nREAL', zhCn: '', zhHk: '' } });
    const text = terminalReport(aRun([1], { securities: [evil], strategy: 'a\u001b]0;b' }), plain);
    expect(uncoloured(text)).not.toContain('\u001b');
    expect(text).toContain('\\u001b[2Jgone\\u000aREAL');
  });
});

describe('summaryText', () => {
  const runs = [real, { ...real, mode: 'paper' as const }, generated];

  it('is the committed tables, one per config', async () => {
    await expect(summaryText(runs, plain)).toMatchFileSnapshot('golden/summary.txt');
  });

  it('fits 80 columns and says each origin beside its own table', () => {
    const text = summaryText(runs, plain);
    expect(widest(text)).toBeLessThanOrEqual(80);
    expect(text.match(/^config\/.*$/gm)).toEqual([
      'config/sma-cross.yaml  sma-cross  REAL PRICES',
      'config/hk.yaml  sma-cross  GENERATED PRICES',
    ]);
  });
});

describe('originLabel', () => {
  it('marks what is not real in colour as well as in words', () => {
    const ink = inkFor(true);
    expect(originLabel('generated', ink)).toBe('\u001b[30;43mGENERATED PRICES\u001b[39;49m');
    expect(originLabel('real', ink)).not.toContain('43m');
  });
});
