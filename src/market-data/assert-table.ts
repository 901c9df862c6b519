import { DataError, quoted } from './data-error.ts';
import { separatorOf, splitLine } from './source-row.ts';

const DOCUMENT_TYPES: readonly (readonly [begins: RegExp, what: string, advice: string])[] = [
  [
    /^<(!doctype|html|head|body|meta|script|table|div|!--)/i,
    'a web page',
    'open its address in a browser to read the text, then download the CSV',
  ],
  [/^<(\?xml|error\b|response\b|soap)/i, 'XML', 'export it as CSV'],
  [/^\{\\rtf/, 'a rich-text document', 'save it as plain text'],
  [/^version https:\/\/git-lfs/, 'a pointer of Git LFS', 'fetch the file itself with "git lfs pull"'],
  [
    /^(\{\s*"|\[\s*[[{"\d-])/,
    'JSON',
    'download it as CSV, or convert it to lines of stamp, open, high, low, close, volume',
  ],
];

const ERROR_TEXT =
  /<title[^>]*>([^<]+)<|<message>([^<]+)<|"(?:information|note|message|error message|error|detail|description)"\s*:\s*"([^"]+)"/i;

/**
 * Throws DataError (`unreadable`) for a text that is not a table: a web page, JSON, a server's error response.
 * `start` is the beginning of the text.
 */
export function assertTable(start: string, file: string): void {
  const text = start.replace(/^\ufeff/, '').trimStart();
  const [, what, advice = ''] = DOCUMENT_TYPES.find(([begins]) => begins.test(text)) ?? [];
  if (what === undefined) return;
  const words = (ERROR_TEXT.exec(text) ?? []).slice(1).find((each) => each !== undefined);
  throw new DataError({
    code: 'unreadable',
    problem: `Cannot read the file: it is ${what}, not CSV${words === undefined ? '' : `, with the text ${quoted(words.trim())}`}`,
    advice,
    file,
  });
}

const FIELDS_MIN = 2;

/** A file with only a few lines and no separator is a server's response in place of the file. */
const RESPONSE_LINES_MAX = 5;

/** Returns the error for a text whose lines no separator splits into the fields of a bar. */
export function unknownColumns(file: string, line: number, texts: readonly string[]): DataError {
  const [text = ''] = texts;
  const place = { code: 'unknown-layout', file, line, value: text } as const;
  if (texts.length <= RESPONSE_LINES_MAX && texts.every((each) => !/[,;\t|]/.test(each)))
    return new DataError({
      ...place,
      problem: `Cannot find bars in the file: it contains only ${quoted(texts.join(' '))}`,
      advice: "this looks like a server's response instead of the file: download it again",
    });
  const separator = separatorOf(text, FIELDS_MIN);
  const fields = separator === undefined ? undefined : splitLine(text, separator);
  const isSame = texts.every((each) => splitLine(each, separator ?? ',')?.length === fields?.length);
  const [time, price] = fields?.map((each) => each.text) ?? [];
  if (isSame && texts.length > 1 && time !== undefined && price !== undefined)
    return new DataError({
      ...place,
      problem: `Cannot read bars from the file: its lines have ${fields?.length} columns, ${quoted(text)}, and a bar needs a stamp, open, high, low and close`,
      advice: `get a file with all of them, or make bars of a single price: --map time=${quoted(time)},${['open', 'high', 'low', 'close'].map((role) => `${role}=${quoted(price)}`).join(',')} --no-volume`,
    });
  return new DataError({
    ...place,
    problem: `Cannot find the columns: neither comma, semicolon, tab nor vertical bar splits ${quoted(text)} into the fields of a bar`,
    advice: 'skip lines before the header with --skip-lines, or export the file as CSV',
  });
}
