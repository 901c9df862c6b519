import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { BarColumns } from '../model/bar.ts';
import { BAR_FIGURES } from '../model/bar-columns.ts';
import type { FileFacts } from './bar-file.ts';
import { Checksum, SUM_BYTES } from './checksum.ts';
import type { BarSource } from './csv-row.ts';

/**
 * File layout of an entry:
 * - the magic bytes below; header length and header CRC-32 (little-endian uint32 each);
 * - blocks of `blockRows` bars (the last may be shorter): time, open, high, low, close and volume, each a column block of
 * float64 values in machine byte order;
 * - the checksums of all column blocks in that order, then the stamp of the first bar of each block (float64);
 * - the header, as JSON.
 * Only the first 16 bytes are written last, so an entry can be written while its bars arrive.
 */
const MAGIC = new TextEncoder().encode('SLUICEB5');
const PREFIX_BYTES = 16;
const HEADER_BYTES_MAX = 4096;
/**
 * A run holds one block per column and symbol. Half as many rows measurably slow it down, because blocks are opened
 * and verified twice as often.
 */
export const BLOCK_ROWS = 8_192;
const FIGURE_BYTES = Float64Array.BYTES_PER_ELEMENT;
const BYTE_ORDER = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'little' : 'big';

const nanoseconds = z.string().regex(/^-?\d{1,20}$/);
const headerSchema = z.object({
  symbol: z.string(),
  period: z.string(),
  byteOrder: z.string(),
  rows: z.int().nonnegative(),
  first: z.number().optional(),
  last: z.number().optional(),
  blockRows: z.int().positive(),
  tableSum: z.string(),
  sourceSum: z.string(),
  facts: z.object({
    size: z.int().nonnegative(),
    inode: z.string(),
    modifiedNs: nanoseconds,
    changedNs: nanoseconds,
  }),
});
type Header = z.infer<typeof headerSchema>;

/** The `Checksum` of the bytes that the bars came from, and the metadata of their file. */
export interface EntryOrigin {
  readonly sourceSum: string;
  readonly facts: FileFacts;
}

/** Header of an entry and the time it was written, by the file system's clock. */
export interface EntryHeader {
  readonly rows: number;
  /** Stamps of the first and the last bar; undefined if the entry is empty. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly sourceSum: string;
  readonly facts: FileFacts;
  readonly writtenNs: bigint;
}

/**
 * Writes an entry into an empty file, block by block. Throws file system errors; the entry is valid only once
 * `finish` has returned.
 */
export class EntryWriter {
  readonly #blockRows: number;
  readonly #descriptor: number;
  readonly #source: BarSource;
  readonly #checksums: Buffer[] = [];
  readonly #firstStamps: number[] = [];
  #at = PREFIX_BYTES;
  #rows = 0;
  #last: number | undefined;

  constructor(descriptor: number, source: BarSource, blockRows: number) {
    this.#blockRows = blockRows;
    this.#descriptor = descriptor;
    this.#source = source;
  }

  add(block: BarColumns): void {
    if (block.length === 0) return;
    this.#firstStamps.push(block.time[0] as number);
    for (const name of BAR_FIGURES) {
      const bytes = bytesOf(block[name]);
      this.#checksums.push(new Checksum().add(bytes).bytes());
      this.#write(bytes);
    }
    this.#rows += block.length;
    this.#last = block.time[block.length - 1];
  }

  /** Writes the checksums, the header with the origin of the bars, and the magic bytes. */
  finish({ sourceSum, facts }: EntryOrigin): void {
    const table = new Uint8Array(
      Buffer.concat([...this.#checksums, bytesOf(Float64Array.from(this.#firstStamps))]),
    );
    const header: Header = {
      symbol: this.#source.symbol,
      period: this.#source.period,
      byteOrder: BYTE_ORDER,
      rows: this.#rows,
      first: this.#firstStamps[0],
      last: this.#last,
      blockRows: this.#blockRows,
      tableSum: new Checksum().add(table).text(),
      sourceSum,
      facts,
    };
    const text = new TextEncoder().encode(JSON.stringify(header));
    const prefix = new Uint8Array(PREFIX_BYTES);
    prefix.set(MAGIC);
    const view = new DataView(prefix.buffer);
    view.setUint32(8, text.length, true);
    view.setUint32(12, crc32(text), true);
    this.#write(table);
    this.#write(text);
    this.#at = 0;
    this.#write(prefix);
  }

  #write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; )
      at += writeSync(this.#descriptor, bytes, at, bytes.length - at, this.#at + at);
    this.#at += bytes.length;
  }
}

function bytesOf(column: Float64Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

/** Size and block layout of an entry, with the checksums of its column blocks. */
export interface EntryLayout {
  readonly rows: number;
  readonly blockRows: number;
  /** Stamp of the first bar of each block. */
  readonly firstStamps: Float64Array;
  readonly checksums: Uint8Array;
}

/**
 * Returns the header and the block layout of an entry; undefined if it is missing, damaged, from a machine with
 * another byte order, or about other bars.
 */
export function readEntry(
  path: string,
  source: BarSource,
): (EntryHeader & { readonly layout: EntryLayout }) | undefined {
  return withEntry(path, source, (descriptor, { header, headerAt, writtenNs }) => {
    const { rows, first, last, blockRows, sourceSum, facts } = header;
    const blocks = Math.ceil(rows / blockRows);
    const sumBytes = blocks * BAR_FIGURES.length * SUM_BYTES;
    const table = new Uint8Array(sumBytes + blocks * FIGURE_BYTES);
    const tableAt = PREFIX_BYTES + rows * BAR_FIGURES.length * FIGURE_BYTES;
    if (headerAt !== tableAt + table.length) return undefined;
    if (!readFully(descriptor, table, tableAt)) return undefined;
    if (new Checksum().add(table).text() !== header.tableSum) return undefined;
    const firstStamps = new Float64Array(table.slice(sumBytes).buffer);
    const layout = { rows, blockRows, firstStamps, checksums: table.subarray(0, sumBytes) };
    return { rows, first, last, sourceSum, facts, writtenNs, layout };
  });
}

/**
 * Reads a block of one column into `into` at `place`. Returns false if it cannot be read or its checksum differs. A
 * path is opened and closed for each read; a descriptor stays open.
 */
export function readColumnBlock(
  entry: string | number,
  { layout: { rows, blockRows, checksums }, block, figure }: ColumnBlock,
  into: Float64Array,
  place: number,
): boolean {
  const count = Math.min(blockRows, rows - block * blockRows);
  const bytes = bytesOf(into.subarray(place, place + count));
  const before = block * blockRows * BAR_FIGURES.length + figure * count;
  let descriptor: number | undefined;
  try {
    descriptor = typeof entry === 'number' ? entry : openSync(entry, 'r');
    if (!readFully(descriptor, bytes, PREFIX_BYTES + before * FIGURE_BYTES)) return false;
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined && descriptor !== entry) closeSync(descriptor);
  }
  const at = (block * BAR_FIGURES.length + figure) * SUM_BYTES;
  return new Checksum()
    .add(bytes)
    .bytes()
    .equals(checksums.subarray(at, at + SUM_BYTES));
}

/** One block of one column; `figure` is the column's index in `BAR_FIGURES`. */
export interface ColumnBlock {
  readonly layout: EntryLayout;
  readonly block: number;
  readonly figure: number;
}

function readFully(descriptor: number, into: Uint8Array, from: number): boolean {
  for (let at = 0; at < into.length; ) {
    const read = readSync(descriptor, into, at, into.length - at, from + at);
    if (read === 0) return false;
    at += read;
  }
  return true;
}

/** Reads the header of an entry without its bars; undefined if there is no valid header. */
export function readEntryHeader(path: string, source: BarSource): EntryHeader | undefined {
  return withEntry(path, source, (_, { header: { rows, first, last, sourceSum, facts }, writtenNs }) => ({
    rows,
    first,
    last,
    sourceSum,
    facts,
    writtenNs,
  }));
}

interface OpenedEntry {
  readonly header: Header;
  readonly headerAt: number;
  readonly writtenNs: bigint;
}

/**
 * Opens an entry and validates its header. Returns undefined for a missing or unreadable entry; the caller then
 * parses the bar file.
 */
function withEntry<T>(
  path: string,
  source: BarSource,
  use: (descriptor: number, entry: OpenedEntry) => T | undefined,
): T | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const stat = fstatSync(descriptor, { bigint: true });
    const size = Number(stat.size);
    const prefix = new Uint8Array(PREFIX_BYTES);
    if (!readFully(descriptor, prefix, 0) || MAGIC.some((byte, at) => prefix[at] !== byte)) return undefined;
    const view = new DataView(prefix.buffer);
    const text = new Uint8Array(Math.min(view.getUint32(8, true), HEADER_BYTES_MAX));
    const headerAt = size - text.length;
    if (!readFully(descriptor, text, headerAt) || crc32(text) !== view.getUint32(12, true)) return undefined;
    const header = parseHeader(text, source);
    return header && use(descriptor, { header, headerAt, writtenNs: stat.mtimeNs });
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function parseHeader(text: Uint8Array, source: BarSource): Header | undefined {
  const header = headerSchema.parse(JSON.parse(new TextDecoder().decode(text)));
  const matches =
    header.byteOrder === BYTE_ORDER && header.symbol === source.symbol && header.period === source.period;
  return matches ? header : undefined;
}
