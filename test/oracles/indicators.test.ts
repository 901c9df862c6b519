import { describe, expect, it } from 'vitest';
import type { Period } from '#src/model/period.ts';
import { readRows, toColumns } from './csv-bars.ts';
import { compareIndicators } from './indicators.ts';
import { readJson } from './oracle-file.ts';

const INDICATORS = 'test/oracles/data/indicators';
const PERIODS: Readonly<Record<string, Period>> = {
  'aapl-1m': '1m',
  'goog-1d': '1d',
  'hsi-1h': '1h',
  'spy-1d-adj': '1d',
};

interface OracleFile {
  readonly id: string;
  readonly columns: readonly string[];
  readonly csv: string;
  readonly data: { readonly code: string; readonly file: string; readonly from: string; readonly to: string };
}

describe('indicators over real prices', () => {
  for (const [id, period] of Object.entries(PERIODS)) {
    it(`equal every column that TA-Lib and TTR computed on ${id}`, () => {
      const oracle: OracleFile = readJson(`${INDICATORS}/${id}.json`) as OracleFile;
      const { code, file, from, to } = oracle.data;
      const fed = readRows(`test/oracles/data/prices/${file}`).filter(
        ({ timestamp = '' }) => timestamp >= from && timestamp <= to,
      );
      const rows = readRows(`${INDICATORS}/${oracle.csv}`);
      const compared = compareIndicators(rows, oracle, toColumns(fed, code, period));
      expect(compared.filter((column) => !column.pass)).toEqual([]);
      expect(compared.map(({ column }) => column)).toEqual(oracle.columns);
      expect(rows.length).toBe(fed.length);
    });
  }

  it('cover at least fifty columns', () => {
    const columns = Object.keys(PERIODS).flatMap((id) => {
      const oracle: OracleFile = readJson(`${INDICATORS}/${id}.json`) as OracleFile;
      return oracle.columns;
    });
    expect(new Set(columns).size).toBeGreaterThanOrEqual(50);
  });
});

describe('a column named after an indicator', () => {
  const row = { timestamp: '', open: '2', high: '3', low: '1', close: '2', volume: '5' };
  const data = toColumns(
    [1, 2, 4, 8].map((close, day) => ({ ...row, timestamp: `2024-03-0${day + 4}`, close: `${close}` })),
    'A.US',
    '1d',
  );
  const verdict = (column: string, ...cells: readonly string[]) =>
    compareIndicators(
      cells.map((cell) => ({ [column]: cell })),
      { id: 'a', columns: [column] },
      data,
    )[0]?.pass;

  it('has its windows from that name', () => {
    expect(verdict('sma2', '', '1.5', '3', '6')).toBe(true);
    expect(verdict('sma3', '', '', '2.3333333', '4.6666667')).toBe(true);
    expect(verdict('sma3', '', '', '2.3333333', '4.6667')).toBe(false);
    expect(verdict('donchian_high3_ttr', '', 'nan', '3', '3')).toBe(true);
  });

  it('is refused for an unknown indicator', () => {
    expect(() => verdict('sma', '1')).toThrow(`No indicator of ours for the oracle's column "sma"`);
    expect(() => verdict('wisdom5', '1')).toThrow('"wisdom5"');
  });
});
