import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BarColumns } from '../model/bar.ts';
import { barColumns } from '../model/bar-columns.ts';
import { rowsOf } from '../model/bar-rows.ts';
import { type Millis, millis } from '../model/time.ts';
import { checksumOfFile, type FileFacts, fileFacts, type Outline, readBarFile } from './bar-file.ts';
import {
  BLOCK_ROWS,
  type EntryHeader,
  type EntryLayout,
  type EntryOrigin,
  EntryWriter,
  readColumnBlock,
  readEntry,
  readEntryHeader,
} from './cache-entry.ts';
import type { BarSource } from './csv-row.ts';
import { DataError } from './data-error.ts';
import { storedColumns } from './stored-bars.ts';

/** A folder of parsed bars, usually `.sluice/cache`; it may be deleted at any time. */
export interface CacheFolder {
  readonly dir: string;
  /** Receives the reason why an entry could not be written (disk full, no permission); bars are read all the same. */
  readonly onProblem?: (problem: unknown) => void;
  /** Bars per block, read and verified together; default 8,192. */
  readonly blockRows?: number;
  /**
   * True keeps entries of several blocks open until the process ends, for a process that loses the right to open
   * files. Default false.
   */
  readonly keepsOpen?: boolean;
}

export interface CachedBars {
  readonly columns: BarColumns;
  readonly from: 'cache' | 'file';
}

/**
 * Minimum age of a file's stamps when its entry was written, in nanoseconds. Younger stamps are not trusted: a second
 * change within the same tick of the file system's clock would go unnoticed.
 */
const STAMP_AGE_MIN_NS = 2_000_000_000n;

/**
 * Reads bars from the cache if they were parsed from the file's current bytes; otherwise parses the file and replaces
 * its entry. Compares the checksum of the bytes, unless size, inode, modification and change time are unchanged and
 * were at least two seconds old when the entry was written.
 */
export function readBarsCached(path: string, source: BarSource, cache: CacheFolder): CachedBars {
  const place: EntryLocation = { path: entryPathOf(path, source, cache), file: path, source, cache };
  const entry = readEntry(place.path, source);
  const columns = entry && columnsOf(entry, place);
  if (entry !== undefined && columns !== undefined) {
    if (isUnchanged(entry, fileFacts(path, source))) return { columns, from: 'cache' };
    const { sourceSum, facts } = checksumOfFile(path, source);
    if (sourceSum === entry.sourceSum) {
      writeEntry(place, { sourceSum, facts, columns });
      return { columns, from: 'cache' };
    }
  }
  return { columns: parsedColumns(place), from: 'file' };
}

interface EntryLocation {
  readonly path: string;
  readonly file: string;
  readonly source: BarSource;
  readonly cache: CacheFolder;
}

/** Wraps the reason why an entry could not be written while its bars arrived. */
class EntryWriteError extends Error {}

/**
 * Parses a file and writes its entry. A file of several blocks is then read back from the entry, so that it never
 * occupies memory as a whole; if that fails, it is parsed into memory.
 */
function parsedColumns(place: EntryLocation): BarColumns {
  const { path, file, source, cache } = place;
  const rows = cache.blockRows ?? BLOCK_ROWS;
  let writing: PendingEntry | undefined;
  try {
    const read = readBarFile(file, source, {
      rows,
      take(block) {
        writing = withWriteError(() => writing ?? new PendingEntry(place));
        withWriteError(() => writing?.writer.add(block));
      },
    });
    if (writing === undefined) {
      writeEntry(place, read);
      return read.columns;
    }
    const { writer } = writing;
    withWriteError(() => {
      writer.add(read.columns);
      writing?.finish(read);
    });
    const entry = readEntry(path, source);
    const columns = entry?.sourceSum === read.sourceSum ? columnsOf(entry, place) : undefined;
    if (columns !== undefined) return columns;
  } catch (problem) {
    writing?.discard();
    if (!(problem instanceof EntryWriteError)) throw problem;
    cache.onProblem?.(problem.cause);
  }
  return readBarFile(file, source).columns;
}

function withWriteError<T>(write: () => T): T {
  try {
    return write();
  } catch (cause) {
    throw new EntryWriteError('The entry could not be written', { cause });
  }
}

/**
 * Reads and verifies a single block immediately; reads several blocks on first access. Returns undefined if the bars
 * are damaged or cannot be opened.
 */
function columnsOf(
  { layout, sourceSum }: Pick<EntryHeader, 'sourceSum'> & { readonly layout: EntryLayout },
  place: EntryLocation,
): BarColumns | undefined {
  const { rows, blockRows } = layout;
  const { path, source, cache } = place;
  if (rows > blockRows) {
    const entry = cache.keepsOpen === true ? opened(path) : path;
    if (entry === undefined) return undefined;
    return storedColumns({ entry, source, layout, parseAgain: () => parseAgain(place, sourceSum) });
  }
  let isSound = true;
  const columns = barColumns(source, (_, figure) => {
    const column = new Float64Array(rows);
    isSound &&= rows === 0 || readColumnBlock(path, { layout, block: 0, figure }, column, 0);
    return column;
  });
  return isSound ? columns : undefined;
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

/** Parses the bar file again. Throws DataError if its bytes are not those that were cached. */
function parseAgain(place: EntryLocation, sourceSum: string): BarColumns {
  const read = readBarFile(place.file, place.source);
  if (read.sourceSum !== sourceSum) throw sourceChanged(place.source);
  writeEntry(place, read);
  return read.columns;
}

function sourceChanged(source: BarSource): DataError {
  return new DataError({
    code: 'unreadable',
    problem: `Cannot read bars of ${source.symbol}: their cache was damaged, and the file changed while it was read`,
    advice: 'wait until the program that writes it has finished, then try again',
    file: source.file,
  });
}

/**
 * Returns the outline of a bar file from its entry; undefined if there is none or the file may have changed since.
 */
export function cachedOutline(path: string, source: BarSource, cache: CacheFolder): Outline | undefined {
  const head = readEntryHeader(entryPathOf(path, source, cache), source);
  if (head === undefined || !isUnchanged(head, fileFacts(path, source))) return undefined;
  const { rows, first, last } = head;
  return { rows, first: stampIn(first), last: stampIn(last) };
}

const stampIn = (time: number | undefined): Millis | undefined =>
  time === undefined ? undefined : millis(time);

/**
 * Returns the path of a bar file's entry: symbol and period for readability, a digest of the file's path for
 * uniqueness.
 */
export function entryPathOf(path: string, source: BarSource, cache: CacheFolder): string {
  const digest = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 16);
  return join(cache.dir, `${source.symbol}.${source.period}.${digest}.bars`);
}

function isUnchanged({ facts: then, writtenNs }: EntryHeader, now: FileFacts): boolean {
  return (
    then.size === now.size &&
    then.inode === now.inode &&
    then.modifiedNs === now.modifiedNs &&
    then.changedNs === now.changedNs &&
    BigInt(now.changedNs) + STAMP_AGE_MIN_NS <= writtenNs
  );
}

const WRITERS_MAX = 8;

/** An entry that is written under a temporary name and then renamed, so that readers never see a partial entry. */
class PendingEntry {
  readonly writer: EntryWriter;
  readonly #path: string;
  readonly #temporary: string;
  readonly #descriptor: number;
  #isOpen = true;

  constructor({ path, source, cache }: EntryLocation) {
    mkdirSync(cache.dir, { recursive: true });
    const opened = openTemporary(path);
    this.#path = path;
    this.#temporary = opened.path;
    this.#descriptor = opened.descriptor;
    this.writer = new EntryWriter(opened.descriptor, source, cache.blockRows ?? BLOCK_ROWS);
  }

  finish(origin: EntryOrigin): void {
    this.writer.finish(origin);
    this.#close();
    renameSync(this.#temporary, this.#path);
  }

  discard(): void {
    this.#close();
    rmSync(this.#temporary, { force: true });
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#descriptor);
  }
}

function writeEntry(
  place: EntryLocation,
  { columns, ...origin }: EntryOrigin & { readonly columns: BarColumns },
): void {
  const { cache } = place;
  let writing: PendingEntry | undefined;
  try {
    writing = new PendingEntry(place);
    const rows = cache.blockRows ?? BLOCK_ROWS;
    const view = rowsOf(columns).open();
    for (let row = 0; row < columns.length; row += rows)
      writing.writer.add(view(row, Math.min(columns.length, row + rows)));
    writing.finish(origin);
  } catch (problem) {
    writing?.discard();
    cache.onProblem?.(problem);
  }
}

/** Opens a temporary file under the first free number: threads of one process share its id. */
function openTemporary(path: string): { readonly path: string; readonly descriptor: number } {
  for (let writer = 0; ; writer++) {
    const temporary = `${path}.${process.pid}.${writer}.tmp`;
    try {
      return { path: temporary, descriptor: openSync(temporary, 'wx', 0o600) };
    } catch (problem) {
      const taken = problem instanceof Error && 'code' in problem && problem.code === 'EEXIST';
      if (!taken || writer + 1 === WRITERS_MAX) throw problem;
    }
  }
}
