import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BarParser, parseBars } from '../../src/market-data/csv.ts';
import { type BarSource, MAX_LINE_BYTES } from '../../src/market-data/csv-row.ts';
import { DataError, type DataErrorCode } from '../../src/market-data/data-error.ts';
import { securitySymbol } from '../../src/model/symbol.ts';

const HEADER = 'timestamp,open,high,low,close,volume';
const GOOD = '2024-01-02T14:30:00Z,10,12,9,11,100';
const source: BarSource = { file: 'data/AAPL.US/1m.csv', symbol: securitySymbol('AAPL.US'), period: '1m' };

function faultOf(text: string): DataError {
  try {
    parseBars(new TextEncoder().encode(text), source);
  } catch (error) {
    if (error instanceof DataError) return error;
    throw error;
  }
  throw new Error(`Read without a complaint: ${text}`);
}

/** The second bar of a file, its fault, and the column of the fault. */
const LIES: readonly (readonly [row: string, code: DataErrorCode, column: number])[] = [
  ['2024-01-02T14:31:00Z,1e309,12,9,11,100', 'bad-number', 22],
  ['2024-01-02T14:31:00Z,10,NaN,9,11,100', 'bad-number', 25],
  ['2024-01-02T14:31:00Z,10,Infinity,9,11,100', 'bad-number', 25],
  ['2024-01-02T14:31:00Z,10,12,,11,100', 'bad-number', 28],
  ['2024-01-02T14:31:00Z,10,12, 9,11,100', 'bad-number', 28],
  ['2024-01-02T14:31:00Z,10,12,0x9,11,100', 'bad-number', 28],
  ['2024-01-02T14:31:00Z,10,12,9,"11",100', 'bad-number', 30],
  ['2024-01-02T14:31:00Z,10,12,9,11,1_000', 'bad-number', 33],
  ['2024-01-02T14:31:00Z,10,12,9,1.1.1,100', 'bad-number', 30],
  ['2024-01-02T14:31:00Z,-10,12,9,11,100', 'not-positive', 22],
  ['2024-01-02T14:31:00Z,10,12,0,11,100', 'not-positive', 28],
  ['2024-01-02T14:31:00Z,10,12,9,11,-1', 'not-positive', 33],
  ['2024-01-02T14:31:00Z,10,8,9,10,100', 'inconsistent-bar', 25],
  ['2024-01-02T14:31:00Z,13,12,9,11,100', 'inconsistent-bar', 22],
  ['2024-01-02T14:31:00Z,10,12,9,8,100', 'inconsistent-bar', 30],
  ['2024-01-02T14:29:00Z,10,12,9,11,100', 'unsorted', 1],
  ['2024-01-02T14:30:00Z,10,12,9,11,100', 'duplicate-timestamp', 1],
  ['2024-01-02 14:31:00,10,12,9,11,100', 'bad-timestamp', 1],
  ['2024-02-30T14:31:00Z,10,12,9,11,100', 'bad-timestamp', 1],
  ['2024-01-02T24:00:00Z,10,12,9,11,100', 'bad-timestamp', 1],
  ['2024-01-02T14:31:00+08:00,10,12,9,11,100', 'bad-timestamp', 1],
  ['2024-01-03,10,12,9,11,100', 'bad-timestamp', 1],
  ['99999999999999999,10,12,9,11,100', 'bad-timestamp', 1],
  ['2024-01-02T14:31:00Z,10,12,9,11', 'column-count', 32],
  ['2024-01-02T14:31:00Z,10,50,12,00,9,00,11,00,100', 'column-count', 36],
  ['', 'column-count', 1],
  ['2024-01-02T14:31:00Z,10,12,9,1\u00001,100', 'nul-byte', 31],
  [`2024-01-02T14:31:00Z,10,12,9,11,${'0'.repeat(MAX_LINE_BYTES)}`, 'line-too-long', MAX_LINE_BYTES + 1],
];

describe('a bar file with false content (F-D10)', () => {
  it.each(LIES)('refuses "%.60s" as %s', (row, code, column) => {
    const fault = faultOf(`${HEADER}\n${GOOD}\n${row}\n${GOOD}\n`);
    expect({ code: fault.code, line: fault.line, column: fault.column }).toEqual({ code, line: 3, column });
    expect(fault.file).toBe(source.file);
    expect(fault.message).toContain(`\n  at data/AAPL.US/1m.csv:3:${column}`);
  });

  it('reports what was found, what is expected and what to do', () => {
    const fault = faultOf(`${HEADER}\n${GOOD.replace('12', '1e309')}\n`);
    expect(fault.value).toBe('1e309');
    expect(fault.message).toBe(
      'Cannot read a bar of AAPL.US: high is "1e309", want a finite decimal number; ' +
        'write plain digits with a decimal point, without quotes, spaces or separators\n  at data/AAPL.US/1m.csv:2:25',
    );
  });

  it('shows no control character of the file', () => {
    const fault = faultOf(`${HEADER}\n2024-01-02T14:30:00Z,\u001b[31m10\u202e,12,9,11,100\n`);
    expect(fault.message).toContain('"\\u001b[31m10\\u202e"');
  });

  it.each([
    ['timestamp,open,high,low,close', 'the column "volume" is missing'],
    ['timestamp,open,high,low,close,volume,adjusted', 'the column "adjusted" is not known'],
    ['timestamp,open,low,high,close,volume', 'column 3 is "low"'],
    ['Date,Open,High,Low,Close,Volume', 'the column "timestamp" is missing'],
    ['timestamp;open;high;low;close;volume', 'the column "timestamp" is missing'],
    ['__proto__,open,high,low,close,volume', 'the column "timestamp" is missing'],
    [GOOD, 'the column "timestamp" is missing'],
  ])('refuses the header "%s"', (header, saw) => {
    const fault = faultOf(`${header}\n${GOOD}\n`);
    expect(fault.code).toBe('bad-header');
    expect(fault.line).toBe(1);
    expect(fault.message).toContain(saw);
  });

  it('refuses an empty file', () => {
    expect(faultOf('').code).toBe('empty-file');
  });

  it('stops at a line without an end and keeps no more than the maximum length of a line', () => {
    const parser = new BarParser(source, 0);
    parser.feed(new TextEncoder().encode(`${HEADER}\n`));
    const endless = new Uint8Array(1024).fill(0x31);
    const feedOn = (): void => {
      for (let count = 0; count < 6; count++) parser.feed(endless);
    };
    expect(feedOn).toThrowError(expect.objectContaining({ code: 'line-too-long', line: 2 }));
  });

  it('reads any bytes as valid bars or as a DataError, and as nothing else', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .string({ unit: 'binary', maxLength: 80 })
        .map((text) => new TextEncoder().encode(`${HEADER}\n${text}`)),
      fc
        .array(fc.constantFrom(...'0123456789.,-:TZeE\n\r+ '), { maxLength: 80 })
        .map((chars) => new TextEncoder().encode(`${HEADER}\n${GOOD.slice(0, 21)}${chars.join('')}`)),
    );
    fc.assert(
      fc.property(noise, (bytes) => {
        try {
          const bars = parseBars(bytes, source);
          for (let row = 0; row < bars.length; row++) {
            expect(bars.low[row]).toBeGreaterThan(0);
            expect(bars.high[row]).toBeGreaterThanOrEqual(bars.low[row] ?? Number.NaN);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(DataError);
        }
      }),
    );
  });
});
