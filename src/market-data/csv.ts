import type { BarColumns } from '../model/bar.ts';
import { barColumns } from '../model/bar-columns.ts';
import {
  type BarSource,
  checkHeader,
  lineTooLong,
  MAX_LINE_BYTES,
  type RowPlace,
  readRow,
} from './csv-row.ts';
import { DataError } from './data-error.ts';
import { epochTime, PLAIN_STAMP_BYTES, plainStamp } from './stamp.ts';

/** Maximum number of bars per file: 2.4 GB of columns. */
export const MAX_ROWS = 50_000_000;

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const COMMA = 0x2c;
const POINT = 0x2e;
const DASH = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const YEAR_DIGITS = 4;

/** Up to this many digits, digits and power of ten are exact doubles, so one division rounds exactly once. */
const EXACT_DIGITS = 15;
const LONG_FIGURE_MAX = 64;
const POWERS_OF_TEN = Float64Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => Number(`1e${power}`));

const COLUMNS = 6;
/** Shorter than a usual line, so that the initial capacity is rarely too small. */
const LEAN_LINE_BYTES = 32;
const FIRST_ROWS_MAX = 100_000;
/** Extra capacity above the extrapolated number of rows. */
const SPARE = 1.02;
/** Used share above which columns are not copied to save memory. */
const FULL = 0.9;

/**
 * Parses a whole bar file (`timestamp,open,high,low,close,volume`, one bar per line, ascending) into columns. Every
 * figure is the float64 that `Number(text)` returns. Throws DataError at the first bad line.
 */
export function parseBars(bytes: Uint8Array, source: BarSource): BarColumns {
  const parser = new BarParser(source, bytes.length);
  parser.feed(bytes);
  return parser.finish();
}

/** Receives rows whenever `rows` of them have been read; the columns are valid until `take` returns. */
export interface TakesBlocks {
  readonly rows: number;
  readonly take: (block: BarColumns) => void;
}

/**
 * Parses a bar file fed in pieces of any size and buffers at most one incomplete line. `finish` returns the columns;
 * with `blocks`, only the rows after the last block.
 */
export class BarParser {
  readonly #source: BarSource;
  readonly #expectedBytes: number;
  readonly #blocks: TakesBlocks | undefined;
  #fedBytes = 0;
  #columns: readonly Float64Array<ArrayBuffer>[];
  #capacity: number;
  #rows = 0;
  #taken = 0;
  #hasHeader = false;
  #rest = new Uint8Array(0);

  /** `expectedBytes` is an estimate of the text's length that only avoids growing the columns. */
  constructor(source: BarSource, expectedBytes: number, blocks?: TakesBlocks) {
    this.#source = source;
    this.#blocks = blocks;
    this.#expectedBytes = expectedBytes;
    this.#capacity = blocks?.rows ?? Math.min(FIRST_ROWS_MAX, Math.ceil(expectedBytes / LEAN_LINE_BYTES) + 1);
    this.#columns = Array.from({ length: COLUMNS }, () => new Float64Array(this.#capacity));
  }

  /** Parses every line that ends in this piece. The piece is not retained. */
  feed(piece: Uint8Array): void {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    let start = 0;
    if (end > 0 && this.#rest.length > 0) {
      start = piece.indexOf(NEWLINE) + 1;
      this.#keep(piece.subarray(0, start));
      const line = this.#rest;
      this.#rest = new Uint8Array(0);
      this.#readLines(line, 0, line.length);
    }
    this.#readLines(piece, start, end);
    this.#keep(piece.subarray(end));
    this.#fedBytes += piece.length;
  }

  /** Returns the columns without large unused capacity. Throws DataError if the header is missing. */
  finish(): BarColumns {
    if (this.#rest.length > 0) this.feed(Uint8Array.of(NEWLINE));
    if (!this.#hasHeader) throw emptyFile(this.#source);
    const rows = this.#rows;
    return barColumns(this.#source, (_, place) => {
      const column = this.#columns[place] as Float64Array<ArrayBuffer>;
      return this.#blocks !== undefined || rows > column.length * FULL
        ? column.subarray(0, rows)
        : sized(column, rows);
    });
  }

  /** `end` is the position after a newline. */
  #readLines(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    if (!this.#hasHeader && at < end) {
      const lineEnd = bytes.indexOf(NEWLINE, at);
      checkHeader(bytes.subarray(at, textEnd(bytes, at, lineEnd)), this.#source);
      this.#hasHeader = true;
      at = lineEnd + 1;
    }
    let columns = this.#columns;
    let row = this.#rows;
    let taken = this.#taken;
    let after = row === 0 ? Number.NEGATIVE_INFINITY : (columns[0]?.[row - 1] as number);
    while (at < end) {
      if (row === this.#capacity) {
        columns = this.#makeRoom(this.#fedBytes + at);
        row -= this.#taken - taken;
        taken = this.#taken;
      }
      const next = plainRow(bytes, at, columns, row, after);
      if (next > 0) {
        at = next;
      } else {
        const lineEnd = bytes.indexOf(NEWLINE, at);
        const place: RowPlace = { source: this.#source, line: taken + row + 2, after };
        const figures = readRow(bytes.subarray(at, textEnd(bytes, at, lineEnd)), place);
        for (const [index, column] of columns.entries()) column[row] = figures[index] as number;
        at = lineEnd + 1;
      }
      after = columns[0]?.[row] as number;
      row++;
    }
    this.#rows = row;
  }

  #keep(piece: Uint8Array): void {
    const length = this.#rest.length + piece.length;
    if (length === 0) return;
    const line = new Uint8Array(Math.min(length, MAX_LINE_BYTES + 3));
    line.set(this.#rest);
    line.set(piece.subarray(0, line.length - this.#rest.length), this.#rest.length);
    if (length > MAX_LINE_BYTES + 2) throw lineTooLong(this.#source, this.#nextLine, line);
    this.#rest = line;
  }

  get #nextLine(): number {
    return this.#hasHeader ? this.#taken + this.#rows + 2 : 1;
  }

  /** Passes the rows to the consumer of blocks, if there is one; otherwise enlarges the columns. */
  #makeRoom(readBytes: number): readonly Float64Array<ArrayBuffer>[] {
    if (this.#taken + this.#capacity === MAX_ROWS) throw tooManyRows(this.#source);
    if (this.#blocks === undefined) return this.#grow(readBytes);
    this.#blocks.take(barColumns(this.#source, (_, place) => this.#columns[place] as Float64Array));
    this.#taken += this.#capacity;
    this.#capacity = Math.min(this.#blocks.rows, MAX_ROWS - this.#taken);
    return this.#columns;
  }

  /**
   * Enlarges the columns to the number of rows extrapolated from the bytes read so far; doubles them if that is too
   * few.
   */
  #grow(readBytes: number): readonly Float64Array<ArrayBuffer>[] {
    const expected = Math.ceil((this.#expectedBytes / readBytes) * this.#capacity * SPARE);
    this.#capacity = Math.min(MAX_ROWS, expected > this.#capacity ? expected : this.#capacity * 2);
    this.#columns = this.#columns.map((column) => sized(column, this.#capacity));
    return this.#columns;
  }
}

/** Resizes a column; the old memory is freed immediately, not by the garbage collector. */
function sized(column: Float64Array<ArrayBuffer>, rows: number): Float64Array<ArrayBuffer> {
  if (rows === column.length) return column;
  return new Float64Array(column.buffer.transfer(rows * Float64Array.BYTES_PER_ELEMENT));
}

/**
 * Parses one line in our own format with a valid bar later than `after` into `columns[..][row]`. Returns the start of
 * the next line, or -1 to leave the line to the checking reader. Requires a newline at or after `start`.
 */
function plainRow(
  bytes: Uint8Array,
  start: number,
  columns: readonly Float64Array[],
  row: number,
  after: number,
): number {
  const isDate = bytes[start + YEAR_DIGITS] === DASH;
  let at = isDate ? start + PLAIN_STAMP_BYTES : digitsEnd(bytes, start);
  const time = isDate ? plainStamp(bytes, start) : plainEpoch(bytes, start, at);
  if (!(time > after) || bytes[at++] !== COMMA) return -1;
  (columns[0] as Float64Array)[row] = time;
  for (let column = 1; column < COLUMNS; column++) {
    let figure = 0;
    const first = at;
    let digit = (bytes[at] as number) - ZERO;
    while (digit >= 0 && digit <= 9) {
      figure = figure * 10 + digit;
      digit = (bytes[++at] as number) - ZERO;
    }
    let digits = at - first;
    if (digits === 0) return -1;
    if (digit + ZERO === POINT) {
      const point = at;
      digit = (bytes[++at] as number) - ZERO;
      while (digit >= 0 && digit <= 9) {
        figure = figure * 10 + digit;
        digit = (bytes[++at] as number) - ZERO;
      }
      const decimals = at - point - 1;
      digits += decimals;
      if (digits <= EXACT_DIGITS) figure /= POWERS_OF_TEN[decimals] as number;
    }
    if (digits > EXACT_DIGITS) {
      if (at - first > LONG_FIGURE_MAX) return -1;
      figure = Number(String.fromCharCode(...bytes.subarray(first, at)));
    }
    (columns[column] as Float64Array)[row] = figure;
    const last = column === COLUMNS - 1;
    if (last && digit + ZERO === RETURN) digit = (bytes[++at] as number) - ZERO;
    if (digit + ZERO !== (last ? NEWLINE : COMMA)) return -1;
    at++;
  }
  return isSound(columns, row) ? at : -1;
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while ((bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at++;
  return at;
}

/** Returns the time of epoch seconds or milliseconds; NaN if there are no digits or more than are exact. */
function plainEpoch(bytes: Uint8Array, start: number, end: number): number {
  if (end === start || end - start > EXACT_DIGITS) return Number.NaN;
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + (bytes[at] as number) - ZERO;
  return epochTime(value);
}

/** True if prices are above 0 and open and close are between low and high. */
function isSound(columns: readonly Float64Array[], row: number): boolean {
  const open = columns[1]?.[row] as number;
  const high = columns[2]?.[row] as number;
  const low = columns[3]?.[row] as number;
  const close = columns[4]?.[row] as number;
  return low > 0 && open >= low && open <= high && close >= low && close <= high;
}

function textEnd(bytes: Uint8Array, start: number, lineEnd: number): number {
  return lineEnd > start && bytes[lineEnd - 1] === RETURN ? lineEnd - 1 : lineEnd;
}

function emptyFile(source: BarSource): DataError {
  return new DataError({
    code: 'empty-file',
    problem: `Cannot read bars of ${source.symbol}: the file is empty, want a header and one bar per line`,
    advice: 'write bars to the file or remove it',
    file: source.file,
  });
}

function tooManyRows(source: BarSource): DataError {
  return new DataError({
    code: 'too-many-rows',
    problem: `Cannot read bars of ${source.symbol}: the file has more than ${MAX_ROWS} bars`,
    advice: 'split it by years or use a longer period',
    file: source.file,
    line: MAX_ROWS + 2,
  });
}
