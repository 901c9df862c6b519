import { existsSync, readdirSync } from 'node:fs';
import { z } from 'zod';
import { readRows } from './csv-bars.ts';
import { type ColumnComparison, compareIndicators, isKnownColumn } from './indicators.ts';
import { isStampOf, oracleBars, otherData } from './oracle-bars.ts';
import { ORACLE_DATA, readJson } from './oracle-file.ts';
import { PUBLISHED_COLUMNS } from './published-columns.ts';
import { firstPublishedDifference } from './published-indicators.ts';
import { type Verdict, verdictOn } from './verdict.ts';

/** Fields of the JSON next to a file of columns that a comparison reads. */
const COLUMNS = z.looseObject({
  ...{ id: z.string(), columns: z.array(z.string()).min(1), csv: z.string().optional() },
  data: ORACLE_DATA,
});

/**
 * Compares our indicators with every file of columns in a folder, or the named one: those with a JSON file, and the
 * exports of charting software in `published-columns.ts`, there or one folder below.
 */
export function* indicatorVerdicts(folder: string, data: string, only?: string): Generator<Verdict> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted(byName)) {
    const { name } = entry;
    if (entry.isDirectory())
      yield* publishedVerdicts(`${folder}/${name}`, readdirSync(`${folder}/${name}`), only);
    const id = name.replace(/\.json(?:\.gz)?$/, '');
    if (id === name || (only !== undefined && only !== id)) continue;
    yield verdictOn(id, () => columnsVerdict(folder, id, data));
  }
  yield* publishedVerdicts(folder, readdirSync(folder), only);
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

function* publishedVerdicts(folder: string, files: readonly string[], only?: string): Generator<Verdict> {
  for (const file of files.toSorted()) {
    const columns = PUBLISHED_COLUMNS[file];
    const id = file.replace(/\.\w+$/, '');
    if (columns === undefined || (only !== undefined && only !== id)) continue;
    yield verdictOn(id, () => ({ problem: firstPublishedDifference(`${folder}/${file}`, columns) }));
  }
}

function columnsVerdict(folder: string, id: string, data: string): Omit<Verdict, 'id'> {
  const { data: oracle, error } = COLUMNS.safeParse(readJson(`${folder}/${id}.json`));
  const [issue] = error?.issues ?? [];
  if (oracle === undefined)
    return { problem: `cannot compare: at ${issue?.path.join('.') || 'the top'}: ${issue?.message}` };
  const csv =
    oracle.csv ?? [`${id}.csv.gz`, `${id}.csv`].find((name) => existsSync(`${folder}/${name}`)) ?? '';
  const rows = readRows(`${folder}/${csv}`, oracle.columns);
  const [bars] = oracleBars(data, [oracle.data]);
  if (bars === undefined || bars.length !== rows.length)
    return { problem: `number of bars: want ${rows.length}, got ${bars?.length ?? 0}` };
  const astray = rows.findIndex(
    ({ timestamp }, row) => timestamp !== undefined && !isStampOf(timestamp, bars.time[row] ?? Number.NaN),
  );
  if (astray >= 0)
    return {
      problem: `stamp of row ${astray}: want ${rows[astray]?.['timestamp']}, got ${new Date(bars.time[astray] ?? 0).toISOString()}`,
    };
  const columns = oracle.columns.filter(isKnownColumn);
  const compared = compareIndicators(rows, { id, columns }, bars);
  const first = firstProblem(compared, oracle.columns);
  const problem = first === undefined ? undefined : `${first}${otherData({ data: [oracle.data] }, data)}`;
  const empty = compared.filter(({ compared }) => compared === 0).map(({ column }) => column);
  return empty.length === 0 ? { problem } : { problem, remark: `no value in ${empty.join(', ')}` };
}

/** The first difference in a value, otherwise an unknown column; undefined if all agree. */
function firstProblem(compared: readonly ColumnComparison[], columns: readonly string[]): string | undefined {
  for (const { column, firstDifference: first } of compared)
    if (first !== undefined) return `${column}, row ${first.row}: want ${first.want}, got ${first.got}`;
  const unknown = columns.filter((column) => !isKnownColumn(column));
  if (unknown.length > 0)
    return `no indicator of ours for "${unknown.join('", "')}"; the other ${compared.length} columns agree`;
  return compared.every(({ compared }) => compared === 0) ? 'it has no value at all to compare' : undefined;
}
