import { closeSync, openSync, readSync } from 'node:fs';
import { TextDecoder } from 'node:util';
import { constants, gunzipSync } from 'node:zlib';
import { COLUMN_NAMES, nameWithoutUnit, plainName } from './column-names.ts';
import { DataError } from './data-error.ts';

/** Encodings that the user may name. UTF-8, and UTF-16 with a byte-order mark, are detected. */
export const ENCODINGS = ['utf-8', 'gbk', 'gb18030', 'big5', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Byte-order marks of UTF-16, which spreadsheets save as "Unicode text". */
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
 * Converts text of the given encoding, or UTF-16 with a byte-order mark, to UTF-8 piece by piece; passes any other
 * text through. Throws DataError (`unreadable`) for bytes that are invalid in the given encoding.
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
        problem: `Cannot read the file: it has bytes that are not valid ${encoding}`,
        advice: 'use another --encoding, or omit it for UTF-8',
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

const HEAD_BYTES = 16_384;
const LINES = 20;

const WORDS: ReadonlySet<string> = new Set(
  Object.values(COLUMN_NAMES)
    .flat()
    .filter((name) => name !== ''),
);

/**
 * Guesses the encoding in which the first lines name known columns; undefined for UTF-8 and if there is none. Reads
 * the file again, so use it for errors only.
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

/** Returns the first whole lines of a file, gunzipped if necessary; undefined if it cannot be read. */
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
