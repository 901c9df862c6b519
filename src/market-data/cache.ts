import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BarColumns } from '../model/bar.ts';
import { barColumns } from '../model/bar-columns.ts';
import { type Millis, millis } from '../model/time.ts';
import { type FileFacts, fileFacts, type Outline, readBarFile, sumOfFile } from './bar-file.ts';
import {
  type CacheEntry,
  type EntryHead,
  type EntryLayout,
  encodeEntry,
  readEntry,
  readEntryHead,
  readPiece,
} from './cache-entry.ts';
import type { BarSource } from './csv-row.ts';
import { DataError } from './data-error.ts';
import { type StoredBars, storedColumns } from './stored-bars.ts';

/** A folder of parsed bars, usually `.sluice/cache`; it may be deleted at any time. */
export interface CacheFolder {
  readonly dir: string;
  /** Hears why an entry could not be written (disk full, folder not ours); bars are read all the same. */
  readonly onProblem?: (problem: unknown) => void;
  /** Bars that are read and summed together; 8,192 when absent. */
  readonly blockRows?: number;
}

/** Bars, and whether they had to be parsed. */
export interface CachedBars {
  readonly columns: BarColumns;
  readonly from: 'cache' | 'file';
}

/**
 * A file may change twice within one tick of its file system's clock, the second time unseen. So its stamps are believed
 * only once they are this much older than the entry, nanoseconds.
 */
const SETTLED_NS = 2_000_000_000n;

/**
 * Reads bars from the cache if they were parsed from exactly the bytes that the file holds now, else parses the file and
 * writes the entry anew. There is one entry per file. It carries the sum of the bytes it was parsed from, which
 * decides; summing is saved only while size, inode, modification and change time are the recorded ones and had settled
 * two seconds before the entry was written (by the file system's clock). A damaged entry is as good as none.
 * Throws DataError when the file cannot be read.
 */
export function readBarsCached(path: string, source: BarSource, cache: CacheFolder): CachedBars {
  const entryPath = entryPathOf(path, source, cache);
  const entry = readEntry(entryPath, source);
  const columns = entry && columnsOf(entry, { path: entryPath, source, again: readAgain });
  if (entry !== undefined && columns !== undefined) {
    if (isUnchanged(entry, fileFacts(path, source))) return { columns, from: 'cache' };
    const { sourceSum, facts } = sumOfFile(path, source);
    if (sourceSum === entry.sourceSum) {
      writeEntry(entryPath, { sourceSum, facts, columns }, cache);
      return { columns, from: 'cache' };
    }
  }
  const read = readBarFile(path, source);
  writeEntry(entryPath, read, cache);
  return { columns: read.columns, from: 'file' };

  function readAgain(): BarColumns {
    const read = readBarFile(path, source);
    if (read.sourceSum !== entry?.sourceSum) throw changedMeanwhile(source);
    writeEntry(entryPath, read, cache);
    return read.columns;
  }
}

/** Few bars are read at once, which tells whether they are sound; many when somebody looks at them. Undefined when they are not. */
function columnsOf(
  { layout }: { readonly layout: EntryLayout },
  { path, source, again }: Omit<StoredBars, 'layout'>,
): BarColumns | undefined {
  const { rows, blockRows } = layout;
  if (rows > blockRows) return storedColumns({ path, source, layout, again });
  let isSound = true;
  const columns = barColumns(source, (_, figure) => {
    const column = new Float64Array(rows);
    isSound &&= rows === 0 || readPiece(path, { layout, block: 0, figure }, column, 0);
    return column;
  });
  return isSound ? columns : undefined;
}

function changedMeanwhile(source: BarSource): DataError {
  return new DataError({
    code: 'unreadable',
    problem: `Cannot read bars of ${source.symbol}: their cache was damaged, and the file changed while it was read`,
    advice: 'wait until whoever writes it is done, then try again',
    file: source.file,
  });
}

/** What a file holds that has not changed since it was cached; undefined when the cache cannot tell. */
export function cachedOutline(path: string, source: BarSource, cache: CacheFolder): Outline | undefined {
  const head = readEntryHead(entryPathOf(path, source, cache), source);
  if (head === undefined || !isUnchanged(head, fileFacts(path, source))) return undefined;
  const { rows, first, last } = head;
  return { rows, first: stampIn(first), last: stampIn(last) };
}

const stampIn = (time: number | undefined): Millis | undefined =>
  time === undefined ? undefined : millis(time);

/** Where the entry of a bar file lies: its symbol and period for the reader, a digest of its path for the machine. */
export function entryPathOf(path: string, source: BarSource, cache: CacheFolder): string {
  const digest = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 16);
  return join(cache.dir, `${source.symbol}.${source.period}.${digest}.bars`);
}

function isUnchanged({ facts: then, writtenNs }: EntryHead, now: FileFacts): boolean {
  return (
    then.size === now.size &&
    then.inode === now.inode &&
    then.modifiedNs === now.modifiedNs &&
    then.changedNs === now.changedNs &&
    BigInt(now.changedNs) + SETTLED_NS <= writtenNs
  );
}

const WRITERS_AT_ONCE = 8;

/** Writes beside the entry and renames, so that a reader sees the old entry or the new one, never a part. */
function writeEntry(path: string, entry: CacheEntry, cache: CacheFolder): void {
  let temporary: string | undefined;
  try {
    mkdirSync(cache.dir, { recursive: true });
    const opened = openTemporary(path);
    temporary = opened.path;
    try {
      for (const part of encodeEntry(entry, cache.blockRows)) writeAll(opened.descriptor, part);
    } finally {
      closeSync(opened.descriptor);
    }
    renameSync(temporary, path);
  } catch (problem) {
    if (temporary !== undefined) rmSync(temporary, { force: true });
    cache.onProblem?.(problem);
  }
}

/** Threads of one process share its id, so each takes the first number that is free. */
function openTemporary(path: string): { readonly path: string; readonly descriptor: number } {
  for (let writer = 0; ; writer++) {
    const temporary = `${path}.${process.pid}.${writer}.tmp`;
    try {
      return { path: temporary, descriptor: openSync(temporary, 'wx', 0o600) };
    } catch (problem) {
      const taken = problem instanceof Error && 'code' in problem && problem.code === 'EEXIST';
      if (!taken || writer + 1 === WRITERS_AT_ONCE) throw problem;
    }
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}
