import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DataError } from '../../src/market-data/data-error.ts';
import { importBars } from '../../src/market-data/import-bars.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { put, temporaryFolder } from './fixtures.ts';
import { FACTS } from './importing.ts';

const APPLE = securitySymbol('AAPL.US');
const RAW = 'Date,Open,High,Low,Close,Adj Close,Volume,Dividends,Stock Splits,Capital Gains';
const DAYS = [
  '2024-06-03,100,102,99,101,25,1000,0.0,0.0,0.0',
  '2024-06-04,101,103,100,102,25.4,1000,0.24,0.0,0.01',
  '2024-06-05,25.6,26,25,25.7,25.6,4000,0.0,4.0,0.0',
];

/** Imports this; returns the content of events.csv (undefined without one) and the message about it. */
async function imported(
  lines: readonly string[],
  more: { events?: boolean; known?: string; adjust?: boolean; priceDivisor?: number; skips?: string[] } = {},
) {
  const dir = temporaryFolder();
  if (more.known !== undefined) put(dir, 'data/AAPL.US/events.csv', more.known);
  const request = {
    ...{
      file: put(dir, 'yahoo.csv', lines.join('\n')),
      symbol: APPLE,
      period: '1d' as const,
      dir: join(dir, 'data'),
    },
    ...{ security: FACTS, events: more.events ?? true, replace: true, priceDivisor: more.priceDivisor },
    onBadRow: more.skips === undefined ? ('stop' as const) : ('skip' as const),
    onSkipped: ({ message }: DataError) => more.skips?.push(message),
    adjust: more.adjust ?? false,
  };
  const { notes } = await importBars(request);
  const path = join(dir, 'data/AAPL.US/events.csv');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  await importBars(request);
  expect(existsSync(path) ? readFileSync(path, 'utf8') : undefined).toBe(text);
  return { text, notes: notes.join('; ') };
}

const WRITTEN = 'ex_date,type,value\n2024-06-04,dividend,0.25\n2024-06-05,split,4\n';

describe('columns of dividends and splits', () => {
  it('become events.csv on request, in either order of rows, and never twice', async () => {
    const { text, notes } = await imported([RAW, ...DAYS]);
    expect([text, notes]).toEqual([
      WRITTEN,
      '1 dividend and 1 split in columns of the file, 2 new in events.csv',
    ]);
    expect((await imported([RAW, ...DAYS.toReversed()])).text).toBe(WRITTEN);
  });

  it('are only reported otherwise', async () => {
    const { text, notes } = await imported([RAW, ...DAYS], { events: false });
    expect(text).toBeUndefined();
    expect(notes).toContain('1 dividend and 1 split in columns of the file, not imported: --events');
  });

  it('keep known events unchanged', async () => {
    const known =
      'ex_date,type,value,pay_date\n2023-01-05,dividend,1,2023-02-01\n2024-06-04,dividend,0.3,2024-07-01\n';
    const { text } = await imported([RAW, ...DAYS], { known });
    expect(text).toBe(`${known}2024-06-05,split,4\n`);
  });

  it('leave out splits that prices already contain, as those of Yahoo do', async () => {
    const [first = '', second = '', third = ''] = DAYS;
    const adjusted = third.replace('25.6,26,25,25.7', '102.4,104,100,102.8');
    const { text, notes } = await imported([RAW, first, second, adjusted]);
    expect(text).toBe('ex_date,type,value\n2024-06-04,dividend,0.25\n');
    expect(notes).toContain('1 split omitted: prices do not move on these days');
  });

  it('are recognised as Alpha Vantage and Quandl name them', async () => {
    for (const names of ['dividend_amount,split_coefficient', 'Ex-Dividend,Split Ratio']) {
      const { text } = await imported([
        `date,open,high,low,close,adjusted_close,volume,${names},none`,
        ...DAYS,
      ]);
      expect(text).toBe('ex_date,type,value\n2024-06-04,dividend,0.24\n2024-06-05,split,4\n');
    }
  });

  it('are in the unit of the prices', async () => {
    const { text } = await imported([RAW, ...DAYS], { priceDivisor: 100 });
    expect(text).toBe('ex_date,type,value\n2024-06-04,dividend,0.0025\n2024-06-05,split,4\n');
  });

  it('are parsed like prices, and a split as a ratio too', async () => {
    const [first = '', second = '', third = ''] = DAYS;
    const cells: readonly (readonly [string, string])[] = [
      ['$0.24', '4:1'],
      ['0.24', '4 for 1'],
      ['0.24', '4-for-1'],
      ['2.4e-1', '4/1'],
      ['US$0.24', '8:2'],
    ];
    for (const [money, ratio] of cells) {
      const rows = [first, second.replace('0.24', money), third.replace(',4.0,', `,${ratio},`)];
      expect((await imported([RAW, ...rows])).text).toBe(WRITTEN);
    }
    const commas = [RAW, ...DAYS].map((line) => line.replaceAll(',', ';').replaceAll('.', ','));
    expect((await imported(commas)).text).toBe(WRITTEN);
    const empty = third.replace('0.0,4.0,0.0', ',4.0,-');
    expect((await imported([RAW, first, second, empty])).text).toBe(WRITTEN);
  });

  it('that cannot be read are bad rows if they were requested', async () => {
    const [first = '', second = '', third = ''] = DAYS;
    for (const [text, column] of [
      ['soon', 'Dividends'],
      ['-0.24', 'Dividends'],
    ] as const) {
      const rows = [RAW, first, second.replace('0.24', text), third];
      await expect(imported(rows)).rejects.toThrow(`${column} is "${text}", want an amount such as 0.24`);
      const skips: string[] = [];
      const { text: written } = await imported(rows, { skips });
      expect([skips.length > 0, written?.includes('dividend') === true]).toEqual([true, false]);
      expect((await imported(rows, { events: false })).text).toBeUndefined();
    }
    await expect(imported([RAW, first, second, third.replace('4.0', '4:0')])).rejects.toThrow('"4:0"');
    await expect(imported([RAW, first, second.replace('0.24', '"0,24"'), third])).rejects.toThrow('0,24');
  });

  it('that are missing are reported if they were requested', async () => {
    const without = [RAW, ...DAYS].map((line) => line.split(',', 7).join(','));
    const { text, notes } = await imported(without);
    expect([text, notes]).toEqual([
      undefined,
      'no known column of dividends or splits: events.csv is unchanged',
    ]);
    expect((await imported(without, { events: false })).notes).toBe('');
  });

  it('leave out dividends that prices may already contain', async () => {
    const without = [RAW, ...DAYS].map((line) =>
      line
        .split(',')
        .filter((_, index) => index !== 5)
        .join(','),
    );
    const { text, notes } = await imported(without);
    expect(text).toBe('ex_date,type,value\n2024-06-05,split,4\n');
    expect(notes).toContain('1 dividend omitted');
    expect(notes).toContain('auto_adjust=False');
    expect((await imported([RAW, ...DAYS], { adjust: true })).text).toBeUndefined();
  });
});
