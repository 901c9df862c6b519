import { describe, expect, it } from 'vitest';
import { faultOf, HEADER, imported } from './importing.ts';

const DAY = '10,12,9,11,100';

/** Input that is not a CSV, and the message about it. */
const NO_TABLES: readonly (readonly [string, content: string, message: RegExp])[] = [
  [
    'an error page with commas in its title',
    '<!DOCTYPE html>\n<html lang="en"><head><title>429 Too Many, try later, please, a, b, c</title></head></html>',
    /it is a web page, not CSV, with the text "429 Too Many, try later, please, a, b, c"; open its address/,
  ],
  ['a table of a web page under another name', '<table><tr><td>Date</td></tr></table>', /it is a web page/],
  [
    'a refusal in XML',
    '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
    /it is XML, not CSV, with the text "Access Denied"/,
  ],
  [
    'a refusal in JSON',
    '{\n  "Information": "our standard limit is 25 requests per day"\n}',
    /it is JSON, not CSV, with the text "our standard limit is 25 requests per day"/,
  ],
  [
    'JSON of a vendor, with more commas than a bar needs',
    '{"ticker":"AAPL","results":[{"v":8,"o":187.15,"c":185.64,"h":188.44,"l":183.885,"t":1704171600000}]}',
    /it is JSON, not CSV; download it as CSV/,
  ],
  [
    'a line of JSON a bar',
    '{"date":"2024-01-02","open":1,"high":2,"low":1,"close":1,"volume":1}\n{"date":"2024-01-03","open":1}\n',
    /it is JSON, not CSV/,
  ],
  ['a list in JSON', '\ufeff[\n  {"date": "2024-01-02"}\n]', /it is JSON, not CSV/],
  ['a document', '{\\rtf1\\ansi Date,Open,High,Low,Close,Volume\\par}', /it is a rich-text document/],
  ['a pointer', 'version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12345\n', /git lfs pull/],
  ['a word', 'Forbidden\r\n', /it contains only "Forbidden"; this looks like a server's response/],
  ['a sentence', 'Exceeded the daily hits limit', /contains only "Exceeded the daily hits limit"/],
  ['a PDF', '%PDF-1.7\n1 0 obj', /it is a PDF document/],
  ['a database', 'SQLite format 3\0aaaa', /it is an SQLite database/],
  ['Arrow', 'ARROW1\0\0aaaa', /it is an Arrow \(Feather\) file; write it as Parquet/],
];

describe('a file with the name of a CSV', () => {
  it.each(NO_TABLES)('is recognised as %s', async (_, content, message) => {
    const fault = await faultOf(imported(content));
    expect(fault.message).toMatch(message);
    expect(fault.message.split('\n')).toHaveLength(2);
  });

  it('is recognised as HDF5 and as a pickle by its first bytes', async () => {
    const hdf = Buffer.from('894844460d0a1a0a00', 'hex');
    expect((await faultOf(imported(hdf))).message).toContain('an HDF5 file');
    const pickle = Buffer.from('80049500000000', 'hex');
    expect((await faultOf(imported(pickle))).message).toContain('a Python pickle');
  });
});

describe('lines that end in a single carriage return', () => {
  const lines = (end: string, last: string): string =>
    [HEADER, `2024-01-02,${DAY}`, `2024-01-03,${DAY}`].join(end) + last;

  it.each([
    ['alone', lines('\r', '\r')],
    ['with a newline after the last', lines('\r', '\n')],
    ['with both after the last', lines('\r', '\r\n')],
    ['two of them and a newline', lines('\r\r\n', '\r\r\n')],
    ['and a newline, but one within a line', lines('\r\n', '\r\n').replace('100', '100\r')],
  ])('%s', async (_, text) => {
    const { lines } = await imported(text);
    expect(lines).toEqual([`2024-01-02T05:00:00Z,${DAY}`, `2024-01-03T05:00:00Z,${DAY}`]);
  });
});
