import { existsSync, readdirSync } from 'node:fs';
import { z } from 'zod';
import { readRows } from './csv-bars.ts';
import { compareIndicators } from './indicators.ts';
import { oracleBars } from './oracle-bars.ts';
import { ORACLE_DATA, readJson } from './oracle-file.ts';
import { PUBLISHED_COLUMNS } from './published-columns.ts';
import { firstPublishedDifference } from './published-indicators.ts';
import { type Verdict, verdictOn } from './verdict.ts';

/** What a comparison reads of the JSON beside a file of columns. */
const COLUMNS = z.looseObject({
  ...{ id: z.string(), columns: z.array(z.string()).min(1), csv: z.string().optional() },
  data: ORACLE_DATA,
});

/**
 * Compares our indicators with every file of columns in a folder, or the one named: those with a JSON beside them, and
 * the exports of charting software that `published-columns.ts` knows, there or one folder below.
 */
export function* indicatorVerdicts(folder: string, data: string, only?: string): Generator<Verdict> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted(byName)) {
    const { name } = entry;
    if (entry.isDirectory())
      yield* publishedVerdicts(`${folder}/${name}`, readdirSync(`${folder}/${name}`), only);
    const id = name.replace(/\.json$/, '');
    if (id === name || (only !== undefined && only !== id)) continue;
    yield verdictOn(id, () => firstDifference(folder, id, data));
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
    yield verdictOn(id, () => firstPublishedDifference(`${folder}/${file}`, columns));
  }
}

function firstDifference(folder: string, id: string, data: string): string | undefined {
  const { data: oracle, error } = COLUMNS.safeParse(readJson(`${folder}/${id}.json`));
  const [issue] = error?.issues ?? [];
  if (oracle === undefined)
    return `cannot compare: at ${issue?.path.join('.') || 'the top'}: ${issue?.message}`;
  const csv =
    oracle.csv ?? [`${id}.csv.gz`, `${id}.csv`].find((name) => existsSync(`${folder}/${name}`)) ?? '';
  const rows = readRows(`${folder}/${csv}`, oracle.columns);
  const [bars] = oracleBars(data, [oracle.data]);
  if (bars === undefined || bars.length !== rows.length) {
    return `number of bars: want ${rows.length}, got ${bars?.length ?? 0}`;
  }
  for (const { column, pass, firstDifference: first, compared } of compareIndicators(rows, oracle, bars)) {
    if (pass) continue;
    if (first === undefined) return `${column}: the oracle has ${compared} values to compare`;
    return `${column}, row ${first.row}: want ${first.want}, got ${first.got}`;
  }
  return undefined;
}
