import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { BarColumns } from '../model/bar.ts';
import type { FileFacts } from './bar-file.ts';
import type { BarSource } from './csv-row.ts';
import { DamageSum } from './damage-sum.ts';

/*
 * An entry is: the mark below; the length of the header and its CRC-32 (two little-endian uint32); the header, which is
 * JSON; then time, open, high, low, close and volume, each `rows` float64 in the machine's own byte order.
 */
const MARK = new TextEncoder().encode('SLUICEB3');
const PREFIX_BYTES = 16;
const HEADER_BYTES_MAX = 4096;
const FIGURE_BYTES = Float64Array.BYTES_PER_ELEMENT;
const COLUMN_NAMES = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
const BYTE_ORDER = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'little' : 'big';

/** Small enough that what was just read is still in the processor's cache when it is summed. */
const PIECE_BYTES = 256 * 1024;

const nanoseconds = z.string().regex(/^-?\d{1,20}$/);
const headerSchema = z.object({
  symbol: z.string(),
  period: z.string(),
  byteOrder: z.string(),
  rows: z.int().nonnegative(),
  first: z.number().optional(),
  last: z.number().optional(),
  dataSum: z.string(),
  sourceSum: z.string(),
  facts: z.object({
    size: z.int().nonnegative(),
    inode: z.string(),
    modifiedNs: nanoseconds,
    changedNs: nanoseconds,
  }),
});
type Header = z.infer<typeof headerSchema>;

/** Parsed bars with the sum (`DamageSum`) of the bytes they came from and the facts of the file that held them. */
export interface CacheEntry {
  readonly columns: BarColumns;
  readonly sourceSum: string;
  readonly facts: FileFacts;
}

/** What an entry's header says, and when the entry was written, by the file system's clock. */
export interface EntryHead {
  readonly rows: number;
  /** Stamps of the first and the last bar; undefined when there is none. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly sourceSum: string;
  readonly facts: FileFacts;
  readonly writtenNs: bigint;
}

/** The parts of an entry, to be written one after the other. */
export function encodeEntry(entry: CacheEntry): readonly Uint8Array[] {
  const { columns, sourceSum, facts } = entry;
  const figures = COLUMN_NAMES.map((name) => {
    const column = columns[name];
    return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
  });
  const header: Header = {
    symbol: columns.symbol,
    period: columns.period,
    byteOrder: BYTE_ORDER,
    rows: columns.length,
    first: columns.time[0],
    last: columns.time.at(-1),
    dataSum: figures.reduce((sum, part) => sum.add(part), new DamageSum()).text(),
    sourceSum,
    facts,
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const prefix = new Uint8Array(PREFIX_BYTES);
  prefix.set(MARK);
  const view = new DataView(prefix.buffer);
  view.setUint32(8, text.length, true);
  view.setUint32(12, crc32(text), true);
  return [prefix, text, ...figures];
}

/** Reads an entry; undefined when there is none, or it is damaged, of another machine, or about other bars. */
export function readEntry(path: string, source: BarSource): (EntryHead & CacheEntry) | undefined {
  return withEntry(path, source, (descriptor, { header, dataAt, size, writtenNs }) => {
    const { rows, first, last, sourceSum, facts } = header;
    const bytes = rows * COLUMN_NAMES.length * FIGURE_BYTES;
    if (size !== dataAt + bytes) return undefined;
    const data = new Uint8Array(bytes);
    const sum = new DamageSum();
    for (let at = 0; at < bytes; ) {
      const read = readSync(descriptor, data, at, Math.min(PIECE_BYTES, bytes - at), dataAt + at);
      if (read === 0) return undefined;
      sum.add(data.subarray(at, at + read));
      at += read;
    }
    if (sum.text() !== header.dataSum) return undefined;
    return { rows, first, last, sourceSum, facts, writtenNs, columns: columnsIn(data.buffer, rows, source) };
  });
}

/** Reads what an entry says about itself without its bars; undefined when there is no sound header. */
export function readEntryHead(path: string, source: BarSource): EntryHead | undefined {
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
  readonly dataAt: number;
  readonly size: number;
  readonly writtenNs: bigint;
}

/** No entry, or one that cannot be read, is no fault: the bars are then parsed from their file. */
function withEntry<T>(
  path: string,
  source: BarSource,
  use: (descriptor: number, entry: OpenedEntry) => T | undefined,
): T | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const stat = fstatSync(descriptor, { bigint: true });
    const start = new Uint8Array(PREFIX_BYTES + HEADER_BYTES_MAX);
    const read = readSync(descriptor, start, 0, start.length, 0);
    const found = decodeHeader(start.subarray(0, read), source);
    if (found === undefined) return undefined;
    return use(descriptor, { ...found, size: Number(stat.size), writtenNs: stat.mtimeNs });
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function decodeHeader(
  bytes: Uint8Array,
  source: BarSource,
): { readonly header: Header; readonly dataAt: number } | undefined {
  if (bytes.length < PREFIX_BYTES || MARK.some((byte, at) => bytes[at] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const dataAt = PREFIX_BYTES + view.getUint32(8, true);
  if (dataAt > bytes.length) return undefined;
  const text = bytes.subarray(PREFIX_BYTES, dataAt);
  if (crc32(text) !== view.getUint32(12, true)) return undefined;
  const header = headerSchema.parse(JSON.parse(new TextDecoder().decode(text)));
  const isOurs =
    header.byteOrder === BYTE_ORDER && header.symbol === source.symbol && header.period === source.period;
  return isOurs ? { header, dataAt } : undefined;
}

function columnsIn(buffer: ArrayBuffer, rows: number, source: BarSource): BarColumns {
  const column = (index: number): Float64Array => new Float64Array(buffer, index * rows * FIGURE_BYTES, rows);
  return {
    symbol: source.symbol,
    period: source.period,
    length: rows,
    time: column(0),
    open: column(1),
    high: column(2),
    low: column(3),
    close: column(4),
    volume: column(5),
  };
}
