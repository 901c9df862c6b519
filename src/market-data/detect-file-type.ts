import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DataError } from './data-error.ts';

export type FileType = 'text' | 'gzip' | 'zstd' | 'parquet';

const MAGIC_BYTES: readonly (readonly [fileType: FileType, mark: readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['parquet', [0x50, 0x41, 0x52, 0x31]],
];

const UNSUPPORTED: readonly (readonly [mark: readonly number[], what: string, advice: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'a zip archive', 'unzip it first'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an Excel 97-2003 workbook', 'save it as CSV'],
  [[0x42, 0x5a, 0x68], 'compressed with bzip2', 'decompress it first'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'compressed with xz', 'decompress it first'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'a 7-Zip archive', 'decompress it first'],
  [[...Buffer.from('Rar!')], 'a RAR archive', 'decompress it first'],
  [[...Buffer.from('%PDF')], 'a PDF document', 'export it as CSV'],
  [[...Buffer.from('SQLite format 3')], 'an SQLite database', 'write the table of bars as CSV'],
  [[...Buffer.from('ARROW1')], 'an Arrow (Feather) file', 'write it as Parquet or CSV'],
  [[0x89, 0x48, 0x44, 0x46], 'an HDF5 file', 'write it as Parquet or CSV'],
  [[...Buffer.from('DBN')], 'a Databento file', 'write it as Parquet or CSV'],
  [[...Buffer.from('ORC')], 'an ORC file', 'write it as Parquet or CSV'],
  [[...Buffer.from('Obj\u0001')], 'an Avro file', 'write it as Parquet or CSV'],
  [[0x93, ...Buffer.from('NUMPY')], 'a NumPy array', 'write it as Parquet or CSV'],
  [[0x80, 0x04, 0x95], 'a Python pickle', 'write it as Parquet or CSV'],
  [[0x80, 0x05, 0x95], 'a Python pickle', 'write it as Parquet or CSV'],
];

/** An Excel workbook is a zip archive; its first part has one of these names. */
const WORKBOOK_PART = /^(\[Content_Types\]|_rels\/|docProps\/|xl\/)/;
const ZIP_NAME_AT = 30;
const WORKBOOK = [[], 'an Excel workbook', 'save it as CSV'] as const;

const START_BYTES = 64;

/** A mark of letters and digits only may also start a text table: `ORC` in `ORCL`. */
const WORD = /^[A-Za-z0-9]+$/;

const SEPARATED = /^[^\r\n]*[,;|\t]/;

/** True for control bytes other than tabs and line ends. */
const isControl = (byte: number): boolean =>
  (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d)) || byte === 0x7f;

/** Detects a file's type from its first bytes. Throws DataError for unsupported types and unreadable files. */
export function detectFileType(file: string): FileType {
  assertRegularFile(file);
  const start = firstBytes(file);
  const isTable =
    !start.some(isControl) && isUtf8(cutToCharacter(start)) && SEPARATED.test(start.toString('latin1'));
  const begins = (mark: readonly number[]): boolean =>
    mark.every((byte, at) => start[at] === byte) &&
    !(isTable && WORD.test(Buffer.from(mark).toString('latin1')));
  const [fileType = 'text'] = MAGIC_BYTES.find(([, mark]) => begins(mark)) ?? [];
  const refused = UNSUPPORTED.find(([mark]) => begins(mark));
  if (refused !== undefined) {
    const isWorkbook = WORKBOOK_PART.test(start.toString('latin1', ZIP_NAME_AT));
    const [, what, advice] = isWorkbook ? WORKBOOK : refused;
    throw new DataError({
      code: 'unreadable',
      problem: `Cannot read the file: it is ${what}`,
      advice,
      file,
    });
  }
  if (fileType === 'text' && start.length > 0 && file.endsWith('.gz'))
    throw decompressionError(file, 'gzip', undefined);
  return fileType;
}

/** Drops the last bytes if they may be part of a truncated UTF-8 character. */
function cutToCharacter(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > bytes.length - 4 && end > 0 && ((bytes[end - 1] as number) & 0x80) !== 0) end -= 1;
  return bytes.subarray(0, end);
}

function firstBytes(file: string): Buffer {
  const start = Buffer.alloc(START_BYTES);
  try {
    const descriptor = openSync(file, 'r');
    try {
      return start.subarray(0, readSync(descriptor, start));
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    throw unreadableSource(file, cause);
  }
}

/** Throws DataError unless the path is a regular file: opening a pipe blocks, and its bytes cannot be read twice. */
function assertRegularFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  const [what, advice] = stats.isDirectory()
    ? ['a folder', 'give a file in it']
    : ['a pipe or a device', 'save its output to a file and import that file'];
  throw new DataError({
    code: 'unreadable',
    problem: `Cannot read the file: it is ${what}`,
    advice,
    file,
  });
}

export function unreadableSource(file: string, cause: unknown): DataError {
  return new DataError({
    code: 'unreadable',
    problem: `Cannot read the file: ${cause instanceof Error ? cause.message : String(cause)}`,
    advice: 'check that it exists, is a file and is readable',
    file,
    cause,
  });
}

export function decompressionError(file: string, packing: 'gzip' | 'zstd', cause: unknown): DataError {
  return new DataError({
    code: packing === 'gzip' ? 'bad-gzip' : 'unreadable',
    problem: `Cannot decompress the file: the ${packing} data is truncated or damaged`,
    advice: 'copy or download the file again; none of it was used',
    file,
    cause,
  });
}
