import { existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { zoneName } from '../markets/zones.ts';
import { intradayMs, type Period } from '../model/period.ts';
import { plural } from '../model/plural.ts';
import type { Security, SecurityKind } from '../model/security.ts';
import { marketOf, type SecuritySymbol } from '../model/symbol.ts';
import { AtomicFile, notWritten } from './atomic-file.ts';
import { tradesWholeShares } from './check-stale-bars.ts';
import type { ColumnMap } from './column-map.ts';
import { EVENTS_FILE } from './corporate-actions.ts';
import { MAX_ROWS } from './csv.ts';
import { DataError, quoted } from './data-error.ts';
import { SECURITY_FILE, safeSymbol, securityIn } from './data-folder.ts';
import type { DecimalMark } from './decimal-text.ts';
import { detectFileType } from './detect-file-type.ts';
import { EventColumns } from './event-columns.ts';
import type { ImportedBar } from './import-row.ts';
import { HOURS_SAMPLE, type ImportProgress, type ImportRules, importRows } from './import-rows.ts';
import { dayInName, type InferredDialect } from './inferred-dialect.ts';
import { layoutOptionsOf, oneSymbol, openSource } from './open-source.ts';
import { type PlannedFacts, plannedFacts, type SecurityDraft } from './security-draft.ts';
import type { Separator, SourceRow } from './source-row.ts';
import type { DateOrder } from './source-stamp.ts';
import { firstFew, type SkippedRows } from './symbol-column.ts';
import type { Encoding } from './text-encoding.ts';
import { VENDOR_FORMATS, type VendorFormat, type VendorFormatName } from './vendor-formats.ts';
import { wallClock } from './wall-time.ts';

export interface ImportRequest {
  readonly file: string;
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly dir: string;
  /** Distinguishes a second series of the same period: `adj`, `ext`. */
  readonly variant?: string | undefined;
  readonly format?: VendorFormatName | undefined;
  readonly map?: ColumnMap | undefined;
  readonly dates?: DateOrder | undefined;
  /** IANA zone of stamps that have none. */
  readonly zone?: string | undefined;
  readonly separator?: Separator | undefined;
  /** Text encoding; if absent, UTF-8, or UTF-16 with a byte-order mark. */
  readonly encoding?: Encoding | undefined;
  readonly skipLines?: number | undefined;
  readonly hasVolume?: boolean | undefined;
  readonly adjust?: boolean | undefined;
  /** Divisor of all prices; default 1, unless the file states another unit. */
  readonly priceDivisor?: number | undefined;
  /** Shares per unit of volume. */
  readonly volumeUnit?: number | undefined;
  /** Decimal separator; inferred if absent. */
  readonly decimal?: DecimalMark | undefined;
  readonly stampedAt?: 'open' | 'close' | undefined;
  readonly order?: 'auto' | 'oldest-first' | 'newest-first' | undefined;
  readonly onBadRow: 'stop' | 'skip';
  readonly onSkipped?: (problem: DataError) => void;
  /** Called with the share of the file that has been read, 0 to 1. */
  readonly onProgress?: (share: number) => void;
  /** Writes dividends and splits from columns of the file to events.csv. */
  readonly events?: boolean | undefined;
  readonly gzip?: boolean | undefined;
  readonly replace?: boolean | undefined;
  readonly security?: SecurityDraft | undefined;
}

export interface ImportOutcome extends ImportProgress {
  readonly path: string;
  readonly security: 'written' | 'kept';
  /** The facts that were written; absent if the existing ones were kept. */
  readonly facts?: WrittenFacts;
  readonly notes: readonly string[];
}

/**
 * Imports a CSV (gzipped or not) or Parquet file of bars, and the facts of the security. Memory does not grow with
 * the file. Throws DataError for an unknown layout, a bad row (unless skipped) and missing facts, and then changes
 * nothing; only if the disk fails at the end, facts and events may be written already.
 */
export async function importBars(request: ImportRequest): Promise<ImportOutcome> {
  const { symbol, dir } = request;
  const paths = outputPaths(request);
  detectFileType(request.file);
  checkVariant(request);
  assertNoFile([paths.path, paths.alternatePath], request);
  const draft = request.security ?? {};
  const replace = request.replace === true;
  const facts = await plannedFacts(
    { symbol, dir, draft, replace, file: request.file },
    async () => undefined,
  );
  const source = await openSource(request);
  const skippedRows: SkippedRows = { rows: 0, symbols: new Set() };
  const { rows, note } = await oneSymbol(source, request, skippedRows);
  const notes = [...source.notes, ...note];
  const { rules, used } = rulesOf(request, source.dialect);
  notes.push(...used);
  const eventColumns = new EventColumns(rules, request);
  eventColumns.header(source.head[0]);
  const onBar = (bar: ImportedBar, row: SourceRow): void => eventColumns.bar(bar, row);
  const made = makeFolder(paths.folder);
  try {
    const beforeFinish = (): void => {
      const events = eventColumns.outcome(dir, symbol);
      notes.push(...events.notes);
      if (events.text !== undefined) writeWhole(join(paths.folder, EVENTS_FILE), events.text);
      if (facts !== undefined) writeWhole(join(paths.folder, SECURITY_FILE), facts.text);
    };
    const { gzip = false } = request;
    const { path } = paths;
    const progress = await importRows(rows, { ...rules, path, gzip, rowsMax: MAX_ROWS, onBar, beforeFinish });
    rmSync(paths.alternatePath, { force: true });
    if (skippedRows.rows > 0)
      notes.push(
        `${plural(skippedRows.rows, 'row')} of other symbols skipped: ${firstFew(skippedRows.symbols)}`,
      );
    notes.push(
      ...stampNotes(progress),
      ...hoursNotes(progress, request),
      ...volumeNotes(progress, facts?.security ?? knownSecurity(request)),
    );
    return { ...progress, path, ...writtenFacts(facts), notes };
  } catch (error) {
    if (made) rmSync(paths.folder, { recursive: true, force: true });
    throw error;
  }
}

export interface WrittenFacts {
  readonly name: string;
  readonly kind: SecurityKind;
  readonly currency: string;
  readonly lotSize: number;
  readonly origin: string;
  /** Flags of the facts that the user did not state and that were assumed. */
  readonly assumed: readonly string[];
}

export function writtenFacts(facts: PlannedFacts | undefined): Pick<ImportOutcome, 'security' | 'facts'> {
  if (facts === undefined) return { security: 'kept' };
  const { names, kind, currency, lotSize, origin } = facts.security;
  const from = origin.kind === 'generated' ? `generated: ${origin.method}` : origin.source;
  const written = { name: names.en, kind, currency, lotSize, origin: from, assumed: facts.assumed };
  return { security: 'written', facts: written };
}

function knownSecurity({ dir, symbol }: ImportRequest): Security | undefined {
  return existsSync(join(dir, symbol)) ? securityIn(dir, symbol) : undefined;
}

/**
 * Returns a note on fractional volumes of a security that trades in whole shares: they are split-adjusted or in
 * another unit.
 */
export function volumeNotes(
  { fractional }: ImportProgress,
  security: Pick<Security, 'kind' | 'lotSize'> | undefined,
): readonly string[] {
  if (fractional === undefined || !tradesWholeShares(security)) return [];
  const { rows, line, volume } = fractional;
  const text = `${plural(rows, 'bar')} with a fractional volume, the first in line ${line}: ${volume}`;
  return [
    `${text}. Shares are whole numbers: is the volume adjusted for splits, or in another unit (--volume-unit)?`,
  ];
}

/** Returns a note on stamps in different units of time; the unit of each is inferred from its number of digits. */
export function stampNotes({ mixedStamps }: ImportProgress): readonly string[] {
  if (mixedStamps === undefined) return [];
  const [before, now] = mixedStamps.units;
  return [
    `MIXED STAMPS: ${before} first, ${now} from line ${mixedStamps.line} on; the unit of each was inferred from its number of digits. Are two files joined in one?`,
  ];
}

/** With extended hours, about two fifths of the bars are in regular hours; with a wrong zone, at most a quarter. */
const REGULAR_SHARE_MIN = 0.3;

/** Returns a note if most bars are outside the regular hours of their market, as with a wrong zone. */
export function hoursNotes(
  { regularShare = 1, rows }: ImportProgress,
  { symbol }: ImportRequest,
): readonly string[] {
  if (regularShare >= REGULAR_SHARE_MIN) return [];
  const share = `${Math.round(regularShare * 100)}% of the first ${plural(Math.min(rows, HOURS_SAMPLE), 'bar')}`;
  return [
    `ONLY ${share} are in the regular hours of ${marketOf(symbol)}: is the time zone of the stamps right?`,
  ];
}

/**
 * Returns the path of a symbol's bar file and `alternatePath`, the other file name (plain or gzipped) of the same
 * series.
 */
export function outputPaths({ symbol, dir, period, variant, gzip }: ImportRequest): {
  readonly folder: string;
  readonly path: string;
  readonly alternatePath: string;
} {
  const folder = join(dir, safeSymbol(symbol, dir));
  const plain = join(folder, `${variant === undefined ? period : `${period}.${variant}`}.csv`);
  const packed = `${plain}.gz`;
  return {
    folder,
    ...(gzip === true ? { path: packed, alternatePath: plain } : { path: plain, alternatePath: packed }),
  };
}

export type ReadingRules = Omit<ImportRules, 'path' | 'gzip' | 'rowsMax' | 'onBar' | 'beforeFinish'>;

/** Returns the rules for reading rows, with notes on what was inferred from the file. */
export function rulesOf(
  request: ImportRequest,
  dialect: InferredDialect,
): { readonly rules: ReadingRules; readonly used: readonly string[] } {
  const { file, symbol, period } = request;
  const isAuto = request.format === undefined || request.format === 'auto';
  const format: VendorFormat = VENDOR_FORMATS[(isAuto ? dialect.format : request.format) ?? 'auto'];
  const vendor = format.zone === 'exchange' ? zoneName(marketOf(symbol)) : format.zone;
  const zone = request.zone ?? vendor ?? dialect.zone;
  const dates = request.dates ?? format.dates ?? dialect.dates ?? 'unsaid';
  const intraday = intradayMs(period) !== undefined;
  const stampedAt = request.stampedAt ?? (intraday ? format.stampedAt : undefined) ?? 'open';
  if (stampedAt === 'close' && !intraday) throw closeOfDay(file, period);
  const rules: ReadingRules = {
    source: { file, symbol, period },
    dates,
    clock: zone === undefined ? undefined : wallClock(zone, file),
    stampedAt,
    currencySign: format.currencySign === true || dialect.currencySign === true,
    priceDivisor: request.priceDivisor ?? format.priceDivisor ?? dialect.priceDivisor ?? 1,
    volumeUnit: request.volumeUnit,
    fileDay: format.dayInName === true ? dayInName(file) : undefined,
    decimal: request.decimal ?? dialect.decimal ?? 'open',
    layout: { ...layoutOptionsOf(request, format), dates },
    order: request.order ?? 'auto',
    onBadRow: request.onBadRow,
    onSkipped: request.onSkipped ?? (() => undefined),
  };
  return { rules, used: dialect.notes };
}

const VARIANT = /^[a-z0-9-]{1,16}$/;

export function checkVariant({ variant, file }: Omit<ImportRequest, 'symbol'>): void {
  if (variant === undefined || VARIANT.test(variant)) return;
  throw new DataError({
    code: 'unsafe-name',
    problem: `Cannot name a series ${quoted(variant)}, want up to 16 lower-case letters, digits and dashes`,
    advice: 'use a word such as adj or ext',
    file,
    value: variant,
  });
}

export function assertNoFile(paths: readonly string[], { replace }: Pick<ImportRequest, 'replace'>): void {
  for (const path of paths) {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined || (replace === true && entry.isFile())) continue;
    throw new DataError({
      code: 'exists',
      problem: 'Cannot import: the series exists already',
      advice: entry.isFile() ? 'use --replace to replace it' : 'remove it: it is not a regular file',
      file: path,
    });
  }
}

/** Creates the folder; returns true if it did not exist. Throws DataError for a link, which could lead anywhere. */
export function makeFolder(folder: string): boolean {
  try {
    const made = mkdirSync(folder, { recursive: true }) !== undefined;
    if (!made && !lstatSync(folder).isDirectory()) throw new Error(`${folder} is a link or not a folder`);
    return made;
  } catch (cause) {
    throw notWritten(folder, cause);
  }
}

export function writeWhole(path: string, text: string): void {
  const file = new AtomicFile(path, { gzip: false });
  file.write(text);
  file.finish();
}

function closeOfDay(file: string, period: Period): DataError {
  return new DataError({
    code: 'unknown-layout',
    problem: `Cannot read ${period} bars stamped at their close: daily and longer bars are stamped with their date`,
    advice: 'omit --stamped-at close',
    file,
  });
}
