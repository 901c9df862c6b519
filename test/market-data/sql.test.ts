import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { querySql, SQL_PACKAGE, type SqlResult, viewsOf } from '../../src/market-data/sql.ts';
import { barText, put, temporaryFolder } from './fixtures.ts';

const PROJECT = new URL('../..', import.meta.url).pathname;
const ask = (dir: string, question: string): Promise<SqlResult> =>
  querySql(question, { dir, project: PROJECT });

function aStore(): string {
  const dir = temporaryFolder();
  put(dir, '700.HK/1d.csv', barText('2024-01-02,10,12,9,11,100', '2024-01-03,10,12,9,11.5,100'));
  put(dir, 'AAPL.US/1m.ext.csv', barText('2024-01-02T14:30:00Z,10,12,9,11,100', '1704205860,10,12,9,10,100'));
  return dir;
}

describe('viewsOf', () => {
  it('creates a view per series and one over all of them', () => {
    const [tencent, apple, all, ...others] = viewsOf(aStore());
    expect(tencent).toContain('create view "700.HK/1d" as');
    expect(apple).toContain('create view "AAPL.US/1m.ext" as');
    expect(all).toContain(`'AAPL.US' as symbol, '1m' as period, 'ext'::varchar as variant`);
    expect(others).toEqual([]);
  });

  it('quotes folder names', () => {
    const dir = temporaryFolder();
    put(dir, "o'clock/700.HK/1d.csv", barText('2024-01-02,10,12,9,11,100'));
    expect(viewsOf(`${dir}/o'clock`)[0]).toContain(`${dir}/o''clock/700.HK/1d.csv'`);
  });
});

describe('askSql without DuckDB', () => {
  const nowhere = (dir: string) => ({
    dir,
    project: join(dir, 'project'),
    resolveFrom: join(dir, 'missing.js'),
  });

  it('does not accept another package of that name', async () => {
    const dir = aStore();
    put(dir, join('project/node_modules', SQL_PACKAGE, 'index.js'), 'module.exports = { other: true };');
    await expect(querySql('select 1', nowhere(dir))).rejects.toMatchObject({
      code: 'missing-package',
      message: expect.stringContaining('has no DuckDBInstance'),
    });
  });

  it('reports how to install it', async () => {
    await expect(querySql('select 1', nowhere(aStore()))).rejects.toMatchObject({
      code: 'missing-package',
      message: expect.stringContaining('npm install @duckdb/node-api'),
    });
  });
});

describe('askSql', () => {
  it('answers over all series and over one', async () => {
    const dir = aStore();
    const all = await ask(
      dir,
      'select symbol, period, variant, max(close) as top from bars group by all order by all',
    );
    expect(all).toEqual({
      columns: ['symbol', 'period', 'variant', 'top'],
      rows: [
        ['700.HK', '1d', null, 11.5],
        ['AAPL.US', '1m', 'ext', 11],
      ],
    });
    const one = await ask(dir, 'select epoch_ms("timestamp")::double as at from "AAPL.US/1m.ext"');
    expect(one.rows).toEqual([[Date.parse('2024-01-02T14:30:00Z')], [Date.parse('2024-01-02T14:31:00Z')]]);
  });

  it('reads no file outside the store, and reports errors of a query', async () => {
    await expect(ask(aStore(), `select * from read_text('/etc/hostname')`)).rejects.toMatchObject({
      code: 'bad-query',
    });
    await expect(ask(aStore(), 'selekt 1')).rejects.toMatchObject({ code: 'bad-query' });
  });
});
