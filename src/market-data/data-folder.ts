import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nearestName } from '../model/nearest-name.ts';
import { isPeriod, PERIODS, type Period } from '../model/period.ts';
import type { Security } from '../model/security.ts';
import { parseSymbol, type SecuritySymbol } from '../model/symbol.ts';
import { DataError, quoted } from './data-error.ts';
import { MAX_SECURITY_BYTES, parseSecurity } from './security-file.ts';

export const SECURITY_FILE = 'security.json';

export interface BarFile {
  readonly period: Period;
  /** Distinguishes a second series of the same period: `adj` in `1d.adj.csv`; undefined for the plain series. */
  readonly variant: string | undefined;
  /** Name inside the symbol's folder, for example `1m.csv.gz`. */
  readonly name: string;
}

export const MAX_SYMBOLS = 20_000;

const SAFE_NAME = /^[A-Za-z0-9._-]{1,64}$/;
const BAR_FILE = /^(\d{1,2}[a-zA-Z])(?:\.([a-z0-9-]{1,16}))?\.csv(\.gz)?$/;
/** Names that Windows reserves for devices, with any suffix after the first dot. */
const DEVICE = /^(CON|PRN|AUX|NUL|COM\d|LPT\d)(\.|$)/i;

/**
 * Returns a symbol that is safe as a folder name. Throws DataError (`unsafe-name`) if the text is not a symbol or
 * could lead out of `dir`.
 */
export function safeSymbol(text: string, dir: string): SecuritySymbol {
  const symbol = parseSymbol(text);
  if (symbol !== undefined && SAFE_NAME.test(text) && !DEVICE.test(text)) return symbol;
  const reserved = DEVICE.test(text) ? ', other than a device name of Windows' : '';
  throw new DataError({
    code: 'unsafe-name',
    problem: `Cannot find data of ${quoted(text)}: want <code>.<market> in capitals such as "700.HK"${reserved}`,
    advice: 'correct the symbol',
    file: dir,
    value: text,
  });
}

/** Returns the symbols with a folder in `dir`, sorted. Ignores symbolic links and folders with other names. */
export function symbolsIn(dir: string): readonly SecuritySymbol[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && SAFE_NAME.test(entry.name) && !DEVICE.test(entry.name))
      .map((entry) => parseSymbol(entry.name))
      .filter((symbol) => symbol !== undefined)
      .sort()
      .slice(0, MAX_SYMBOLS);
  } catch (cause) {
    throw new DataError({
      code: 'unreadable',
      problem: `Cannot list the data folder: ${cause instanceof Error ? cause.message : String(cause)}`,
      advice: 'give an existing folder with one folder per symbol',
      file: dir,
      cause,
    });
  }
}

/**
 * Returns the bar files of a symbol, shortest period first. Throws DataError (`unknown-symbol`) that suggests the
 * nearest name.
 */
export function barFilesOf(dir: string, symbol: SecuritySymbol): readonly BarFile[] {
  const folder = join(dir, symbol);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw unknownSymbol(dir, symbol);
  const files: BarFile[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const [, period, variant] = (entry.isFile() && BAR_FILE.exec(entry.name)) || [];
    if (period !== undefined && isPeriod(period)) files.push({ period, variant, name: entry.name });
  }
  const rank = (file: BarFile): string =>
    `${String(PERIODS.indexOf(file.period)).padStart(2, '0')} ${file.variant ?? ''} ${file.name}`;
  return files.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

const QUOTE_FILE = /^quotes(?:\.[a-z0-9-]{1,16})?\.csv(\.gz)?$/;

/**
 * Returns the names of a symbol's quote files (`quotes.csv`, `quotes.1s.csv.gz`), sorted. The symbol's folder must
 * exist.
 */
export function quoteFilesOf(dir: string, symbol: SecuritySymbol): readonly string[] {
  return readdirSync(join(dir, symbol), { withFileTypes: true })
    .filter((entry) => entry.isFile() && QUOTE_FILE.test(entry.name))
    .map((entry) => entry.name)
    .sort();
}

/**
 * Returns the facts in the symbol's `security.json`; undefined without that file. Throws DataError if it is invalid.
 */
export function securityIn(dir: string, symbol: SecuritySymbol): Security | undefined {
  const folder = join(dir, symbol);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw unknownSymbol(dir, symbol);
  const path = join(folder, SECURITY_FILE);
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return undefined;
  if (!entry.isFile()) throw notAFile(path);
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    if (fstatSync(descriptor).size > MAX_SECURITY_BYTES) throw tooLong(path);
    return parseSecurity(readFileSync(descriptor, 'utf8'), symbol, path);
  } finally {
    closeSync(descriptor);
  }
}

function unknownSymbol(dir: string, symbol: SecuritySymbol): DataError {
  const known = symbolsIn(dir);
  const nearest = nearestName(symbol, known);
  const knownText =
    known.slice(0, 10).join(', ') + (known.length > 10 ? `, and ${known.length - 10} more` : '');
  const suggestion = nearest === undefined ? ':' : `, did you mean "${nearest}"?`;
  return new DataError({
    code: 'unknown-symbol',
    problem: `Cannot find data of "${symbol}"${suggestion} ${nearest === undefined ? 'the' : 'The'} folder has ${knownText === '' ? 'no symbol' : knownText}`,
    advice: 'correct the symbol or add its data',
    file: dir,
    value: symbol,
  });
}

function notAFile(path: string): DataError {
  return new DataError({
    code: 'unsafe-name',
    problem: 'Cannot read the facts of a security: the path is a link or not a regular file',
    advice: 'put a copy there instead',
    file: path,
  });
}

function tooLong(path: string): DataError {
  return new DataError({
    code: 'bad-security',
    problem: `Cannot read the facts of a security: the file is longer than ${MAX_SECURITY_BYTES} bytes`,
    advice: 'keep only the facts of the security',
    file: path,
  });
}
