import { closeSync, openSync, readSync } from 'node:fs';
import { TextDecoder } from 'node:util';
import { constants, gunzipSync } from 'node:zlib';
import { COLUMN_NAMES, nameWithoutUnit, plainName } from './column-names.ts';
import { DataError } from './data-error.ts';

/** Encodings of text files that may be named; UTF-8, and UTF-16 that is marked as such, need not be. */
export const ENCODINGS = ['utf-8', 'gbk', 'gb18030', 'big5', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** What UTF-16 text begins with, as spreadsheets save "Unicode text". */
const UTF_16: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

function decoderOf(start: Buffer, encoding: Encoding | undefined): TextDecoder | undefined {
  if (encoding === 'utf-8') return undefined;
  if (encoding !== undefined) return new TextDecoder(encoding, { fatal: true });
  const [marked] = UTF_16.find(([, mark]) => mark.every((byte, at) => start[at] === byte)) ?? [];
  return marked === undefined ? undefined : new TextDecoder(marked);
}

/**
 * Text of another encoding, and such as is marked as UTF-16, comes out in UTF-8, a piece at a time; any other as it is. Throws
 * DataError (`unreadable`) at bytes that are no text in the given encoding.
 */
export async function* inUtf8(
  source: AsyncIterable<Buffer>,
  file: string,
  encoding: Encoding | undefined,
): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  const decoded = (piece: Buffer | undefined): Buffer => {
    try {
      return Buffer.from(
        piece === undefined ? (decoder?.decode() ?? '') : (decoder?.decode(piece, { stream: true }) ?? piece),
      );
    } catch (cause) {
      throw new DataError({
        code: 'unreadable',
        problem: `Cannot read the file: it has bytes that are no text in ${encoding}`,
        advice: 'say another --encoding, or none for UTF-8',
        file,
        cause,
      });
    }
  };
  for await (const piece of source) {
    if (isFirst) decoder = decoderOf(piece, encoding);
    isFirst = false;
    yield decoder === undefined ? piece : decoded(piece);
  }
  if (decoder !== undefined) yield decoded(undefined);
}

/** Bytes at the beginning of a file in which its header is looked for. */
const HEAD_BYTES = 16_384;
const LINES = 20;

/** Every word by which a column is known. */
const WORDS: ReadonlySet<string> = new Set(
  Object.values(COLUMN_NAMES)
    .flat()
    .filter((name) => name !== ''),
);

/**
 * The encoding in which the first lines of a file name columns that are known, where they are no UTF-8; undefined where none
 * does. Reads a few bytes again, so it is for errors.
 */
export function likelyEncoding(file: string): Encoding | undefined {
  const head = headOf(file);
  if (head === undefined || textIn(head, 'utf-8') !== undefined) return undefined;
  const found = (['gbk', 'big5', 'windows-1252'] as const).map((encoding) => ({
    encoding,
    words: wordsIn(textIn(head, encoding) ?? ''),
  }));
  const best = found.toSorted((a, b) => b.words - a.words)[0];
  return best === undefined || best.words === 0 ? undefined : best.encoding;
}

function wordsIn(text: string): number {
  const names = text.split(/[,;\t|\r\n]/).map((name) => name.replaceAll('"', ''));
  return names.filter(
    (name) => !isAscii(name) && (WORDS.has(plainName(name)) || WORDS.has(nameWithoutUnit(name))),
  ).length;
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

function textIn(bytes: Buffer, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The first whole lines of a file, unpacked where it is gzip; undefined where it cannot be read. */
function headOf(file: string): Buffer | undefined {
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const descriptor = openSync(file, 'r');
    let start: Buffer;
    try {
      start = bytes.subarray(0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
    const isPacked = start[0] === 0x1f && start[1] === 0x8b;
    const text = isPacked ? gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH }) : start;
    let end = -1;
    for (let line = 0; line < LINES; line++) {
      const next = text.indexOf('\n', end + 1);
      if (next < 0) break;
      end = next;
    }
    return end < 0 ? text : text.subarray(0, end);
  } catch {
    return undefined;
  }
}
