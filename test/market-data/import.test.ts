import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseColumnMap } from '../../src/market-data/column-map.ts';
import { type ImportRequest, importBars } from '../../src/market-data/import-bars.ts';
import { inferPeriod } from '../../src/market-data/infer-period.ts';
import { openBarStore } from '../../src/market-data/store.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { put, temporaryFolder } from './fixtures.ts';
import { FACTS, faultOf, HEADER, imported } from './importing.ts';

const MINUTE: Partial<ImportRequest> = { period: '1m' };
const NEW_YORK: Partial<ImportRequest> = { period: '1m', zone: 'America/New_York' };
const DAY = '2024-01-02T05:00:00Z,10,12,9,11,100';
const OPENING = '2024-01-02T14:30:00Z,10,12,9,11,100';

/** Layouts of vendors, and the line that each becomes. */
const LAYOUTS: readonly (readonly [
  name: string,
  content: string,
  options: Partial<ImportRequest>,
  line: string,
])[] = [
  ['our own', `timestamp,open,high,low,close,volume\n${DAY}\n`, {}, DAY],
  [
    'yahoo',
    `Date,Open,High,Low,Close,Adj Close,Volume\n2024-01-02,10,12,9,11,5.5,100\n`,
    { format: 'yahoo' },
    DAY,
  ],
  [
    'yahoo, adjusted',
    `Date,Open,High,Low,Close,Adj Close,Volume\n2024-01-02,10,12,9,11,5.5,100\n`,
    { adjust: true },
    '2024-01-02T05:00:00Z,5,6,4.5,5.5,100',
  ],
  [
    'stooq',
    '<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\nAAPL.US,D,20240102,000000,10,12,9,11,100,0\n',
    { format: 'stooq' },
    DAY,
  ],
  [
    'stooq by the minute',
    '<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\nAAPL.US,1,20240102,153000,10,12,9,11,100,0\n',
    { period: '1m', zone: 'Europe/Warsaw' },
    OPENING,
  ],
  [
    'binance',
    '1704205800000,10,12,9,11,100,1704205859999,1100,5,50,550,0\n',
    { ...MINUTE, format: 'binance' },
    OPENING,
  ],
  [
    'binance since 2025',
    '1704205800000000,10,12,9,11,100,1704205859999999,1100,5,50,550,0\n',
    { ...MINUTE, format: 'binance' },
    OPENING,
  ],
  [
    'nasdaq',
    'Date,Close/Last,Volume,Open,High,Low\n01/02/2024,$11.00,100,$10.00,$12.00,$9.00\n',
    { format: 'nasdaq' },
    DAY,
  ],
  [
    'metatrader',
    '<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>\n2024.01.02\t09:30:00\t10\t12\t9\t11\t100\t0\t2\n',
    { ...NEW_YORK, format: 'metatrader' },
    OPENING,
  ],
  ['histdata', '20240102 093000;10;12;9;11;100\n', NEW_YORK, OPENING],
  ['day and clock without a header', '20240102,0930,10,12,9,11,100\n', NEW_YORK, OPENING],
  [
    'days without a header whose open could be a clock',
    '2024-01-02,1015,1020,999.5,1010,5,0\n',
    {},
    '2024-01-02T05:00:00Z,1015,1020,999.5,1010,5',
  ],
  [
    'the same with decimal commas',
    '2024-01-02;100;102,5;99,25;101,5;7\n',
    {},
    '2024-01-02T05:00:00Z,100,102.5,99.25,101.5,7',
  ],
  ['pandas', ',Open,High,Low,Close,Volume\n2024-01-02 00:00:00-05:00,10.0,12.0,9.0,11.0,100\n', {}, DAY],
  [
    'quoted, with spaces',
    '"Date", "Open", "High", "Low", "Close", "Volume"\n"2024-01-02", "10", "12", "9", "11", "100"\n',
    {},
    DAY,
  ],
  ['Windows lines and a byte-order mark', `\ufeff${HEADER}\r\n2024-01-02,10,12,9,11,100\r\n\r\n`, {}, DAY],
  ['no newline at the end', `${HEADER}\n2024-01-02,10,12,9,11,100`, {}, DAY],
  ['lines in front', `https://example.com\n${HEADER}\n2024-01-02,10,12,9,11,100\n`, { skipLines: 1 }, DAY],
  [
    'no volume',
    'Date,Open,High,Low,Close\n2024-01-02,10,12,9,11\n',
    { hasVolume: false },
    '2024-01-02T05:00:00Z,10,12,9,11,0',
  ],
  [
    'bars stamped at their close',
    'time,o,h,l,c,v\n2024-01-02T14:31:00Z,10,12,9,11,100\n',
    { ...MINUTE, stampedAt: 'close' },
    OPENING,
  ],
  ['month first, given', `${HEADER}\n1/2/2024,10,12,9,11,100\n`, { dates: 'mdy' }, DAY],
  ['midnight UTC for a day', `${HEADER}\n1704153600,10,12,9,11,100\n`, {}, DAY],
  ['the opening for a day', `${HEADER}\n1704205800,10,12,9,11,100\n`, {}, DAY],
];

describe('importBars', () => {
  it.each(LAYOUTS)('reads the layout: %s', async (_, content, options, line) => {
    expect((await imported(content, options)).lines).toEqual([line]);
  });

  it('stamps days at the midnight of the exchange', async () => {
    const { lines } = await imported(`${HEADER}\n2025-09-01,10,12,9,11,100\n`, {
      symbol: securitySymbol('700.HK'),
    });
    expect(lines).toEqual(['2025-08-31T16:00:00Z,10,12,9,11,100']);
  });

  it('stamps a bar that closes before a break at its own opening, although it is shorter than its period', async () => {
    const row = (clock: string): string => `2024-01-02T${clock}:00Z,10,12,9,11,100\n`;
    const hours = async (symbol: string, clocks: readonly string[]) =>
      (
        await imported(`time,o,h,l,c,v\n${clocks.map(row).join('')}`, {
          ...{ symbol: securitySymbol(symbol), period: '1h', stampedAt: 'close' },
        })
      ).lines.map((line) => line.slice(11, 16));
    // Hong Kong trades from 01:30 to 04:00 and from 05:00 UTC, New York from 14:30 to 21:00.
    expect(await hours('700.HK', ['02:30', '03:30', '04:00', '06:00'])).toEqual([
      '01:30',
      '02:30',
      '03:30',
      '05:00',
    ]);
    expect(await hours('AAPL.US', ['15:30', '20:30', '21:00'])).toEqual(['14:30', '19:30', '20:30']);
  });

  it('reads columns by a map of names and numbers', async () => {
    const content = 'When,At,"Price, first",Top,Bottom,Price last,Shares\n2024-01-02,09:30,10,12,9,11,100\n';
    const map = parseColumnMap(
      'time=When+At,open="Price, first",high=4,low=bottom,close="Price last",volume=Shares',
      'f',
    );
    expect((await imported(content, { ...NEW_YORK, map })).lines).toEqual([OPENING]);
  });

  it('keeps both readings of the hour that the clocks repeat', async () => {
    const row = (clock: string): string => `2024-11-03 ${clock},10,12,9,11,100`;
    const { lines } = await imported(
      `${HEADER}\n${row('01:30')}\n${row('01:59')}\n${row('01:00')}\n${row('01:30')}\n`,
      NEW_YORK,
    );
    expect(lines.map((line) => line.slice(0, 20))).toEqual([
      '2024-11-03T05:30:00Z',
      '2024-11-03T05:59:00Z',
      '2024-11-03T06:00:00Z',
      '2024-11-03T06:30:00Z',
    ]);
  });

  it('keeps both readings of that hour in a file that begins with the newest bar', async () => {
    const row = (clock: string): string => `2024-11-03 ${clock},10,12,9,11,100`;
    const content = `${HEADER}\n${['02:00', '01:30', '01:00', '01:59', '01:30'].map(row).join('\n')}\n`;
    for (const order of ['auto', 'newest-first'] as const) {
      const { lines } = await imported(content, { ...NEW_YORK, order });
      expect(lines.map((line) => line.slice(11, 16))).toEqual(['05:30', '05:59', '06:00', '06:30', '07:00']);
    }
    const second = `${HEADER}\n${['01:30', '01:00', '00:59'].map(row).join('\n')}\n`;
    const { lines } = await imported(second, { ...NEW_YORK, order: 'newest-first' });
    expect(lines.map((line) => line.slice(11, 16))).toEqual(['04:59', '06:00', '06:30']);
  });

  it('reverses a file that begins with the newest bar', async () => {
    const rows = ['2024-01-04', '2024-01-03', '2024-01-02'].map((day, at) => `${day},10,12,9,11,${at}`);
    const { lines } = await imported(`${HEADER}\n${rows.join('\n')}\n`);
    expect(lines.map((line) => line.at(-1))).toEqual(['2', '1', '0']);
  });

  it('reads the Unicode text of a spreadsheet, also in pieces cut within a character', async () => {
    const rows = Array.from({ length: 20_000 }, (_, row) => {
      const day = new Date(Date.UTC(1950, 0, 1 + row)).toISOString().slice(0, 10);
      return `${day}\t10\t12\t9\t11\t${row}`;
    });
    const text = `\ufeff${HEADER.replaceAll(',', '\t')}\r\n${rows.join('\r\n')}\r\n`;
    const { lines } = await imported(Buffer.from(text, 'utf16le'));
    expect(lines.length).toBe(20_000);
    expect(lines.every((line, row) => line.endsWith(`,10,12,9,11,${row}`))).toBe(true);
  });

  it('reads gzip with any name, and keeps bars gzipped on request', async () => {
    const { dir, lines } = await imported(gzipSync(`${HEADER}\n2024-01-02,10,12,9,11,100\n`));
    expect(lines).toEqual([DAY]);
    const request = {
      file: join(dir, 'source.csv'),
      symbol: securitySymbol('AAPL.US'),
      dir: join(dir, 'data'),
    };
    await importBars({ ...request, period: '1d', variant: 'adj', gzip: true, onBadRow: 'stop' });
    const store = openBarStore({ dir: join(dir, 'data') });
    expect(store.bars('AAPL.US', '1d', { variant: 'adj' }).length).toBe(1);
    expect(readdirSync(join(dir, 'data', 'AAPL.US')).sort()).toEqual([
      '1d.adj.csv.gz',
      '1d.csv',
      'security.json',
    ]);
  });

  it('writes the facts only once', async () => {
    const { dir } = await imported(`${HEADER}\n2024-01-02,10,12,9,11,100\n`);
    expect(openBarStore({ dir: join(dir, 'data') }).security('AAPL.US')).toMatchObject({
      names: { en: 'Some Share' },
      board: 'USMain',
      origin: { kind: 'real', source: 'a test', license: 'not stated' },
    });
  });

  it.each([
    ['AAPL.US', 'USD', 1],
    ['700.HK', 'HKD', 100],
  ])(
    'assumes what is usual for %s if nothing is stated, and an unknown origin: the file',
    async (text, currency, lotSize) => {
      const symbol = securitySymbol(text);
      const { dir } = await imported(`${HEADER}\n2024-01-02,10,12,9,11,100\n`, { symbol, security: {} });
      expect(openBarStore({ dir: join(dir, 'data') }).security(symbol)).toMatchObject({
        names: { en: text },
        kind: 'stock',
        ...{ currency, lotSize },
        origin: { kind: 'unknown', source: 'source.csv' },
      });
    },
  );

  it('asks for the currency of a market with an unknown currency', async () => {
    const symbol = securitySymbol('SOME.CRYPTO');
    const fault = await faultOf(imported(`${HEADER}\n`, { symbol, security: {} }));
    expect(fault.code).toBe('missing-facts');
    expect(fault.message).toContain('add --currency USD');
    expect(fault.message).not.toContain('--name');
  });

  it('reads a file that begins like the mark of another format: ORCL, DBNX, PAR1', async () => {
    for (const code of ['ORCL', 'DBNX', 'PAR1', 'BZhX']) {
      const rows = `${code},2024-01-02,10,12,9,11,100\n${code},2024-01-03,10,12,9,11,100\n`;
      const map = parseColumnMap('time=2,open=3,high=4,low=5,close=6,volume=7', 'source.csv');
      expect((await imported(rows, { map })).lines).toHaveLength(2);
    }
    const orc = Buffer.concat([Buffer.from('ORC'), Buffer.from([0x0a, 0x0b, 0x00, 0x01, 0xff])]);
    expect((await faultOf(imported(orc))).message).toContain('an ORC file');
  });

  it.each([
    ['|', '|||||'],
    [';', ';;;;;'],
    [',', '"","","","","",""'],
    ['\t', '\t\t\t\t\t'],
  ])('skips rows of nothing but the separator %j', async (mark, blank) => {
    const row = (day: string) => [day, 10, 12, 9, 11, 100].join(mark);
    const text = [HEADER.replaceAll(',', mark), row('2024-01-02'), blank, row('2024-01-03'), blank].join(
      '\n',
    );
    expect((await imported(`${text}\n`)).lines).toHaveLength(2);
  });

  it('states fractional volumes of shares, and none of securities that trade in fractions or are no shares', async () => {
    const rows = `${HEADER}\n2024-01-02,10,12,9,11,100\n2024-01-03,10,12,9,11,100.5\n`;
    const notesOf = async (kind: 'stock' | 'index', lotSize = 1) => {
      const dir = temporaryFolder();
      const outcome = await importBars({
        file: put(dir, 'source.csv', rows),
        ...{ symbol: securitySymbol('AAPL.US'), period: '1d', dir: join(dir, 'data'), onBadRow: 'stop' },
        security: { ...FACTS, kind, lotSize },
      });
      return outcome.notes.join();
    };
    expect(await notesOf('stock')).toContain('1 bar with a fractional volume, the first in line 3: 100.5');
    expect(await notesOf('index')).not.toContain('fractional');
    expect(await notesOf('stock', 0.01)).not.toContain('fractional');
  });

  it.each([
    ['1d', ['2024-01-05', '2024-01-08', '2024-01-09']],
    ['1w', ['2024-01-05', '2024-01-12', '2024-01-19']],
    ['1M', ['2024-01-31', '2024-02-29', '2024-03-31']],
    ['5m', ['2024-01-05T14:30:00Z', '2024-01-05T14:35:00Z', '2024-01-08T14:30:00Z']],
    ['1h', ['2024-01-05 09:30', '2024-01-05 10:30', '2024-01-08 09:30']],
    ['1d', ['2024-01-05']],
  ])('finds the period %s by the stamps %j', async (period, stamps) => {
    const text = [HEADER, ...stamps.map((stamp) => `${stamp},10,12,9,11,100`)].join('\n');
    const file = put(temporaryFolder(), 'source.csv', `${text}\n`);
    expect(await inferPeriod({ file, dir: '.', onBadRow: 'stop' })).toBe(period);
  });

  it('names the column without dates if that makes the period unknown', async () => {
    const file = put(temporaryFolder(), 'source.csv', 'ORCL,2024-01-02,10,12,9,11,100\n');
    const fault = await faultOf(inferPeriod({ file, dir: '.', onBadRow: 'stop' }));
    expect(fault.message).toContain('begins with "ORCL"; map the columns by number');
  });

  it('leaves a date that may be read in two ways to the message of its row', async () => {
    const text = `${HEADER}\n01/02/2024,10,12,9,11,100\n`;
    const file = put(temporaryFolder(), 'source.csv', text);
    expect(await inferPeriod({ file, dir: '.', onBadRow: 'stop' })).toBe('1d');
    expect((await faultOf(imported(text))).message).toContain('--dates mdy');
  });

  it.each([
    ['an empty file', ''],
    ['blank lines', '\n\n'],
    ['a header alone', `${HEADER}\n`],
  ])('names %s as the reason that no period is found', async (_, text) => {
    const file = put(temporaryFolder(), 'source.csv', text);
    const fault = await faultOf(inferPeriod({ file, dir: '.', onBadRow: 'stop' }));
    expect(fault.message).toContain('Cannot import the file: it has no bar; check that it is the right file');
  });

  it('asks for the period if stamps do not determine it', async () => {
    const file = put(temporaryFolder(), 'source.csv', `${HEADER}\n2024-01-05T14:30:00Z,10,12,9,11,100\n`);
    const fault = await faultOf(inferPeriod({ file, dir: '.', onBadRow: 'stop' }));
    expect(fault.message).toContain('--period');
  });

  it('assumes single shares and dollars for a US security unless given', async () => {
    const row = `${HEADER}\n2024-01-02,10,12,9,11,100\n`;
    const facts = { name: 'X', kind: 'etf', source: 'a test' } as const;
    const { dir } = await imported(row, { security: facts });
    const known = openBarStore({ dir: join(dir, 'data') }).security('AAPL.US');
    expect([known.currency, known.lotSize]).toEqual(['USD', 1]);
    const other = await imported(row, { security: { ...facts, currency: 'CAD', lotSize: 10 } });
    const said = openBarStore({ dir: join(other.dir, 'data') }).security('AAPL.US');
    expect([said.currency, said.lotSize]).toEqual(['CAD', 10]);
  });

  it('replaces an existing series only on request, and then completely', async () => {
    const { dir } = await imported(`${HEADER}\n2024-01-02,10,12,9,11,100\n`);
    const request: ImportRequest = {
      file: put(dir, 'next.csv', `${HEADER}\n2024-01-03,1,1,1,1,1\n`),
      symbol: securitySymbol('AAPL.US'),
      period: '1d',
      dir: join(dir, 'data'),
      onBadRow: 'stop',
    };
    expect((await faultOf(importBars(request))).code).toBe('exists');
    expect((await faultOf(importBars({ ...request, gzip: true }))).code).toBe('exists');
    const other = { ...FACTS, lotSize: 100 };
    const fault = await faultOf(importBars({ ...request, period: '1w', security: other }));
    expect(fault.code).toBe('exists');
    expect(fault.message).toContain('existing facts differ: lotSize is 1, not 100');
    await importBars({ ...request, period: '1w', security: FACTS });
    await importBars({ ...request, gzip: true, replace: true, security: { name: 'Another' } });
    const store = openBarStore({ dir: join(dir, 'data') });
    expect([...store.bars('AAPL.US', '1d').close]).toEqual([1]);
    expect(store.security('AAPL.US').names.en).toBe('Another');
  });

  it('cannot leave the store by a name or a link (S-15)', async () => {
    const content = `${HEADER}\n2024-01-02,10,12,9,11,100\n`;
    expect((await faultOf(imported(content, { variant: '../x' }))).code).toBe('unsafe-name');
    expect((await faultOf(imported(content, { symbol: securitySymbol('CON.US') }))).code).toBe('unsafe-name');
    const dir = temporaryFolder();
    mkdirSync(join(dir, 'outside'));
    mkdirSync(join(dir, 'data'));
    symlinkSync(join(dir, 'outside'), join(dir, 'data', 'AAPL.US'));
    expect((await faultOf(imported(content, { dir: join(dir, 'data') }))).code).toMatch(
      /unknown-symbol|not-written/,
    );
    expect(readdirSync(join(dir, 'outside'))).toEqual([]);
  });
});
