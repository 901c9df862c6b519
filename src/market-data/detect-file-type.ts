import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DataError } from './data-error.ts';

/** What the first bytes of a file give away. */
export type FileType = 'text' | 'gzip' | 'zstd' | 'parquet';

const NATURES: readonly (readonly [nature: FileType, mark: readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['parquet', [0x50, 0x41, 0x52, 0x31]],
];

/** What is not read, by its first bytes. */
const REFUSED: readonly (readonly [mark: readonly number[], what: string, advice: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'a zip archive', 'unzip it first'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an Excel workbook of old', 'save it as CSV'],
  [[0x42, 0x5a, 0x68], 'packed with bzip2', 'unpack it first'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'packed with xz', 'unpack it first'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'a 7-Zip archive', 'unpack it first'],
  [[...Buffer.from('Rar!')], 'a RAR archive', 'unpack it first'],
  [[...Buffer.from('%PDF')], 'a PDF document', 'ask its vendor for CSV'],
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

/** What a workbook of today begins with, which is a zip archive: the name of its first part. */
const WORKBOOK_PART = /^(\[Content_Types\]|_rels\/|docProps\/|xl\/)/;
const ZIP_NAME_AT = 30;
const WORKBOOK = [[], 'an Excel workbook', 'save it as CSV'] as const;

/** As many bytes as tell a workbook from any other archive. */
const START_BYTES = 64;

/** A mark of letters and digits alone may be the beginning of a table, as ORC is of ORCL. */
const WORD = /^[A-Za-z0-9]+$/;

/** A first line with a separator of columns. */
const SEPARATED = /^[^\r\n]*[,;|\t]/;

/** Bytes that no text in UTF-8 holds, but for blanks and the ends of lines. */
const isControl = (byte: number): boolean =>
  (byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d)) || byte === 0x7f;

/** Reads the first bytes of a file. Throws DataError for what we cannot unpack, and what cannot be read. */
export function detectFileType(file: string): FileType {
  demandFile(file);
  const start = firstBytes(file);
  const isTable =
    !start.some(isControl) && isUtf8(cutToCharacter(start)) && SEPARATED.test(start.toString('latin1'));
  const begins = (mark: readonly number[]): boolean =>
    mark.every((byte, at) => start[at] === byte) &&
    !(isTable && WORD.test(Buffer.from(mark).toString('latin1')));
  const [nature = 'text'] = NATURES.find(([, mark]) => begins(mark)) ?? [];
  const refused = REFUSED.find(([mark]) => begins(mark));
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
  if (nature === 'text' && start.length > 0 && file.endsWith('.gz'))
    throw badPacking(file, 'gzip', undefined);
  return nature;
}

/** Without the character that the end of the bytes may have cut through. */
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

/** Opening a pipe blocks until its other end is open, and bytes read from it cannot be read again. */
function demandFile(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  const [what, advice] = stats.isDirectory()
    ? ['a folder', 'name a file in it']
    : ['a pipe or a device', 'save what comes out of it to a file, and import that'];
  throw new DataError({
    code: 'unreadable',
    problem: `Cannot read the file: it is ${what}`,
    advice,
    file,
  });
}

/** The error of a file that the system does not let us read. */
export function unreadableSource(file: string, cause: unknown): DataError {
  return new DataError({
    code: 'unreadable',
    problem: `Cannot read the file: ${cause instanceof Error ? cause.message : String(cause)}`,
    advice: 'check that it exists, is a file and may be read',
    file,
    cause,
  });
}

/** The error of a packed file that ends early, or is not what was packed. */
export function badPacking(file: string, packing: 'gzip' | 'zstd', cause: unknown): DataError {
  return new DataError({
    code: packing === 'gzip' ? 'bad-gzip' : 'unreadable',
    problem: `Cannot unpack the file: the ${packing} data is cut short or damaged`,
    advice: 'copy or download the file again, nothing of it was used',
    file,
    cause,
  });
}
