import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { midnightOf } from '../markets/sessions.ts';
import type { BarColumns } from '../model/bar.ts';
import { intradayMs } from '../model/period.ts';
import { marketOf } from '../model/symbol.ts';
import { type Millis, millis } from '../model/time.ts';
import { Checksum } from './checksum.ts';
import { BarParser, type TakesBlocks } from './csv.ts';
import { type BarSource, MAX_LINE_BYTES } from './csv-row.ts';
import { DataError } from './data-error.ts';
import { readStamp } from './stamp.ts';

/** Maximum unpacked size of a gzipped file. Plain files are read in pieces and limited only by `MAX_ROWS`. */
const MAX_DECOMPRESSED_BYTES = 1024 ** 3;

const CHUNK_BYTES = 1024 ** 2;

/** File metadata that reveals a change without reading the file. Times are nanoseconds since the epoch, as text. */
export interface FileFacts {
  readonly size: number;
  readonly inode: string;
  readonly modifiedNs: string;
  readonly changedNs: string;
}

/** Bars of a file, with the `Checksum` of the bytes they were read from and the file's metadata at that time. */
export interface ReadBars {
  readonly columns: BarColumns;
  readonly sourceSum: string;
  readonly facts: FileFacts;
}

/**
 * Reads and parses a bar file; a name that ends in `.gz` means gzip. With `blocks`, returns only the rows after the
 * last block, and the blocks are valid only once this function has returned. Throws DataError.
 */
export function readBarFile(path: string, source: BarSource, blocks?: TakesBlocks): ReadBars {
  return withFile(path, source, (descriptor) => {
    const facts = factsOf(descriptor);
    const sum = new Checksum();
    let parser: BarParser;
    if (path.endsWith('.gz')) {
      const packed = readWholeFile(descriptor, facts.size, source);
      sum.add(packed);
      const text = decompress(packed, source);
      parser = new BarParser(source, text.length, blocks);
      parser.feed(text);
    } else {
      parser = new BarParser(source, facts.size, blocks);
      eachChunk(descriptor, (piece) => {
        sum.add(piece);
        parser.feed(piece);
      });
    }
    return {
      columns: parser.finish(),
      sourceSum: sum.text(),
      facts: assertUnchanged(facts, descriptor, source),
    };
  });
}

/** Returns the current metadata of a file. Throws DataError if it cannot be opened. */
export function fileFacts(path: string, source: BarSource): FileFacts {
  return withFile(path, source, factsOf);
}

/** Returns the `Checksum` of a file's bytes and its metadata. Throws DataError if the file cannot be read. */
export function checksumOfFile(
  path: string,
  source: BarSource,
): { readonly sourceSum: string; readonly facts: FileFacts } {
  return withFile(path, source, (descriptor) => {
    const facts = factsOf(descriptor);
    const sum = new Checksum();
    eachChunk(descriptor, (piece) => sum.add(piece));
    return { sourceSum: sum.text(), facts: assertUnchanged(facts, descriptor, source) };
  });
}

/** Number of bars in a file and the stamps of its first and last line; undefined if a stamp cannot be read. */
export interface Outline {
  readonly rows: number;
  readonly first: Millis | undefined;
  readonly last: Millis | undefined;
}

/** Counts the lines of a bar file after its header and parses only the first and last stamp. */
export function outlineOf(path: string, source: BarSource): Outline {
  let rows = 0;
  let first: Uint8Array | undefined;
  let last: Uint8Array | undefined;
  eachLine(path, source, (bytes, line) => {
    if (line === 1) return;
    rows++;
    first ??= bytes.slice(0, STAMP_BYTES_MAX);
    last = bytes.slice(0, STAMP_BYTES_MAX);
  });
  return { rows, first: stampOf(first, source), last: stampOf(last, source) };
}

const STAMP_BYTES_MAX = 64;

function stampOf(line: Uint8Array | undefined, { symbol, period }: BarSource): Millis | undefined {
  if (line === undefined) return undefined;
  const text = new TextDecoder().decode(line).split(',', 1)[0] ?? '';
  const isIntraday = intradayMs(period) !== undefined;
  const stamp = readStamp(text, isIntraday ? undefined : (day) => midnightOf(marketOf(symbol), day));
  return stamp === undefined ? undefined : millis(stamp);
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Calls `use` for every line of a file without its line end, numbered from 1. The last line needs no newline. The
 * bytes are valid until the next call. A line above `MAX_LINE_BYTES` may be cut beyond that limit. Throws DataError
 * if the file cannot be read.
 */
export function eachLine(
  path: string,
  source: BarSource,
  use: (bytes: Uint8Array, line: number) => void,
): void {
  let line = 0;
  let rest = new Uint8Array(0);
  const give = (bytes: Uint8Array): void =>
    use(bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes, ++line);
  const cut = (piece: Uint8Array): void => {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      give(rest.length === 0 ? piece.subarray(start, end) : joined(rest, piece.subarray(start, end)));
      rest = new Uint8Array(0);
      start = end + 1;
    }
    if (start < piece.length) rest = joined(rest, piece.subarray(start));
  };
  withFile(path, source, (descriptor) => {
    if (path.endsWith('.gz'))
      cut(decompress(readWholeFile(descriptor, factsOf(descriptor).size, source), source));
    else eachChunk(descriptor, cut);
  });
  if (rest.length > 0) give(rest);
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const line = new Uint8Array(Math.min(head.length + tail.length, MAX_LINE_BYTES + 2));
  line.set(head);
  line.set(tail.subarray(0, line.length - head.length), head.length);
  return line;
}

/** Opens regular files only, no symbolic links, so that a name inside the data folder cannot lead out of it. */
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

/**
 * Returns the metadata after reading. Throws DataError if the file changed in the meantime: old and new content may
 * be mixed.
 */
function assertUnchanged(before: FileFacts, descriptor: number, source: BarSource): FileFacts {
  const after = factsOf(descriptor);
  if (after.size === before.size && after.changedNs === before.changedNs) return after;
  throw new DataError({
    code: 'unreadable',
    problem: `Cannot read bars of ${source.symbol}: the file changed while it was read`,
    advice: 'wait until the program that writes it has finished, then try again',
    file: source.file,
  });
}

function eachChunk(descriptor: number, use: (piece: Uint8Array) => void): void {
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let read = readSync(descriptor, buffer); read > 0; read = readSync(descriptor, buffer)) {
    use(buffer.subarray(0, read));
  }
}

function readWholeFile(descriptor: number, size: number, source: BarSource): Uint8Array {
  if (size > MAX_DECOMPRESSED_BYTES) throw tooLarge(source);
  const packed = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const read = readSync(descriptor, packed, length, size - length, null);
    if (read === 0) break;
    length += read;
  }
  return packed.subarray(0, length);
}

function decompress(packed: Uint8Array, source: BarSource): Uint8Array {
  try {
    return gunzipSync(packed, { maxOutputLength: MAX_DECOMPRESSED_BYTES });
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge(source);
    }
    throw new DataError({
      code: 'bad-gzip',
      problem: `Cannot decompress bars of ${source.symbol}: the gzip data is truncated or damaged`,
      advice: 'copy or download the file again; none of it was used',
      file: source.file,
      cause,
    });
  }
}

function tooLarge(source: BarSource): DataError {
  return new DataError({
    code: 'file-too-large',
    problem: `Cannot decompress bars of ${source.symbol}: they exceed ${MAX_DECOMPRESSED_BYTES} bytes`,
    advice: 'store a file of this size as plain .csv, which is read in chunks',
    file: source.file,
  });
}

function notRegular(source: BarSource): DataError {
  return new DataError({
    code: 'unsafe-name',
    problem: `Cannot read bars of ${source.symbol}: the path is a link or not a regular file`,
    advice: 'put a copy of the data there instead',
    file: source.file,
  });
}

function unreadable(source: BarSource, cause: unknown): DataError {
  return new DataError({
    code: 'unreadable',
    problem: `Cannot read bars of ${source.symbol}: ${cause instanceof Error ? cause.message : String(cause)}`,
    advice: 'check that the file exists and is readable',
    file: source.file,
    cause,
  });
}

function isSystemError(cause: unknown): boolean {
  return cause instanceof Error && 'syscall' in cause;
}
