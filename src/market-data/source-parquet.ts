import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
} from 'hyparquet';
import { DataError } from './data-error.ts';
import type { SourceField, SourceRow } from './source-row.ts';

const ROWS_AT_ONCE = 50_000;

/** Maximum unpacked size of a page of a column; writers make pages of about a megabyte. */
const PAGE_BYTES_MAX = 256 * 1024 * 1024;

const COMPRESSORS: Compressors = {
  GZIP: (packed, length) => gunzipSync(packed, unpackingTo(length)),
  BROTLI: (packed, length) => brotliDecompressSync(packed, unpackingTo(length)),
  ZSTD: (packed, length) => zstdDecompressSync(packed, unpackingTo(length)),
};

/** Limits a page's memory to the size that its header declares, after checking that size. */
function unpackingTo(length: number): { readonly maxOutputLength: number } {
  if (length > PAGE_BYTES_MAX)
    throw new Error(`a page decompresses to ${length} bytes, want at most ${PAGE_BYTES_MAX}`);
  return { maxOutputLength: Math.max(1, length) };
}

/**
 * Reads the rows of a Parquet file in batches; row 0 contains the column names. Stamps without a zone are formatted
 * as local times, others in UTC. Calls `onProgress` with the share of the file that has been read, 0 to 1. Throws
 * DataError (`bad-parquet`) if the file cannot be read.
 */
export async function* parquetRows(
  file: string,
  onProgress?: (share: number) => void,
): AsyncGenerator<Iterable<SourceRow>> {
  const { buffer, metadata } = await attempt(file, async () => {
    const opened = await asyncBufferFromFile(file);
    return { buffer: opened, metadata: await parquetMetadataAsync(opened) };
  });
  const columns = columnsOf(metadata);
  yield [{ kind: 'row', line: 0, fields: columns.map(({ name }) => ({ text: name, column: 1 })) }];
  const total = Number(metadata.num_rows);
  for (let start = 0; start < total; start += ROWS_AT_ONCE) {
    const end = Math.min(total, start + ROWS_AT_ONCE);
    const rows = await attempt(file, () => readRows({ buffer, metadata, columns, start, end }));
    yield rows.map((row, index) => ({
      kind: 'row',
      line: start + index + 1,
      fields: columns.map((column, at) => fieldOf(row[at], column)),
    }));
    onProgress?.(end / total);
  }
}

interface RowRange {
  readonly buffer: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly columns: readonly ParquetColumn[];
  readonly start: number;
  readonly end: number;
}

async function readRows(range: RowRange): Promise<readonly (readonly unknown[])[]> {
  let rows: readonly (readonly unknown[])[] = [];
  await parquetRead({
    file: range.buffer,
    metadata: range.metadata,
    columns: range.columns.map(({ name }) => name),
    rowStart: range.start,
    rowEnd: range.end,
    compressors: COMPRESSORS,
    rowFormat: 'array',
    onComplete: (read) => {
      rows = read;
    },
  });
  return rows;
}

interface ParquetColumn {
  readonly name: string;
  /** True for timestamps without a zone. */
  readonly isLocal: boolean;
}

/** Returns the flat columns, including the index column that pandas adds. */
function columnsOf({ schema }: FileMetaData): readonly ParquetColumn[] {
  return schema
    .slice(1)
    .filter(({ num_children }) => num_children === undefined || num_children === 0)
    .map(({ name, logical_type }) => ({
      name,
      isLocal: logical_type?.type === 'TIMESTAMP' && !logical_type.isAdjustedToUTC,
    }));
}

function fieldOf(value: unknown, { isLocal }: ParquetColumn): SourceField {
  return { text: textOf(value, isLocal), column: 1 };
}

function textOf(value: unknown, isLocal: boolean): string {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) return '';
    const text = value.toISOString();
    return isLocal ? text.slice(0, -1) : text;
  }
  return value === null || value === undefined ? '' : String(value);
}

async function attempt<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new DataError({
      code: 'bad-parquet',
      problem: `Cannot read the Parquet file: ${cause instanceof Error ? cause.message : String(cause)}`,
      advice: 'write or download it again; none of it was used',
      file,
      cause,
    });
  }
}
