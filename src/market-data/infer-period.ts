import { nominalMs, PERIODS, type Period } from '../model/period.ts';
import { DataError, quoted } from './data-error.ts';
import type { ImportRequest } from './import-bars.ts';
import { noBars } from './import-rows.ts';
import { layoutOf } from './layout.ts';
import { layoutOptionsOf, openSource } from './open-source.ts';
import { readSourceStamp, type SourceStamp } from './source-stamp.ts';
import { VENDOR_FORMATS, type VendorFormat } from './vendor-formats.ts';

/** A calendar month may be a tenth shorter than the nominal one. */
const SHORTEST_SHARE = 0.9;

/**
 * Infers the period from the shortest step between the stamps of the first rows. Throws DataError (`unknown-layout`)
 * if fewer than two bars can be compared or no period fits, `empty-file` if there is no bar, and the errors of opening
 * the file.
 */
export async function inferPeriod(request: Omit<ImportRequest, 'symbol' | 'period'>): Promise<Period> {
  const { head, dialect, symbolColumn } = await openSource({
    ...request,
    period: '1d',
    onProgress: () => undefined,
  });
  const format: VendorFormat = VENDOR_FORMATS[dialect.format ?? request.format ?? 'auto'];
  const options = layoutOptionsOf({ ...request, period: '1d' }, format);
  const dates = request.dates ?? format.dates ?? dialect.dates ?? 'unsaid';
  const rows = head.flatMap((row) => (row.kind === 'row' ? [row.fields] : []));
  const [header, ...others] = rows;
  if (header === undefined) throw noBars(request.file, 0);
  const layout = layoutOf(header, { ...options, dates });
  if (layout.hasHeader && others.length === 0) throw noBars(request.file, 0);
  const latest = new Map<string, SourceStamp>();
  let shortest = Number.POSITIVE_INFINITY;
  let isOfDays = true;
  for (const fields of layout.hasHeader ? others : rows) {
    const stamp = readSourceStamp(layout.time.map((index) => fields[index]?.text ?? '').join(' '), dates);
    if (stamp === undefined) continue;
    const name = symbolColumn === undefined ? '' : (fields[symbolColumn]?.text ?? '');
    const step = Math.abs(stamp.at - (latest.get(name)?.at ?? Number.NaN));
    if (step > 0) shortest = Math.min(shortest, step);
    latest.set(name, stamp);
    if (stamp.kind === 'instant' || stamp.hasClock) isOfDays = false;
  }
  if (latest.size === 0) {
    const seen = (layout.hasHeader ? others[0] : header)?.[layout.time[0] ?? 0]?.text ?? '';
    if (!/\d/.test(seen)) throw noStamps(request.file, seen);
    // An unreadable date gets its own error, with its line, when the rows are read.
    return '1d';
  }
  if (isOfDays && !Number.isFinite(shortest)) return '1d';
  const found = PERIODS.findLast((period) => nominalMs(period) * SHORTEST_SHARE <= shortest);
  if (found === undefined || !Number.isFinite(shortest)) throw notFound(request.file);
  return found;
}

function noStamps(file: string, seen: string): DataError {
  return new DataError({
    code: 'bad-timestamp',
    problem: `Cannot find a date in the time column, which begins with ${quoted(seen)}`,
    advice: 'map the columns by number or name, such as --map time=2,open=3,high=4,low=5,close=6,volume=7',
    file,
  });
}

function notFound(file: string): DataError {
  return new DataError({
    code: 'unknown-layout',
    problem: 'Cannot infer the period: the file has fewer than two stamps at least a minute apart',
    advice: 'state the period, such as --period 1m or --period 1d',
    file,
  });
}
