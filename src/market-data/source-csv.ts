import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { plural } from '../model/plural.ts';
import { MAX_LINE_BYTES } from './csv-row.ts';
import { DataError, quoted } from './data-error.ts';
import { badPacking, type FileType, unreadableSource } from './detect-file-type.ts';
import { noColumns, refuseNoTable } from './no-table.ts';
import { type Separator, type SourceRow, separatorOf, splitLine } from './source-row.ts';
import { type Encoding, inUtf8 } from './text-encoding.ts';

/** How a text file is taken apart; what is absent is found out from the file. */
export interface TextOptions {
  readonly separator?: Separator | undefined;
  readonly encoding?: Encoding | undefined;
  /** Lines in front of the header that are no data. */
  readonly skipLines: number;
  /** Fewest fields that a separator must make of a line; those of a bar where absent. */
  readonly fieldsMin?: number;
  /** Called with lines before the header that were skipped by themselves. */
  readonly onNote?: (note: string) => void;
  /** Called with the share of the file that has been read, from 0 to 1. */
  readonly onShare?: ((share: number) => void) | undefined;
}

/** As many bytes as tell a table from a web page. */
const START_BYTES = 4096;

/** Lines in front of the header that are passed over unasked: a title, an address. */
const TITLE_LINES_MAX = 10;

/**
 * Reads the lines of a text file, packed or not, UTF-8, marked as UTF-16 or in the given encoding, in batches; never holds more than a piece of it. Blank lines are passed
 * over. A line that is too long, holds a NUL or an unclosed quote comes as a fault in its place. Throws DataError
 * when the file cannot be read to its end.
 */
export async function* textRows(
  file: string,
  nature: TextNature,
  options: TextOptions,
): AsyncGenerator<Iterable<SourceRow>> {
  const lines = new LineCutter(file);
  let separator = options.separator;
  /** The lines so far that no separator splits. */
  const titles: NumberedLine[] = [];
  const noTable = (): DataError =>
    noColumns(
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
            `${plural(titles.length, 'line')} in front of the header passed over: ${quoted(titles[0].text)}`,
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
  for await (const piece of inUtf8(pieces(file, nature, options.onShare), file, options.encoding)) {
    if (isFirst) refuseNoTable(piece.toString('utf8', 0, START_BYTES), file);
    isFirst = false;
    yield rowsOf(lines.cut(piece));
  }
  yield rowsOf(lines.rest());
  if (separator === undefined && titles.length > 0) throw noTable();
}

/** Plain or compressed text. */
type TextNature = Exclude<FileType, 'parquet'>;

const UNPACKED = { gzip: createGunzip, zstd: createZstdDecompress };

const PIECE_BYTES = 256 * 1024;

async function* pieces(
  file: string,
  nature: TextNature,
  onShare: TextOptions['onShare'],
): AsyncGenerator<Buffer> {
  const total = Math.max(1, statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  const source = createReadStream(file, { highWaterMark: PIECE_BYTES });
  const unpacked = nature === 'text' ? undefined : UNPACKED[nature]({ chunkSize: PIECE_BYTES });
  const stream: Readable = unpacked === undefined ? source : source.pipe(unpacked);
  source.on('error', (error) => unpacked?.destroy(error));
  try {
    for await (const piece of stream) {
      yield piece;
      onShare?.(source.bytesRead / total);
    }
  } catch (cause) {
    const isSystem = cause instanceof Error && 'syscall' in cause;
    throw nature === 'text' || isSystem ? unreadableSource(file, cause) : badPacking(file, nature, cause);
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

/** Cuts pieces into lines and keeps at most the longest line there may be. */
class LineCutter {
  readonly #file: string;
  #kept: Buffer = Buffer.alloc(0);
  /** True while the end of a line that is too long is still to come. */
  #isOverlong = false;
  #line = 0;
  /** The byte that ends lines: of old, a carriage return alone. */
  #end: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** The lines that end in this piece; all must be taken before the next piece comes. */
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

/** The byte that ends lines: a carriage return where those that stand alone outnumber the newlines. */
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
      advice: 'give one bar a line',
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

/** Nothing but blanks, separators and empty quotes: a spreadsheet writes such rows below its last one. */
function isBlank(text: string): boolean {
  return /^(?:[\s,;|]|"")*$/.test(text);
}
