import type { BarColumns } from '#src/model/bar.ts';
import { isPeriod, type Period } from '#src/model/period.ts';
import { readRows, toColumns } from './csv-bars.ts';
import type { OracleRow } from './indicators.ts';
import type { OracleData } from './oracle-file.ts';

/**
 * The bars that an oracle was fed, one table per symbol: the rows between its two stamps, of several files only those
 * whose stamp is in all of them. Throws RangeError where a file's name tells no period of ours.
 */
export function oracleBars(folder: string, data: readonly OracleData[]): readonly BarColumns[] {
  const tables = data.map(({ file, from, to }) =>
    readRows(`${folder}/${file}`).filter(({ timestamp = '' }) => timestamp >= from && timestamp <= to),
  );
  const shared = stampsInAll(tables);
  return data.map(({ code, file }, place) => {
    const rows = (tables[place] ?? []).filter(({ timestamp = '' }) => shared.has(timestamp));
    return toColumns(rows, code, periodOf(file));
  });
}

function stampsInAll(tables: readonly (readonly OracleRow[])[]): ReadonlySet<string> {
  const [first = [], ...others] = tables.map((rows) => new Set(rows.map(({ timestamp = '' }) => timestamp)));
  return new Set([...first].filter((stamp) => others.every((stamps) => stamps.has(stamp))));
}

/** `AAPL.US/1d.adj.csv.gz` holds days: the period stands before the first dot of the file's own name. */
export function periodOf(file: string): Period {
  const name = file.slice(file.lastIndexOf('/') + 1).split('.')[0] ?? '';
  if (!isPeriod(name)) throw new RangeError(`Cannot replay "${file}": "${name}" is no period of ours`);
  return name;
}
