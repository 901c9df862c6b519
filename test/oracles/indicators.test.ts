import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Period } from '#src/model/period.ts';
import { readRows, toColumns } from './csv-bars.ts';
import { compareIndicators, ORACLE_COLUMNS } from './indicators.ts';

const SHARED = '../shared';
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

describe.skipIf(!existsSync(`${SHARED}/oracles/indicators`))('indicators over real prices', () => {
  for (const [id, period] of Object.entries(PERIODS)) {
    it(`equal every column that TA-Lib and TTR computed on ${id}`, () => {
      const folder = `${SHARED}/oracles/indicators`;
      const oracle: OracleFile = JSON.parse(readFileSync(`${folder}/${id}.json`, 'utf8'));
      const { code, file, from, to } = oracle.data;
      const fed = readRows(`${SHARED}/market-data/${file}`).filter(
        ({ timestamp = '' }) => timestamp >= from && timestamp <= to,
      );
      const rows = readRows(`${folder}/${oracle.csv}`);
      const compared = compareIndicators(rows, oracle, toColumns(fed, code, period));
      expect(compared.filter((column) => !column.pass)).toEqual([]);
      expect(compared.map(({ column }) => column)).toEqual(oracle.columns);
      expect(rows.length).toBe(fed.length);
    });
  }

  it('cover at least fifty columns', () => {
    expect(Object.keys(ORACLE_COLUMNS).length).toBeGreaterThanOrEqual(50);
  });
});
