import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BarColumns } from '../model/bar.ts';
import { rowsOf } from '../model/bar-rows.ts';
import type { CorporateAction } from '../model/corporate-action.ts';
import { nearestName } from '../model/nearest-name.ts';
import type { Period } from '../model/period.ts';
import type { Security } from '../model/security.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { Millis } from '../model/time.ts';
import { type Outline, outlineOf, readBarFile } from './bar-file.ts';
import { type BidAskTable, bidAskIn } from './bid-ask.ts';
import { type CacheFolder, cachedOutline, readBarsCached } from './cache.ts';
import { corporateActionsIn, EVENTS_FILE } from './corporate-actions.ts';
import type { BarSource } from './csv-row.ts';
import { DataError } from './data-error.ts';
import {
  type BarFile,
  barFilesOf,
  quoteFilesOf,
  SECURITY_FILE,
  safeSymbol,
  securityIn,
  symbolsIn,
} from './data-folder.ts';
import { resample, sourcePeriods } from './resample.ts';

/** Location of the data: `<dir>/<SYMBOL>/<period>[.<variant>].csv[.gz]`, with `security.json` next to it. */
export interface BarStoreOptions {
  readonly dir: string;
  /** Folder for parsed bars, usually `.sluice/cache`; without it every read parses the file. */
  readonly cacheDir?: string;
  /** Receives the reason why the cache could not be written; bars are read all the same. */
  readonly onCacheProblem?: (problem: unknown) => void;
  /**
   * True keeps cache files with several blocks open, for a process that loses the right to open files. Default false.
   */
  readonly keepsOpen?: boolean;
}

/**
 * Range and variant of bars: stamps from `from` (inclusive) to `to` (exclusive), of the plain series if `variant` is
 * absent.
 */
export interface BarQuery {
  readonly from?: Millis;
  readonly to?: Millis;
  readonly variant?: string;
}

/** A listed bar file: only its lines are counted and its ends parsed; reading the bars validates everything. */
export interface ListedFile extends BarFile, Outline {}

/** Data of one symbol; `problem` is the first error of its files or facts. */
export interface ListedSymbol {
  readonly symbol: SecuritySymbol;
  readonly files: readonly ListedFile[];
  readonly security: Security | undefined;
  readonly problem: DataError | undefined;
}

/** Bars and security facts of one folder. Every call reads the current files; all errors are DataError. */
export interface BarStore {
  readonly dir: string;
  /** Returns all symbols with their files, row counts and facts (including origin), sorted. */
  list(): readonly ListedSymbol[];
  symbols(): readonly SecuritySymbol[];
  /** Returns the facts of a security. Throws `unknown-symbol`, or `bad-security` if they are missing or invalid. */
  security(symbol: string): Security;
  /**
   * Returns bars of a symbol and period, ascending, as views; empty if there are none in the range. A period without
   * a file is resampled from the longest possible period. Throws `unknown-symbol` or `unknown-period` that names the
   * existing ones, or the file's error.
   */
  bars(symbol: string, period: Period, query?: BarQuery): BarColumns;
  /**
   * Returns the number of bars and the first and last stamp of the file that `bars` would read, without parsing the
   * rows between. Throws as `bars` does if there is no such file.
   */
  outline(symbol: string, period: Period): Outline;
  /**
   * Returns dividends, splits and delistings of a symbol from `events.csv`; none without that file. Throws DataError
   * for errors in it.
   */
  corporateActions(symbol: string): readonly CorporateAction[];
  /**
   * Returns the names of the files in the symbol's folder that a run reads: facts, corporate actions, bars, and
   * quotes if requested. Throws as `bars` does.
   */
  filesOf(symbol: string, wanted: { readonly period: Period; readonly quotes: boolean }): readonly string[];
  /**
   * Returns the best bids and asks of a symbol; undefined without a quote file. Throws DataError for errors in it.
   */
  bidAsk(symbol: string): BidAskTable | undefined;
}

/** Opens a data folder; nothing is read until the first query. */
export function openBarStore(options: BarStoreOptions): BarStore {
  const { dir } = options;
  return {
    dir,
    symbols: () => symbolsIn(dir),
    list: () => symbolsIn(dir).map((symbol) => listed(symbol, options)),
    security(text) {
      const symbol = safeSymbol(text, dir);
      return securityIn(dir, symbol) ?? raise(noSecurity(dir, symbol));
    },
    bidAsk: (text) => bidAskIn(dir, safeSymbol(text, dir)),
    filesOf(text, { period, quotes }) {
      const symbol = safeSymbol(text, dir);
      const bars = fileFor(symbol, { period, variant: undefined }, dir).name;
      const optional = [SECURITY_FILE, EVENTS_FILE].filter((name) => existsSync(join(dir, symbol, name)));
      return [...optional, bars, ...(quotes ? quoteFilesOf(dir, symbol) : [])];
    },
    corporateActions: (text) => corporateActionsIn(dir, safeSymbol(text, dir)),
    outline(text, period) {
      const symbol = safeSymbol(text, dir);
      return listedOutline(symbol, fileFor(symbol, { period, variant: undefined }, dir), options);
    },
    bars(text, period, query = {}) {
      const symbol = safeSymbol(text, dir);
      return barsWithin(barsOf(symbol, period, query.variant, options), query);
    },
  };
}

function barsOf(
  symbol: SecuritySymbol,
  period: Period,
  variant: string | undefined,
  options: BarStoreOptions,
): BarColumns {
  const file = fileFor(symbol, { period, variant }, options.dir);
  const columns = readFile(symbol, file, options);
  return file.period === period ? columns : resampled(columns, period, join(options.dir, symbol, file.name));
}

/** Finds the file with bars of the period, otherwise of the longest period that can be resampled to it. */
function fileFor(
  symbol: SecuritySymbol,
  { period, variant }: Pick<BarFile, 'period' | 'variant'>,
  dir: string,
): BarFile {
  const files = barFilesOf(dir, symbol);
  for (const candidate of [period, ...sourcePeriods(period)]) {
    const [file, otherFile] = files.filter((each) => each.period === candidate && each.variant === variant);
    if (file === undefined) continue;
    if (otherFile !== undefined) throw ambiguousFiles(symbol, file, otherFile, dir);
    return file;
  }
  throw unknownPeriod({ symbol, period, variant, files, dir });
}

function readFile(symbol: SecuritySymbol, file: BarFile, options: BarStoreOptions): BarColumns {
  const path = join(options.dir, symbol, file.name);
  const source: BarSource = { file: path, symbol, period: file.period };
  const cache = cacheOf(options);
  return cache === undefined
    ? readBarFile(path, source).columns
    : readBarsCached(path, source, cache).columns;
}

function resampled(columns: BarColumns, period: Period, file: string): BarColumns {
  try {
    return resample(columns, period);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const advice = `add a ${period} file in the same folder`;
    throw new DataError({
      code: 'unknown-period',
      problem: cause.message,
      advice,
      file,
      value: period,
      cause,
    });
  }
}

export function barsWithin(columns: BarColumns, { from, to }: Omit<BarQuery, 'variant'>): BarColumns {
  if (from === undefined && to === undefined) return columns;
  const rows = rowsOf(columns);
  const start = from === undefined ? 0 : rows.firstFrom(from);
  const end = Math.max(start, to === undefined ? columns.length : rows.firstFrom(to));
  return rows.between(start, end);
}

function listed(symbol: SecuritySymbol, options: BarStoreOptions): ListedSymbol {
  let problem: DataError | undefined;
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      problem ??= error;
      return undefined;
    }
  };
  const files = (attempt(() => barFilesOf(options.dir, symbol)) ?? []).flatMap((file) => {
    const outline = attempt(() => listedOutline(symbol, file, options));
    return outline === undefined ? [] : [{ ...file, ...outline }];
  });
  const security = attempt(() => securityIn(options.dir, symbol));
  return { symbol, files, security, problem };
}

function listedOutline(symbol: SecuritySymbol, file: BarFile, options: BarStoreOptions): Outline {
  const path = join(options.dir, symbol, file.name);
  const source: BarSource = { file: path, symbol, period: file.period };
  const cache = cacheOf(options);
  return (cache === undefined ? undefined : cachedOutline(path, source, cache)) ?? outlineOf(path, source);
}

function cacheOf(options: BarStoreOptions): CacheFolder | undefined {
  if (options.cacheDir === undefined) return undefined;
  const { cacheDir: dir, onCacheProblem: onProblem, keepsOpen = false } = options;
  return onProblem === undefined ? { dir, keepsOpen } : { dir, onProblem, keepsOpen };
}

function unknownPeriod(wanted: {
  readonly symbol: SecuritySymbol;
  readonly period: Period;
  readonly variant: string | undefined;
  readonly files: readonly BarFile[];
  readonly dir: string;
}): DataError {
  const { symbol, period, variant, files, dir } = wanted;
  const name = variant === undefined ? period : `${period}.${variant}`;
  const known = files.map((file) =>
    file.variant === undefined ? file.period : `${file.period}.${file.variant}`,
  );
  const nearest = nearestName(name, known);
  const has = known.length === 0 ? 'no bars' : known.join(', ');
  return new DataError({
    code: 'unknown-period',
    problem: `Cannot find ${name} bars of "${symbol}", nor shorter ones to resample: there are ${has}`,
    advice: nearest === undefined ? `add ${name}.csv` : `use "${nearest}" or add ${name}.csv`,
    file: join(dir, symbol),
    value: name,
  });
}

function ambiguousFiles(symbol: SecuritySymbol, file: BarFile, otherFile: BarFile, dir: string): DataError {
  return new DataError({
    code: 'ambiguous-file',
    problem: `Cannot choose the bars of "${symbol}": there are both "${file.name}" and "${otherFile.name}"`,
    advice: 'remove one of them',
    file: join(dir, symbol),
    value: otherFile.name,
  });
}

function noSecurity(dir: string, symbol: SecuritySymbol): DataError {
  return new DataError({
    code: 'bad-security',
    problem: `Cannot read the facts of "${symbol}": its folder has no ${SECURITY_FILE}`,
    advice: 'write one, as backtest-data/README.md shows',
    file: join(dir, symbol, SECURITY_FILE),
  });
}

function raise(error: DataError): never {
  throw error;
}
