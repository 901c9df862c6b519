import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { BarColumns } from '../model/bar.ts';
import { BarParser } from './csv.ts';
import type { BarSource } from './csv-row.ts';
import { DataError } from './data-error.ts';

/** The most a gzipped file may unpack to; plain files are read in pieces and are bounded by `MAX_ROWS` alone. */
export const MAX_UNPACKED_BYTES = 1024 ** 3;

const PIECE_BYTES = 1024 ** 2;

/** What tells one state of a file from another without reading it. Times are nanoseconds since the epoch, as text. */
export interface FileFacts {
  readonly size: number;
  readonly inode: string;
  readonly modifiedNs: string;
  readonly changedNs: string;
}

/** The bars of a file, the SHA-256 (hex) of the very bytes they were read from, and the file's facts at that time. */
export interface ReadBars {
  readonly columns: BarColumns;
  readonly hash: string;
  readonly facts: FileFacts;
}

/** Reads and parses a bar file, gzipped when its name ends in `.gz`. Throws DataError; never hands on part of a file. */
export function readBarFile(path: string, source: BarSource): ReadBars {
  return withFile(path, source, (descriptor) => {
    const facts = factsOf(descriptor);
    const hash = createHash('sha256');
    const parser = new BarParser(source, facts.size);
    if (path.endsWith('.gz')) {
      const packed = wholeFile(descriptor, facts.size, source);
      hash.update(packed);
      parser.feed(unpack(packed, source));
    } else {
      eachPiece(descriptor, (piece) => {
        hash.update(piece);
        parser.feed(piece);
      });
    }
    return { columns: parser.finish(), hash: hash.digest('hex'), facts: settled(facts, descriptor, source) };
  });
}

/** The facts of a file as it lies there now. Throws DataError when it cannot be opened. */
export function fileFacts(path: string, source: BarSource): FileFacts {
  return withFile(path, source, factsOf);
}

/** The SHA-256 (hex) of a file's bytes and its facts. Throws DataError when it cannot be read. */
export function hashFile(
  path: string,
  source: BarSource,
): { readonly hash: string; readonly facts: FileFacts } {
  return withFile(path, source, (descriptor) => {
    const facts = factsOf(descriptor);
    const hash = createHash('sha256');
    eachPiece(descriptor, (piece) => hash.update(piece));
    return { hash: hash.digest('hex'), facts: settled(facts, descriptor, source) };
  });
}

/** Counts the lines of a bar file behind its header without reading any; the last one needs no newline. */
export function countRows(path: string, source: BarSource): number {
  let lines = 0;
  let endsInNewline = true;
  const count = (piece: Uint8Array): void => {
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) lines++;
    endsInNewline = piece.length === 0 ? endsInNewline : piece.at(-1) === NEWLINE;
  };
  withFile(path, source, (descriptor) => {
    if (path.endsWith('.gz')) count(unpack(wholeFile(descriptor, factsOf(descriptor).size, source), source));
    else eachPiece(descriptor, count);
  });
  return Math.max(0, lines + (endsInNewline ? 0 : 1) - 1);
}

const NEWLINE = 0x0a;

/** Opens only a regular file, and no link, so that a name inside the data folder never leads out of it. */
function withFile<T>(path: string, source: BarSource, use: (descriptor: number) => T): T {
  let descriptor: number;
  try {
    if (!lstatSync(path).isFile()) throw notRegular(source);
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (cause) {
    throw cause instanceof DataError ? cause : unreadable(source, cause);
  }
  try {
    return use(descriptor);
  } catch (cause) {
    throw cause instanceof DataError || !isSystemError(cause) ? cause : unreadable(source, cause);
  } finally {
    closeSync(descriptor);
  }
}

function factsOf(descriptor: number): FileFacts {
  const stat = fstatSync(descriptor, { bigint: true });
  return {
    size: Number(stat.size),
    inode: String(stat.ino),
    modifiedNs: String(stat.mtimeNs),
    changedNs: String(stat.ctimeNs),
  };
}

/** The facts again after reading: a file that changed meanwhile may have been read half old and half new. */
function settled(before: FileFacts, descriptor: number, source: BarSource): FileFacts {
  const after = factsOf(descriptor);
  if (after.size === before.size && after.changedNs === before.changedNs) return after;
  throw new DataError({
    code: 'unreadable',
    problem: `Cannot read bars of ${source.symbol}: the file changed while it was read`,
    advice: 'wait until whoever writes it is done, then try again',
    file: source.file,
  });
}

function eachPiece(descriptor: number, use: (piece: Uint8Array) => void): void {
  const buffer = new Uint8Array(PIECE_BYTES);
  for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer)) {
    use(buffer.subarray(0, read));
  }
}

function wholeFile(descriptor: number, size: number, source: BarSource): Uint8Array {
  if (size > MAX_UNPACKED_BYTES) throw tooLarge(source);
  const packed = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const read = readSync(descriptor, packed, length, size - length, null);
    if (read === 0) break;
    length += read;
  }
  return packed.subarray(0, length);
}

function unpack(packed: Uint8Array, source: BarSource): Uint8Array {
  try {
    return gunzipSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge(source);
    }
    throw new DataError({
      code: 'bad-gzip',
      problem: `Cannot unpack bars of ${source.symbol}: the gzip data is cut short or damaged`,
      advice: 'copy or download the file again, nothing of it was used',
      file: source.file,
      cause,
    });
  }
}

function tooLarge(source: BarSource): DataError {
  return new DataError({
    code: 'file-too-large',
    problem: `Cannot unpack bars of ${source.symbol}: they take more than ${MAX_UNPACKED_BYTES} bytes`,
    advice: 'keep so large a file as plain .csv, which is read in pieces',
    file: source.file,
  });
}

function notRegular(source: BarSource): DataError {
  return new DataError({
    code: 'unsafe-name',
    problem: `Cannot read bars of ${source.symbol}: the path is a link or no regular file`,
    advice: 'put a copy of the data there instead',
    file: source.file,
  });
}

function unreadable(source: BarSource, cause: unknown): DataError {
  return new DataError({
    code: 'unreadable',
    problem: `Cannot read bars of ${source.symbol}: ${cause instanceof Error ? cause.message : String(cause)}`,
    advice: 'check that the file exists and may be read',
    file: source.file,
    cause,
  });
}

function isSystemError(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause;
}
