import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indicatorVerdicts } from './indicator-verdicts.ts';

/** Three constant days, then 12 and 9 in the middle of a range of two. */
const CLOSES = [10, 10, 10, 12, 9];

/** Figures of TA-Lib 0.8.1 over these bars, except those of the first four. */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  empty: { sma2: ['', '10', '10', '11', '10.5'], tema20: ['', '', '', '', ''] },
  none: { tema20: ['', '', '', '', ''], sma9: ['', '', '', '', ''] },
  inherited: { constructor: ['1', '1', '1', '1', '1'] },
  stamps: {
    timestamp: ['4', '5', '6', '7', '8'].map((day) => `2024-03-0${day}T04:00:00Z`),
    sma2: ['', '10', '10', '11', '10.5'],
  },
  unknown: { wisdom5: ['1', '1', '1', '1', '1'], sma2: ['', '10', '10', '11', '10.5'] },
  'unknown-wrong': { wisdom5: ['1', '1', '1', '1', '1'], sma2: ['', '10', '10', '11', '10.6'] },
  zeroes: {
    rsi2: ['', '', '0', '100', '25'],
    ultosc_1_1_2: ['', '', '0', '66.66666667', '27.55102041'],
    stochf_k_1_1: ['0', '0', '0', '50', '50'],
    bop: ['0', '0', '0', '0', '0'],
  },
  further: {
    max2: ['', '10', '10', '12', '12'],
    rocr1: ['', '1', '1', '1.2', '0.75'],
    rocp1: ['', '0', '0', '0.2', '-0.25'],
    trima3: ['', '', '10', '10.5', '10.75'],
    linreg_slope2: ['', '0', '0', '2', '-3'],
    tsf2: ['', '10', '10', '14', '6'],
    midprice2: ['', '10', '10', '11.5', '10.5'],
    wclprice: ['10', '10', '10', '12', '9'],
  },
  ttr: {
    sma2_ttr: ['', '10', '10', '11', '10.5'],
    willr1_ttr: ['-50', '-50', '-50', '-50', '-50'],
  },
  'ttr-sar': { sar_ttr: ['10', '10', '10', '10', '11'] },
  single: {
    natr1: ['', '0', '0', '3', '4'],
    plus_di1: ['', '0', '0', '1', '0'],
    minus_di1: ['', '0', '0', '0', '0.75'],
  },
  still: { sma1: CLOSES.map(String), stddev2_pop: ['', '0.0000003', '0', '1', '1.5'] },
  'still-wrong': { sma1: CLOSES.map(String), stddev2_pop: ['', '0.000003', '0', '1', '1.5'] },
};

describe('a folder of columns', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-columns-'));
    mkdirSync(join(folder, 'A.US'));
    const days = CLOSES.map((close, day) => {
      const half = day < 3 ? 0 : 1;
      return `2024-03-0${day + 4}T05:00:00Z,${close},${close + half},${close - half},${close},900`;
    });
    writeFileSync(join(folder, 'A.US/1d.csv'), `timestamp,open,high,low,close,volume\n${days.join('\n')}\n`);
    for (const [id, columns] of Object.entries(COLUMNS)) {
      const fed = { code: 'A.US', file: 'A.US/1d.csv', from: '2024-03-04', to: '2024-03-08' };
      const data = { ...fed, sha256: '0'.repeat(64) };
      const names = Object.keys(columns);
      writeFileSync(
        join(folder, `${id}.json`),
        JSON.stringify({ id, columns: names.filter((name) => name !== 'timestamp'), data }),
      );
      const rows = CLOSES.map((_, row) => names.map((name) => columns[name]?.[row]).join(','));
      writeFileSync(join(folder, `${id}.csv`), `${names.join(',')}\n${rows.join('\n')}\n`);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const verdict = (id: string) => [...indicatorVerdicts(folder, folder, id)][0];

  it('passes with a remark when a column is too long for its file, and fails when all are', () => {
    expect(verdict('empty')).toEqual({ id: 'empty', problem: undefined, remark: 'no value in tema20' });
    expect(verdict('none')?.problem).toMatch(/^it has no value at all to compare/);
  });

  it('names unknown columns, after any value that differs', () => {
    expect(verdict('unknown')?.problem).toContain(
      'no indicator of ours for "wisdom5"; the other 1 columns agree',
    );
    expect(verdict('inherited')?.problem).toMatch(/^no indicator of ours for "constructor"/);
    expect(verdict('unknown-wrong')?.problem).toMatch(/^sma2, row 4: want 10.6, got 10.5/);
  });

  it('reports rows at other instants than the bars, and bars of another file', () => {
    expect(verdict('stamps')?.problem).toBe(
      'stamp of row 0: want 2024-03-04T04:00:00Z, got 2024-03-04T05:00:00.000Z',
    );
    expect(verdict('unknown-wrong')?.problem).toMatch(
      / \("A.US\/1d.csv" is not the file that it was made from: another sha256\)$/,
    );
  });

  it("accepts TA-Lib's zeros where nothing moved, and recognises its other functions by their names", () => {
    expect(verdict('zeroes')?.problem).toBeUndefined();
    expect(verdict('further')?.problem).toBeUndefined();
  });

  it('accepts its definitions over a single bar, and one-pass variance to the digits that it keeps', () => {
    expect(verdict('single')?.problem).toBeUndefined();
    expect(verdict('still')?.problem).toBeUndefined();
    expect(verdict('still-wrong')?.problem).toMatch(/^stddev2_pop, row 1: want 0.000003, got 0/);
  });

  it('accepts columns of the other library with the same meaning, and its middle of no range', () => {
    expect(verdict('ttr')?.problem).toBeUndefined();
    expect(verdict('ttr-sar')?.problem).toMatch(/^no indicator of ours for "sar_ttr"/);
  });
});
