import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BarColumns } from '#src/model/bar.ts';
import { isPeriod, type Period } from '#src/model/period.ts';
import { DAY_MS, MINUTE_MS, type Millis, millis, SECOND_MS } from '#src/model/time.ts';
import { BAR_NAMES, readRows, toColumns } from './csv-bars.ts';
import type { OracleRow } from './indicators.ts';
import type { OracleData } from './oracle-file.ts';

/** Fields that identify the rows used. */
type Fed = Pick<OracleData, 'code' | 'file' | 'from' | 'to'>;

/**
 * The bars of an oracle, one table per symbol: the rows between its two stamps, and of several files only those whose
 * stamp is in all of them. Throws RangeError if a file's name has no known period, or if its rows do not ascend.
 */
export function oracleBars(folder: string, data: readonly Fed[]): readonly BarColumns[] {
  const tables = data.map(({ file, from, to }) => {
    const [first, last] = [instantOf(from), instantOf(to) + (DAY.test(to) ? DAY_MS - 1 : 0)];
    return readRows(`${folder}/${file}`, BAR_NAMES).filter(({ timestamp = '' }) => {
      const at = Date.parse(timestamp);
      // A row without a stamp is kept, to be reported; without a first or last stamp, all rows are.
      return !(at < first || at > last);
    });
  });
  const shared = stampsInAll(tables);
  return data.map(({ code, file }, place) => {
    const rows = (tables[place] ?? []).filter(({ timestamp = '' }) => shared.has(timestamp));
    const columns = toColumns(rows, code, periodOf(file));
    const late = columns.time.findIndex(
      (time, bar) => time <= (columns.time[bar - 1] ?? Number.NEGATIVE_INFINITY),
    );
    if (late >= 0)
      throw new RangeError(
        `Cannot use "${file}": its row of ${rows[late]?.['timestamp']} does not come after that of ${rows[late - 1]?.['timestamp']}`,
      );
    return columns;
  });
}

/** A date without a time: a range up to it includes the whole day. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a stamp in any notation names this instant; a date alone matches any instant of that UTC day. */
export function isStampOf(text: string, time: number): boolean {
  if (DAY.test(text)) return instantOf(text) === Math.floor(time / DAY_MS) * DAY_MS;
  if (!EPOCH.test(text)) return instantOf(text) === time;
  return Number(text) === time || Number(text) === time / SECOND_MS;
}

/** Seconds or milliseconds since 1970. */
const EPOCH = /^\d{9,}(\.\d+)?$/;

/** The instant of a stamp, in UTC if it has no zone. */
export function instantOf(stamp: string): number {
  return Date.parse(ZONE.test(stamp) ? stamp : `${stamp}Z`);
}

const ZONE = /^[^T ]*$|Z$|[+-]\d{2}:?\d{2}$/;

/** A remark on data that the oracle was not made from; empty if it was, or if the oracle does not state its data. */
export function otherData(
  { data }: { readonly data: readonly Pick<OracleData, 'file' | 'sha256'>[] },
  folder: string,
): string {
  const other = data.find(
    ({ file, sha256 = '' }) => SHA256.test(sha256) && sha256 !== digestOf(`${folder}/${file}`),
  );
  return other === undefined
    ? ''
    : ` ("${other.file}" is not the file that it was made from: another sha256)`;
}

const SHA256 = /^[0-9a-f]{64}$/;

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function stampsInAll(tables: readonly (readonly OracleRow[])[]): ReadonlySet<string> {
  const [first = [], ...others] = tables.map((rows) => new Set(rows.map(({ timestamp = '' }) => timestamp)));
  return new Set([...first].filter((stamp) => others.every((stamps) => stamps.has(stamp))));
}

const SECONDS = '1s';

/**
 * The simulation time of an oracle's stamp. The simulation's shortest bar is a minute, so bars of a second become
 * minutes after the first bar.
 */
export function clockOf(data: readonly OracleData[], begin: number): (stamp: number) => Millis {
  const slower = data.some(({ file }) => fileOf(file) === SECONDS) ? MINUTE_MS / SECOND_MS : 1;
  return (stamp) => millis(begin + (stamp - begin) * slower);
}

/**
 * `AAPL.US/1d.adj.csv.gz` holds days: the period is before the first dot of the file name. Seconds are replayed as
 * minutes.
 */
export function periodOf(file: string): Period {
  const name = fileOf(file);
  if (name === SECONDS) return '1m';
  if (!isPeriod(name)) throw new RangeError(`Cannot replay "${file}": "${name}" is no period of ours`);
  return name;
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).split('.')[0] ?? '';
}
