import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importSymbols, type SymbolsRequest } from '../../src/market-data/import-symbols.ts';
import { matchesName, SYMBOLS_MAX } from '../../src/market-data/symbol-column.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { put, temporaryFolder } from './fixtures.ts';
import { FACTS, faultOf, imported } from './importing.ts';

const COLUMNS = 'date,ticker,open,high,low,close,volume';
const FIGURES = { AAPL: '10,12,9,11,100', MSFT: '20,22,19,21,200' };
const row = (ticker: keyof typeof FIGURES, day: number): string =>
  `2024-01-0${day},${ticker},${FIGURES[ticker]}`;
const day = (ticker: keyof typeof FIGURES, number: number): string =>
  `2024-01-0${number}T05:00:00Z,${FIGURES[ticker]}`;
const MIXED = [COLUMNS, row('MSFT', 2), row('AAPL', 3), row('MSFT', 4), row('AAPL', 5)].join('\n');

describe('a file of several symbols with distinct stamps', () => {
  it('returns the rows of the requested symbol, and no other', async () => {
    expect((await imported(MIXED)).lines).toEqual([day('AAPL', 3), day('AAPL', 5)]);
    const { lines } = await imported(MIXED, { symbol: securitySymbol('MSFT.US') });
    expect(lines).toEqual([day('MSFT', 2), day('MSFT', 4)]);
  });

  it.each(['Contract', 'Security', 'Stock', 'ISIN'])('is recognised by its column %s', async (name) => {
    expect((await imported(MIXED.replace('ticker', name))).lines).toEqual([day('AAPL', 3), day('AAPL', 5)]);
  });

  it('finds a symbol that comes late, after thousands of rows of another', async () => {
    const early = Array.from({ length: 3_000 }, (_, at) => `${1_704_171_600 + at * 86_400},MSFT,1,1,1,1,1`);
    const text = [COLUMNS, ...early, '1704171600,AAPL,10,12,9,11,100'].join('\n');
    expect((await imported(text)).lines).toEqual([day('AAPL', 2)]);
  });

  it('is refused if none of them is named, with a list of them', async () => {
    const fault = await faultOf(imported(MIXED, { symbol: securitySymbol('IBM.US') }));
    expect([fault.code, fault.line]).toEqual(['unknown-symbol', 1]);
    expect(fault.message).toContain('its column "ticker" has "MSFT", "AAPL"; choose one with --symbol');
  });

  it('of one security may use any name for it', async () => {
    const renamed = [COLUMNS, '2024-01-02,FB,10,12,9,11,100'].join('\n');
    expect((await imported(renamed, { symbol: securitySymbol('META.US') })).lines).toEqual([day('AAPL', 2)]);
  });

  it('counts a footer as a bad row, not as another symbol', async () => {
    const fault = await faultOf(imported(`${MIXED}\nTotal,,,,,,900\n`));
    expect([fault.code, fault.line]).toEqual(['bad-timestamp', 6]);
  });
});

it.each([
  ['HK.00700', '700.HK'],
  ['0700.HK', '700.HK'],
  ['00700', '700.HK'],
  ['700 HK Equity', '700.HK'],
  ['US.AAPL', 'AAPL.US'],
  ['AAPL.OQ', 'AAPL.US'],
  ['NASDAQ:AAPL', 'AAPL.US'],
  ['aapl', 'AAPL.US'],
  ['AAPL US Equity', 'AAPL.US'],
  ['BRK-B', 'BRK.B.US'],
  ['BRK/B', 'BRK.B.US'],
])('accepts %s for %s', (text, symbol) => {
  expect(matchesName(text, securitySymbol(symbol))).toBe(true);
});

it.each([
  ['AAPL', 'MSFT.US'],
  ['US.700', '700.HK'],
  ['700.US', '700.HK'],
  ['BRK.A', 'BRK.B.US'],
  ['70', '700.HK'],
  ['ſpy', 'SPY.US'],
  ['\u0421RM', 'CRM.US'],
  ['ＡＡＰＬ', 'AAPL.US'],
  ['AAP\u200bL', 'AAPL.US'],
  ['AAPL\u00a0', 'AAPL.US'],
  ['７００', '700.HK'],
  ['\u0131bm', 'IBM.US'],
  ['ﬁve', 'FIVE.US'],
  ['ßn', 'SSN.US'],
])('does not accept %j for %s (F-D09)', (text, symbol) => {
  expect(matchesName(text, securitySymbol(symbol))).toBe(false);
});

const { name: _, ...FACTS_OF_ALL } = FACTS;

async function all(text: string, options: Partial<SymbolsRequest> = {}): Promise<Record<string, string[]>> {
  const dir = temporaryFolder();
  const outcomes = await importSymbols({
    file: put(dir, 'source.csv', text),
    period: '1d',
    dir: join(dir, 'data'),
    market: 'US',
    onBadRow: 'stop',
    security: FACTS_OF_ALL,
    ...options,
  });
  return Object.fromEntries(
    outcomes.map(({ symbol, path }) => [symbol, readFileSync(path, 'utf8').trimEnd().split('\n').slice(1)]),
  );
}

describe('all symbols of a file', () => {
  const want = { 'MSFT.US': [day('MSFT', 2), day('MSFT', 4)], 'AAPL.US': [day('AAPL', 3), day('AAPL', 5)] };

  it('become a series each, in any order of rows', async () => {
    expect(await all(MIXED)).toEqual(want);
    const turned = [COLUMNS, row('AAPL', 5), row('AAPL', 3), row('MSFT', 4), row('MSFT', 2)].join('\n');
    expect(await all(turned)).toEqual(want);
  });

  it('have their market from their names, or from the options', async () => {
    const text = MIXED.replaceAll('MSFT', 'HK.00700').replaceAll('AAPL', '0005.HK');
    const security = { ...FACTS_OF_ALL, currency: 'HKD', lotSize: 100 };
    expect(Object.keys(await all(text, { market: undefined, security }))).toEqual(['700.HK', '5.HK']);
    const fault = await faultOf(all(MIXED, { market: undefined }));
    expect(fault.message).toMatch(/"MSFT".*use --market US or --market HK/);
  });

  it('are all stored, or none', async () => {
    const dir = temporaryFolder();
    const bad = `${MIXED}\n2024-01-06,MSFT,20,22,19,99,200\n`;
    const fault = await faultOf(all(bad, { dir: join(dir, 'data') }));
    expect([fault.code, fault.line]).toEqual(['inconsistent-bar', 6]);
    for (const symbol of ['MSFT.US', 'AAPL.US']) expect(existsSync(join(dir, 'data', symbol))).toBe(false);
  });

  it('are refused if two names mean one symbol, and if there are too many', async () => {
    const fault = await faultOf(all(MIXED.replaceAll('MSFT', 'AAPL.OQ')));
    expect(fault.message).toContain('"AAPL.OQ" and "AAPL" both mean AAPL.US');
    const many = Array.from({ length: SYMBOLS_MAX + 1 }, (_, at) => `2024-01-02,A${at},1,1,1,1,1`);
    expect((await faultOf(all([COLUMNS, ...many].join('\n')))).message).toContain('more than 500 symbols');
  });

  it('are required if no column names them', async () => {
    const fault = await faultOf(all('Date,Open,High,Low,Close,Volume\n2024-01-02,10,12,9,11,100\n'));
    expect(fault.message).toContain('state it with --symbol');
  });
});

describe('a table of pandas with two levels of columns', () => {
  const byPrice = [
    'Price,Close,Close,High,High,Low,Low,Open,Open,Volume,Volume',
    'Ticker,AAPL,MSFT,AAPL,MSFT,AAPL,MSFT,AAPL,MSFT,AAPL,MSFT',
    'Date,,,,,,,,,,',
    '2024-01-02,11,21,12,22,9,19,10,20,100,200',
    '2024-01-03,11,,12,,9,,10,,100,',
  ].join('\n');
  const byTicker = [
    ',AAPL,AAPL,AAPL,AAPL,AAPL,MSFT,MSFT,MSFT,MSFT,MSFT',
    ',Open,High,Low,Close,Volume,Open,High,Low,Close,Volume',
    'Date,,,,,,,,,,',
    '2024-01-02,10,12,9,11,100,20,22,19,21,200',
    '2024-01-03,10,12,9,11,100,nan,nan,nan,nan,nan',
  ].join('\n');

  it.each([
    ['prices above tickers', byPrice],
    ['tickers above prices', byTicker],
    ['no name of the index', byPrice.replace('Date,,,,,,,,,,\n', '')],
  ])('is read symbol by symbol with %s', async (_, text) => {
    expect(await all(text)).toEqual({
      'AAPL.US': [day('AAPL', 2), day('AAPL', 3)],
      'MSFT.US': [day('MSFT', 2)],
    });
    expect((await imported(text)).lines).toEqual([day('AAPL', 2), day('AAPL', 3)]);
  });

  it('names the line of the file that is wrong', async () => {
    const fault = await faultOf(imported(byPrice.replace('2024-01-03,11', '2024-01-03,99')));
    expect([fault.code, fault.line]).toEqual(['inconsistent-bar', 5]);
  });
});

it('skips lines before the header that a separator splits', async () => {
  const text = ['Security,AAPL US Equity,,,,', 'Currency,USD,,,,', ',,,,,'].join('\n');
  const table = 'Date,Open,High,Low,Close,Volume\n2024-01-02,10,12,9,11,100\n';
  expect((await imported(`${text}\n${table}`)).lines).toEqual([day('AAPL', 2)]);
});
