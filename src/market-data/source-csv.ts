import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { plural } from '../model/plural.ts';
import { assertTable, unknownColumns } from './assert-table.ts';
import { MAX_LINE_BYTES } from './csv-row.ts';
import { DataError, quoted } from './data-error.ts';
import { decompressionError, type FileType, unreadableSource } from './detect-file-type.ts';
import { type Separator, type SourceRow, separatorOf, splitLine } from './source-row.ts';
import { type Encoding, inUtf8 } from './text-encoding.ts';

/** Options for reading a text file; absent ones are inferred. */
export interface TextOptions {
  readonly separator?: Separator | undefined;
  readonly encoding?: Encoding | undefined;
  readonly skipLines: number;
  /** Minimum number of fields per line by which a separator is recognised; default: those of a bar. */
  readonly fieldsMin?: number;
  /** Called with a note on lines before the header that were skipped automatically. */
  readonly onNote?: (note: string) => void;
  /** Called with the share of the file that has been read, 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

const START_BYTES = 4096;

/** Maximum number of lines before the header that are skipped automatically, such as a title. */
const TITLE_LINES_MAX = 10;

/**
 * Reads the lines of a text file in batches with one piece of it in memory: plain or compressed, UTF-8, UTF-16 with a
 * byte-order mark, or in the given encoding. Skips blank lines. Yields a fault for a line that is too long or
 * contains a NUL or an unclosed quote. Throws DataError if the file cannot be read to its end.
 */
export async function* textRows(
  file: string,
  fileType: TextNature,
  options: TextOptions,
): AsyncGenerator<Iterable<SourceRow>> {
  const lines = new LineCutter(file);
  let separator = options.separator;
  const titles: NumberedLine[] = [];
  const noTable = (): DataError =>
    unknownColumns(
      file,
      titles[0]?.line ?? 1,
      titles.map(({ text }) => text),
    );
  function* rowsOf(texts: Iterable<NumberedLine>): Generator<SourceRow> {
    for (const each of texts) {
      const { line, text, fault } = each;
      if (line <= options.skipLines || (fault === undefined && isBlank(text))) continue;
      if (fault !== undefined) yield { kind: 'fault', line, fault };
      else {
        separator ??= separatorOf(text, options.fieldsMin);
        if (separator === undefined) {
          titles.push(each);
          if (titles.length > TITLE_LINES_MAX) throw noTable();
          continue;
        }
        if (titles[0] !== undefined) {
          options.onNote?.(
            `${plural(titles.length, 'line')} before the header skipped: ${quoted(titles[0].text)}`,
          );
          titles.length = 0;
        }
        const fields = splitLine(text, separator);
        yield fields === undefined
          ? { kind: 'fault', line, fault: openQuote(file, line, text) }
          : { kind: 'row', line, fields };
      }
    }
  }
  let isFirst = true;
  for await (const piece of inUtf8(pieces(file, fileType, options.onProgress), file, options.encoding)) {
    if (isFirst) assertTable(piece.toString('utf8', 0, START_BYTES), file);
    isFirst = false;
    yield rowsOf(lines.cut(piece));
  }
  yield rowsOf(lines.rest());
  if (separator === undefined && titles.length > 0) throw noTable();
}

type TextNature = Exclude<FileType, 'parquet'>;

const UNPACKED = { gzip: createGunzip, zstd: createZstdDecompress };

const PIECE_BYTES = 256 * 1024;

async function* pieces(
  file: string,
  fileType: TextNature,
  onProgress: TextOptions['onProgress'],
): AsyncGenerator<Buffer> {
  const total = Math.max(1, statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const source = createReadStream(file, { highWaterMark: PIECE_BYTES });
  const unpacked = fileType === 'text' ? undefined : UNPACKED[fileType]({ chunkSize: PIECE_BYTES });
  const stream: Readable = unpacked === undefined ? source : source.pipe(unpacked);
  source.on('error', (error) => unpacked?.destroy(error));
  try {
    for await (const piece of stream) {
      yield piece;
      onProgress?.(source.bytesRead / total);
    }
  } catch (cause) {
    const isSystem = cause instanceof Error && 'syscall' in cause;
    throw fileType === 'text' || isSystem
      ? unreadableSource(file, cause)
      : decompressionError(file, fileType, cause);
  } finally {
    source.destroy();
    unpacked?.destroy();
  }
}

interface NumberedLine {
  readonly line: number;
  readonly text: string;
  readonly fault: DataError | undefined;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Splits pieces into lines and buffers at most one line of the maximum length. */
class LineCutter {
  readonly #file: string;
  #kept: Buffer = Buffer.alloc(0);
  #isOverlong = false;
  #line = 0;
  /** Byte that ends lines; a lone carriage return in old Mac files. */
  #end: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Yields the lines that end in this piece; consume all before the next call. */
  *cut(piece: Buffer): Generator<NumberedLine> {
    this.#end ??= endOfLines(piece);
    const ending = this.#end;
    let rest = piece;
    if (this.#isOverlong) {
      const end = piece.indexOf(ending);
      if (end < 0) return;
      this.#isOverlong = false;
      rest = piece.subarray(end + 1);
    }
    const whole = this.#kept.length === 0 ? rest : Buffer.concat([this.#kept, rest]);
    const end = whole.lastIndexOf(ending);
    if (end >= 0)
      for (const text of whole.toString('utf8', 0, end).split(String.fromCharCode(ending)))
        yield this.#numbered(text);
    this.#kept = Buffer.from(whole.subarray(end + 1));
    if (this.#kept.length > MAX_LINE_BYTES) {
      yield this.#numbered(this.#kept.toString('utf8', 0, MAX_LINE_BYTES + 1));
      this.#kept = Buffer.alloc(0);
      this.#isOverlong = true;
    }
  }

  rest(): readonly NumberedLine[] {
    return this.#kept.length === 0 ? [] : [this.#numbered(this.#kept.toString('utf8'))];
  }

  #numbered(raw: string): NumberedLine {
    this.#line++;
    const line = this.#line;
    const text = (line === 1 ? raw.replace(/^\ufeff/, '') : raw).replace(/[\r\n]$/, '');
    return { line, text, fault: faultIn(text, this.#file, line) };
  }
}

/** Returns the byte that ends lines: a carriage return if lone ones outnumber newlines. */
function endOfLines(piece: Buffer): number {
  let [alone, newlines] = [0, 0];
  for (let at = piece.indexOf(RETURN); at >= 0; at = piece.indexOf(RETURN, at + 1)) {
    const next = piece[at + 1];
    if (next !== NEWLINE && next !== RETURN) alone++;
  }
  if (alone === 0) return NEWLINE;
  for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) newlines++;
  return alone > newlines ? RETURN : NEWLINE;
}

function faultIn(text: string, file: string, line: number): DataError | undefined {
  if (text.length > MAX_LINE_BYTES) {
    return new DataError({
      code: 'line-too-long',
      problem: `Cannot read a line that starts ${quoted(text)}: it is longer than ${MAX_LINE_BYTES} bytes`,
      advice: 'write one bar per line',
      file,
      line,
      value: text,
    });
  }
  const nul = text.indexOf('\0');
  if (nul < 0) return undefined;
  return new DataError({
    code: 'nul-byte',
    problem: `Cannot read a line: there is a NUL byte in ${quoted(text)}`,
    advice: 'the file is damaged or not UTF-8 text, export it again',
    file,
    line,
    column: nul + 1,
    value: text,
  });
}

function openQuote(file: string, line: number, text: string): DataError {
  return new DataError({
    code: 'column-count',
    problem: `Cannot read the line ${quoted(text)}: a double quote is not closed`,
    advice: 'close the quote on the same line',
    file,
    line,
    column: text.lastIndexOf('"') + 1,
    value: text,
  });
}

/** True for a line of only blanks, separators and empty quotes, as spreadsheets write below the last row. */
function isBlank(text: string): boolean {
  return /^(?:[\s,;|]|"")*$/.test(text);
}
