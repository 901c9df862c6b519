import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { SecuritySymbol } from '../model/symbol.ts';
import { DataError } from './data-error.ts';
import { barFilesOf, symbolsIn } from './data-folder.ts';

/** The optional package that runs SQL. */
export const SQL_PACKAGE = '@duckdb/node-api';

export interface SqlResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The data folder, and the project in which the package may be installed. */
export interface SqlLocations {
  readonly dir: string;
  readonly project: string;
  /** A second file to resolve the package from; Sluice's own if absent. */
  readonly resolveFrom?: string;
}

interface SqlReader {
  columnNames(): string[];
  getRowsJson(): unknown[][];
}
interface SqlConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<SqlReader>;
  closeSync(): void;
}
interface SqlPackage {
  readonly DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<SqlConnection> }> };
}

/**
 * Runs an SQL query over the data folder: one view per series, named `"700.HK/1m"` or `"AAPL.US/1d.adj"`, and the
 * view `bars` over all of them with leading columns `symbol`, `period` and `variant`. Other files are not accessible.
 * Throws DataError: `missing-package` if DuckDB is not installed, `bad-query` with DuckDB's message.
 */
export async function querySql(
  query: string,
  { dir, project, resolveFrom }: SqlLocations,
): Promise<SqlResult> {
  const duckdb = loadPackage(project, resolveFrom ?? import.meta.url);
  const connection = await (await duckdb.DuckDBInstance.create(':memory:')).connect();
  try {
    await connection.run(`set timezone = 'UTC'`);
    await connection.run(`set allowed_directories = [${text(resolve(dir))}]`);
    await connection.run('set enable_external_access = false');
    for (const view of viewsOf(dir)) await connection.run(view);
    const reader = await connection.runAndReadAll(query);
    return { columns: reader.columnNames(), rows: reader.getRowsJson() };
  } catch (cause) {
    throw new DataError({
      code: 'bad-query',
      problem: `Cannot run the query: ${cause instanceof Error ? cause.message : String(cause)}`,
      advice: 'example: select symbol, period, count(*) from bars group by all',
      file: dir,
      cause,
    });
  } finally {
    connection.closeSync();
  }
}

/** Returns the statements that create the views; `bars` is empty if there is no series. */
export function viewsOf(dir: string): readonly string[] {
  const series = symbolsIn(dir).flatMap((symbol) => seriesOf(dir, symbol));
  const views = series.map(
    ({ name, path }) => `create view ${identifier(name)} as select * from ${reading(path)}`,
  );
  const parts = series.map(
    ({ symbol, period, variant, name }) =>
      `select ${text(symbol)} as symbol, ${text(period)} as period, ${variant === undefined ? 'null' : text(variant)}::varchar as variant, * from ${identifier(name)}`,
  );
  const none = `select ''::varchar as symbol, ''::varchar as period, ''::varchar as variant, now() as timestamp, 0::double as open, 0::double as high, 0::double as low, 0::double as close, 0::double as volume where false`;
  return [...views, `create view bars as ${[none, ...parts].join(' union all ')}`];
}

interface Series {
  readonly symbol: SecuritySymbol;
  readonly period: string;
  readonly variant: string | undefined;
  readonly name: string;
  readonly path: string;
}

function seriesOf(dir: string, symbol: SecuritySymbol): readonly Series[] {
  return barFilesOf(dir, symbol).map(({ period, variant, name }) => ({
    symbol,
    period,
    variant,
    name: `${symbol}/${name.replace(/\.csv(\.gz)?$/, '')}`,
    path: resolve(join(dir, symbol, name)),
  }));
}

/** Returns the subquery that reads a bar file; stamps are ISO-8601, days, or epoch seconds or milliseconds. */
function reading(path: string): string {
  const columns = `{'timestamp': 'varchar', 'open': 'double', 'high': 'double', 'low': 'double', 'close': 'double', 'volume': 'double'}`;
  const stamp = `case when regexp_full_match("timestamp", '\\d+') then to_timestamp(case when "timestamp"::bigint < 100000000000 then "timestamp"::double else "timestamp"::double / 1000 end) else "timestamp"::timestamptz end`;
  return `(select ${stamp} as "timestamp", * exclude ("timestamp") from read_csv(${text(path)}, header = true, delim = ',', auto_detect = false, columns = ${columns}))`;
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const identifier = (value: string): string => `"${value.replaceAll('"', '""')}"`;

/** Resolves the package from the user's project, then from another file, usually Sluice's own. */
function loadPackage(project: string, resolveFrom: string): SqlPackage {
  const reasons: unknown[] = [];
  for (const base of [join(resolve(project), 'package.json'), resolveFrom]) {
    try {
      const loaded: unknown = createRequire(base)(SQL_PACKAGE);
      if (isSqlPackage(loaded)) return loaded;
      reasons.push(new Error('it has no DuckDBInstance; version 1.3 or later is needed'));
    } catch (reason) {
      reasons.push(reason);
    }
  }
  const broken = reasons.find((reason) => !isMissing(reason));
  const why = broken instanceof Error ? `cannot be used: ${broken.message}` : 'is not installed';
  throw new DataError({
    code: 'missing-package',
    problem: `Cannot run SQL: the optional package ${SQL_PACKAGE} ${why}`,
    advice: `install it in this project with "npm install ${SQL_PACKAGE}" and run the query again`,
    file: project,
    cause: broken ?? reasons[0],
  });
}

function isMissing(reason: unknown): boolean {
  return reason instanceof Error && 'code' in reason && reason.code === 'MODULE_NOT_FOUND';
}

function isSqlPackage(loaded: unknown): loaded is SqlPackage {
  if (typeof loaded !== 'object' || loaded === null || !('DuckDBInstance' in loaded)) return false;
  const { DuckDBInstance } = loaded;
  return typeof DuckDBInstance === 'function' && 'create' in DuckDBInstance;
}
