import { DataError, quoted } from './data-error.ts';
import { separatorOf, splitLine } from './source-row.ts';

const BEGINNINGS: readonly (readonly [begins: RegExp, what: string, advice: string])[] = [
  [
    /^<(!doctype|html|head|body|meta|script|table|div|!--)/i,
    'a web page',
    'open its address in a browser to read its text, and download the CSV itself',
  ],
  [/^<(\?xml|error\b|response\b|soap)/i, 'XML', 'ask its vendor for CSV'],
  [/^\{\\rtf/, 'a rich-text document', 'save it as plain text'],
  [/^version https:\/\/git-lfs/, 'a pointer of Git LFS', 'fetch the file itself with "git lfs pull"'],
  [
    /^(\{\s*"|\[\s*[[{"\d-])/,
    'JSON',
    'ask its vendor for CSV, or write its bars as lines of stamp, open, high, low, close, volume',
  ],
];

const WORDS =
  /<title[^>]*>([^<]+)<|<message>([^<]+)<|"(?:information|note|message|error message|error|detail|description)"\s*:\s*"([^"]+)"/i;

/**
 * Throws DataError (`unreadable`) for a text that is not a table: a web page, JSON, a server's error response.
 * `start` is the beginning of the text.
 */
export function refuseNoTable(start: string, file: string): void {
  const text = start.replace(/^\ufeff/, '').trimStart();
  const [, what, advice = ''] = BEGINNINGS.find(([begins]) => begins.test(text)) ?? [];
  if (what === undefined) return;
  const words = (WORDS.exec(text) ?? []).slice(1).find((each) => each !== undefined);
  throw new DataError({
    code: 'unreadable',
    problem: `Cannot read the file: it is ${what}, not CSV${words === undefined ? '' : `, with the text ${quoted(words.trim())}`}`,
    advice,
    file,
  });
}

const FIELDS_MIN = 2;

/** A file with only a few lines and no separator is a server's response in place of the file. */
const ANSWER_LINES_MAX = 5;

/** Returns the error for a text whose lines no separator splits into the fields of a bar. */
export function noColumns(file: string, line: number, texts: readonly string[]): DataError {
  const [text = ''] = texts;
  const place = { code: 'unknown-layout', file, line, value: text } as const;
  if (texts.length <= ANSWER_LINES_MAX && texts.every((each) => !/[,;\t|]/.test(each)))
    return new DataError({
      ...place,
      problem: `Cannot find bars in the file: it holds nothing but ${quoted(texts.join(' '))}`,
      advice: 'this looks like an answer of a server in place of a file: download it again',
    });
  const separator = separatorOf(text, FIELDS_MIN);
  const fields = separator === undefined ? undefined : splitLine(text, separator);
  const isSame = texts.every((each) => splitLine(each, separator ?? ',')?.length === fields?.length);
  const [time, price] = fields?.map((each) => each.text) ?? [];
  if (isSame && texts.length > 1 && time !== undefined && price !== undefined)
    return new DataError({
      ...place,
      problem: `Cannot make bars of the file: its lines have ${fields?.length} columns, ${quoted(text)}, and a bar needs a stamp, open, high, low and close`,
      advice: `get a file with all of them; or make bars of one price alone: --map time=${quoted(time)},${['open', 'high', 'low', 'close'].map((role) => `${role}=${quoted(price)}`).join(',')} --no-volume`,
    });
  return new DataError({
    ...place,
    problem: `Cannot tell the columns apart: neither comma, semicolon, tab nor bar splits ${quoted(text)} into the figures of a bar`,
    advice: 'pass over lines in front of the header with --skip-lines, or export the file as CSV',
  });
}
