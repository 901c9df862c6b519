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

/** The most a gzipped file may unpack to; plain files are read in pieces and are bounded by `MAX_ROWS` alone. */
const MAX_UNPACKED_BYTES = 1024 ** 3;

const PIECE_BYTES = 1024 ** 2;

/** Facts that differ after a file was changed, known without reading it. Times are nanoseconds since the epoch, as text. */
export interface FileFacts {
  readonly size: number;
  readonly inode: string;
  readonly modifiedNs: string;
  readonly changedNs: string;
}

/** The bars of a file, the sum (`Checksum`) of the very bytes they were read from, and the file's facts at that time. */
export interface ReadBars {
  readonly columns: BarColumns;
  readonly sourceSum: string;
  readonly facts: FileFacts;
}

/**
 * Reads and parses a bar file, gzipped when its name ends in `.gz`. With a consumer of `blocks`, the returned columns are the
 * rows behind the last block, and the blocks are valid only once the file was read to its end. Throws DataError.
 */
export function readBarFile(path: string, source: BarSource, blocks?: TakesBlocks): ReadBars {
  return withFile(path, source, (descriptor) => {
    const facts = factsOf(descriptor);
    const sum = new Checksum();
    let parser: BarParser;
    if (path.endsWith('.gz')) {
      const packed = wholeFile(descriptor, facts.size, source);
      sum.add(packed);
      const text = unpack(packed, source);
      parser = new BarParser(source, text.length, blocks);
      parser.feed(text);
    } else {
      parser = new BarParser(source, facts.size, blocks);
      eachPiece(descriptor, (piece) => {
        sum.add(piece);
        parser.feed(piece);
      });
    }
    return { columns: parser.finish(), sourceSum: sum.text(), facts: settled(facts, descriptor, source) };
  });
}

/** The current facts of a file. Throws DataError if it cannot be opened. */
export function fileFacts(path: string, source: BarSource): FileFacts {
  return withFile(path, source, factsOf);
}

/** The sum (`Checksum`) of a file's bytes and its facts. Throws DataError when it cannot be read. */
export function sumOfFile(
  path: string,
  source: BarSource,
): { readonly sourceSum: string; readonly facts: FileFacts } {
  return withFile(path, source, (descriptor) => {
    const facts = factsOf(descriptor);
    const sum = new Checksum();
    eachPiece(descriptor, (piece) => sum.add(piece));
    return { sourceSum: sum.text(), facts: settled(facts, descriptor, source) };
  });
}

/** How many bars a file holds, and what its first and last line say their stamps are; undefined when they say none. */
export interface Outline {
  readonly rows: number;
  readonly first: Millis | undefined;
  readonly last: Millis | undefined;
}

/** Counts the lines of a bar file behind its header, and reads no more of them than the two stamps. */
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
 * Hands on every line of a file without its end, numbered from 1; the bytes are good until the next line comes. The last one
 * needs no newline. Of a line longer than the limit only so much is handed on that it is seen to be too long. Throws
 * DataError when the file cannot be read.
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
    if (path.endsWith('.gz')) cut(unpack(wholeFile(descriptor, factsOf(descriptor).size, source), source));
    else eachPiece(descriptor, cut);
  });
  if (rest.length > 0) give(rest);
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const line = new Uint8Array(Math.min(head.length + tail.length, MAX_LINE_BYTES + 2));
  line.set(head);
  line.set(tail.subarray(0, line.length - head.length), head.length);
  return line;
}

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

/** The facts again after reading: a file that changed in the meantime may have been read half old and half new. */
function settled(before: FileFacts, descriptor: number, source: BarSource): FileFacts {
  const after = factsOf(descriptor);
  if (after.size === before.size && after.changedNs === before.changedNs) return after;
  throw new DataError({
    code: 'unreadable',
    problem: `Cannot read bars of ${source.symbol}: the file changed while it was read`,
    advice: 'wait until the program that writes it has finished, then try again',
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
