import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { parseColumnMap } from '../../src/market-data/column-map.ts';
import { type ImportRequest, importBars } from '../../src/market-data/import-bars.ts';
import { BAD_ROWS_MAX } from '../../src/market-data/import-rows.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { put, temporaryFolder } from './fixtures.ts';
import { faultOf, HEADER, imported } from './importing.ts';

const MINUTE: Partial<ImportRequest> = { period: '1m' };
const NEW_YORK: Partial<ImportRequest> = { period: '1m', zone: 'America/New_York' };
const ROW = '2024-01-02,10,12,9,11,100';
const NEXT = '2024-01-04,10,12,9,11,100';

/** The second row of a file, the code of its fault, and the column and value in the message. */
const BAD_ROWS: readonly (readonly [row: string, code: string, column: number, value: string])[] = [
  ['2024-01-03,null,null,null,null,null', 'bad-number', 12, 'null'],
  ['2024-01-03,1e309,12,9,11,100', 'bad-number', 12, '1e309'],
  ['2024-01-03,10,"1,23.5",9,11,100', 'bad-number', 15, '1,23.5'],
  ['2024-01-03,10,12,,11,100', 'bad-number', 18, ''],
  ['2024-01-03,10,12,9,$11,100', 'bad-number', 20, '$11'],
  ['2024-01-03,10,12,-9,11,100', 'not-positive', 18, '-9'],
  ['2024-01-03,10,8,9,9.5,100', 'inconsistent-bar', 15, '8'],
  ['2024-01-03,10,12,9,13,100', 'inconsistent-bar', 20, '13'],
  ['2024-02-30,10,12,9,11,100', 'bad-timestamp', 1, '2024-02-30'],
  ['01/03/2024,10,12,9,11,100', 'bad-timestamp', 1, '01/03/2024'],
  ['2024-01-02,10,12,9,11,100', 'duplicate-timestamp', 1, '2024-01-02'],
  ['2024-01-03,10,12,9,11', 'column-count', 1, '2024-01-03,10,12,9,11'],
  ['2024-01-03,10,50,12,00,9,00,11,00,100', 'column-count', 1, '2024-01-03,10,50,12,00,9,00,11,00,100'],
  ['2024-01-03,10,12,9,"11,100', 'column-count', 20, '2024-01-03,10,12,9,"11,100'],
  ['2024-01-03,10,12,9,1\u00001,100', 'nul-byte', 21, '2024-01-03,10,12,9,1\u00001,100'],
  [`2024-01-03,10,12,9,11,${'0'.repeat(5000)}`, 'line-too-long', 0, ''],
  ['Downloaded from a vendor', 'column-count', 1, 'Downloaded from a vendor'],
];

describe('a file with false content (F-D10)', () => {
  it('may be read without a row in which one figure is missing, and the message names the option', async () => {
    const fault = await faultOf(imported(`${HEADER}\n${ROW}\n2024-01-03,10,NaN,9,11,100\n`));
    expect(fault.message).toContain('high is "NaN"');
    expect(fault.message).toContain('correct the number, or skip such rows with --on-bad-row skip');
  });

  it('may end each row, but not the header, with a separator', async () => {
    const { lines } = await imported(`${HEADER}\n${ROW},\n${NEXT},,\n`);
    expect(lines.map((line) => line.slice(0, 10))).toEqual(['2024-01-02', '2024-01-04']);
  });

  it.each(BAD_ROWS)(
    'names "%.50s" as %s, and keeps nothing or all but it',
    async (row, code, column, value) => {
      const content = `${HEADER}\n${ROW}\n${row}\n${NEXT}\n`;
      const dir = temporaryFolder();
      const fault = await faultOf(imported(content, { dir }));
      expect({ code: fault.code, line: fault.line }).toEqual({ code, line: 3 });
      if (column > 0) expect({ column: fault.column, value: fault.value }).toEqual({ column, value });
      expect(readdirSync(dir)).toEqual([]);
      const { skipped, lines } = await imported(content, { onBadRow: 'skip' });
      expect(skipped.map((problem) => [problem.code, problem.line])).toEqual([[code, 3]]);
      expect(lines.map((line) => line.slice(0, 10))).toEqual(['2024-01-02', '2024-01-04']);
    },
  );

  it.each(['Total,,,,,4500', HEADER])('does not take "%s" below the header as a bar', async (line) => {
    const fault = await faultOf(imported(`${HEADER}\n${ROW}\n${line}\n${NEXT}\n`));
    expect([fault.code, fault.line]).toEqual(['bad-timestamp', 3]);
    expect(fault.message).toMatch(
      /this line is a header or a footer; remove the line, or skip .*--on-bad-row skip/,
    );
  });

  it('names rows out of order, either way round', async () => {
    const rising = await faultOf(imported(`${HEADER}\n${ROW}\n${NEXT}\n2024-01-03,10,12,9,11,100\n`));
    expect([rising.code, rising.line]).toEqual(['unsorted', 4]);
    const falling = await faultOf(imported(`${HEADER}\n${NEXT}\n${ROW}\n2024-01-03,10,12,9,11,100\n`));
    expect([falling.code, falling.line]).toEqual(['unsorted', 4]);
    expect(falling.message).toContain('newest first');
    const reported = await faultOf(imported(`${HEADER}\n${NEXT}\n${ROW}\n`, { order: 'oldest-first' }));
    expect([reported.code, reported.line]).toEqual(['unsorted', 3]);
  });

  it.each([
    ['an empty file', '', 'empty-file'],
    ['only a header', `${HEADER}\n`, 'empty-file'],
    ['only bad rows', `${HEADER}\n2024-01-02,0,0,0,0,0\n`, 'empty-file'],
    ['text', 'This is a letter to a friend.\n', 'unknown-layout'],
    ['a web page', '<!doctype html><html><body>Not found</body></html>\n', 'unreadable'],
    ['a zip archive', 'PK\u0003\u0004rest', 'unreadable'],
    ['an Excel workbook', `PK\u0003\u0004${'-'.repeat(26)}[Content_Types].xml`, 'unreadable'],
    ['an old Excel workbook', new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), 'unreadable'],
    ['bzip2', 'BZh91AY&SY', 'unreadable'],
    ['a Databento file', 'DBN\u0001', 'unreadable'],
    ['an Avro file', 'Obj\u0001', 'unreadable'],
    ['an ORC file', 'ORC', 'unreadable'],
    ['a NumPy array', new Uint8Array([0x93, ...Buffer.from('NUMPY')]), 'unreadable'],
    ['xz', new Uint8Array([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), 'unreadable'],
    ['UTF-16 without its mark', Buffer.from(`${HEADER}\n${ROW}\n`, 'utf16le'), 'nul-byte'],
    ['Zstandard cut short', zstdCompressSync(`${HEADER}\n${ROW}\n`.repeat(50)).subarray(0, -9), 'unreadable'],
    ['gzip cut short', gzipSync(`${HEADER}\n${ROW}\n`.repeat(50)).subarray(0, -9), 'bad-gzip'],
    [
      'gzip with a flipped bit',
      gzipSync(`${HEADER}\n${ROW}\n`).map((byte, at) => (at === 24 ? byte ^ 4 : byte)),
      'bad-gzip',
    ],
    ['a Parquet mark only', 'PAR1', 'bad-parquet'],
  ])('refuses %s', async (_, content, code) => {
    const dir = temporaryFolder();
    expect((await faultOf(imported(content, { dir, onBadRow: 'skip' }))).code).toBe(code);
    expect(readdirSync(dir)).toEqual([]);
  });

  it.each([
    ['Date,Open,High,Low,Last Price,Volume', 'close'],
    ['Date,Open,High,Low,Close,Volume BTC', 'volume'],
    ['Date,Open,Open,High,Low,Close,Volume', 'open'],
    ['__proto__,Open,High,Low,Close,Volume', 'time'],
    ['constructor,toString,High,Low,Close,Volume', 'time, open'],
  ])('names the column that is missing from "%s"', async (header, missing) => {
    const fault = await faultOf(imported(`${header}\n${ROW}\n`, { onBadRow: 'skip' }));
    expect(fault.code).toBe('unknown-layout');
    expect(fault.message).toContain(`Cannot determine which column is ${missing}.`);
    expect(fault.message).toContain('--map');
  });

  it('reports that local times need a zone, and stops even if bad rows are skipped', async () => {
    const content = `${HEADER}\n2024-01-02 09:30,10,12,9,11,100\n`;
    const fault = await faultOf(imported(content, { ...MINUTE, onBadRow: 'skip' }));
    expect(fault.code).toBe('unknown-zone');
    expect(fault.message).toContain('--zone');
    expect((await faultOf(imported(content, { ...MINUTE, zone: 'Mars/Olympus' }))).code).toBe('unknown-zone');
  });

  it('names a day without a time of day, and a time that the clocks skip', async () => {
    const day = await faultOf(imported(`${HEADER}\n${ROW}\n`, NEW_YORK));
    expect([day.code, day.line]).toEqual(['bad-timestamp', 2]);
    const skipped = await faultOf(imported(`${HEADER}\n2024-03-10 02:30,10,12,9,11,100\n`, NEW_YORK));
    expect(skipped.message).toContain('daylight saving time skips it');
  });

  it(`stops after ${BAD_ROWS_MAX} bad rows`, async () => {
    const dir = temporaryFolder();
    const content = `${HEADER}\n${ROW}\n${'x,x,x,x,x,x\n'.repeat(BAD_ROWS_MAX)}`;
    const fault = await faultOf(imported(content, { dir, onBadRow: 'skip' }));
    expect([fault.code, fault.line]).toEqual(['too-many-bad-rows', BAD_ROWS_MAX + 2]);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('uses no more memory for a line of 600 MB than for a short one, packed or not', async () => {
    const dir = temporaryFolder();
    const packed = gzipSync(Buffer.alloc(1 << 20, '1'));
    const member = (text: string): Uint8Array => gzipSync(text);
    const long = Array.from({ length: 600 }, () => packed);
    const content = Buffer.concat([member(`${HEADER}\n${ROW}\n`), ...long, member(`\n${NEXT}\n`)]);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const onProgress = (): void => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    };
    const { skipped, lines } = await imported(content, { dir, onBadRow: 'skip', onProgress });
    expect(skipped.map(({ code, line }) => [code, line])).toEqual([['line-too-long', 3]]);
    expect(lines).toHaveLength(2);
    expect(most).toBeLessThan(300 * 1024 * 1024);
  });

  it('unpacks no page of a Parquet file beyond what its header states', async () => {
    const column = (name: string, value: number | Date, type: 'DOUBLE' | 'TIMESTAMP') => {
      return { name, type, data: Array.from({ length: 20 }, () => value) };
    };
    const prices = ['Open', 'High', 'Low', 'Close', 'Volume'].map((name) => column(name, 10, 'DOUBLE'));
    const day = column('Date', new Date('2024-01-02'), 'TIMESTAMP');
    const bomb = gzipSync(Buffer.alloc(64 << 20));
    const compressors = { GZIP: () => bomb };
    const columnData = [day, ...prices];
    const content = new Uint8Array(parquetWriteBuffer({ columnData, codec: 'GZIP', compressors }));
    const fault = await faultOf(imported(content));
    expect(fault.code).toBe('bad-parquet');
    expect(fault.message).toMatch(/Cannot create a Buffer larger than \d+ bytes/);
  });

  it('keeps the stored series unchanged when the new one is bad', async () => {
    const { dir, lines } = await imported(`${HEADER}\n${ROW}\n`);
    const file = put(dir, 'bad.csv', `${HEADER}\n${NEXT}\n2024-01-05,0,0,0,0,0\n`);
    const request = {
      file,
      symbol: securitySymbol('AAPL.US'),
      period: '1d',
      dir: join(dir, 'data'),
    } as const;
    expect((await faultOf(importBars({ ...request, onBadRow: 'stop', replace: true }))).code).toBe(
      'not-positive',
    );
    expect(readFileSync(join(dir, 'data', 'AAPL.US', '1d.csv'), 'utf8')).toContain(lines[0] ?? 'a bar');
    expect(readdirSync(join(dir, 'data', 'AAPL.US')).sort()).toEqual(['1d.csv', 'security.json']);
  });

  it('refuses a missing file, and a folder', async () => {
    expect((await faultOf(imported('', { file: join(temporaryFolder(), 'none.csv') }))).code).toBe(
      'unreadable',
    );
    expect((await faultOf(imported('', { file: temporaryFolder() }))).message).toContain('it is a folder');
    expect((await faultOf(imported('', { file: '/dev/null' }))).message).toContain(
      'it is a pipe or a device',
    );
  });

  it.each(['time', 'time=', 'when=Date', 'time=Date,time=Day', 'close="Adj'])(
    'refuses the map "%s"',
    (map) => {
      expect(() => parseColumnMap(map, 'f.csv')).toThrowError(
        expect.objectContaining({ code: 'unknown-layout' }),
      );
    },
  );

  it('suggests a name for a mapped column that does not exist', async () => {
    const fault = await faultOf(imported(`${HEADER}\n${ROW}\n`, { map: parseColumnMap('close=Clse', 'f') }));
    expect(fault.message).toContain('did you mean "Close"?');
    expect(existsSync(join(fault.file, 'data'))).toBe(false);
  });
});
