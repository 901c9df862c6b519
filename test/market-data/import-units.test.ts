import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseColumnMap } from '../../src/market-data/column-map.ts';
import { importBars } from '../../src/market-data/import-bars.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { put, temporaryFolder } from './fixtures.ts';
import { FACTS, faultOf, imported } from './importing.ts';

const MINUTE = { period: '1m' } as const;
const NINE_THIRTY = '2024-01-02T14:30:00Z,187.15,187.3,187,187.2';
const DAY = '2024-01-02T05:00:00Z,187.15,188.44,183.885,185.64';
const HK = {
  symbol: securitySymbol('700.HK'),
  security: { ...FACTS, currency: 'HKD', lotSize: 100 },
} as const;
const HK_DAY = '2024-01-01T16:00:00Z,293.6,294,289.2,290.8,15123000';

describe('prices in parts of a unit', () => {
  const lean = '20240102 00:00,1871500,1884400,1838850,1856400,82488700\n';

  it('are recognised as those of LEAN by rows without a header, and read literally only on request', async () => {
    expect((await imported(lean)).lines).toEqual([`${DAY},82488700`]);
    const [asTheyStand] = (await imported(lean, { format: 'generic' })).lines;
    expect(asTheyStand).toContain(',1871500,');
  });

  it('of LEAN count the milliseconds of the day in the file name', async () => {
    const dir = temporaryFolder();
    const rows =
      '34200000,1871500,1873000,1870000,1872000,1000\n34260000,1872000,1875000,1871000,1874000,1200\n';
    const request = {
      ...{ ...MINUTE, symbol: securitySymbol('AAPL.US'), dir: join(dir, 'data'), security: FACTS },
      onBadRow: 'stop',
    } as const;
    const file = put(dir, '20240102_trade.csv', rows);
    const { first, last, rows: count } = await importBars({ ...request, file });
    expect([count, new Date(first).toISOString(), new Date(last).toISOString()]).toEqual([
      2,
      '2024-01-02T14:30:00.000Z',
      '2024-01-02T14:31:00.000Z',
    ]);
    const nameless = put(dir, 'trade.csv', rows);
    expect((await faultOf(importBars({ ...request, file: nameless, replace: true }))).code).toBe(
      'bad-timestamp',
    );
  });

  it('of Databento are recognised by the header and by having no point', async () => {
    const header = 'ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume\n';
    const fixed = '1704205800000000000,33,2,32,187150000000,187300000000,187000000000,187200000000,1000\n';
    const { lines } = await imported(header + fixed, MINUTE);
    expect(lines).toEqual([`${NINE_THIRTY},1000`]);
    const pretty = '2024-01-02T14:30:00.000000000Z,33,2,32,187.150000000,187.3,187.0,187.2,1000\n';
    expect((await imported(header + pretty, MINUTE)).lines).toEqual([`${NINE_THIRTY},1000`]);
  });

  it('are divided by the given unit', async () => {
    const text = 'Date,Open,High,Low,Close,Volume\n2024-01-02,18715,18844,18388.5,18564,82488700\n';
    expect((await imported(text, { priceDivisor: 100 })).lines).toEqual([`${DAY},82488700`]);
  });
});

describe('volumes', () => {
  const header = (unit: string): string => `日期,开盘价(元),最高价(元),最低价(元),收盘价(元),${unit}\n`;
  const row = (volume: string): string => `2024-01-02,293.6,294,289.2,290.8,${volume}\n`;

  it.each([
    ['成交量(股)', '15123000'],
    ['成交量（千股）', '15123'],
    ['成交量 (万股)', '1512.3'],
    ['成交量', '1512.3万'],
    ['成交量', '0.15123亿'],
    ['成交量(股)', '15.123M'],
  ])('under "%s" are %s', async (unit, volume) => {
    expect((await imported(header(unit) + row(volume), HK)).lines).toEqual([HK_DAY]);
  });

  it('in lots need the lot size, which a file does not contain', async () => {
    for (const unit of ['成交量(手)', '总手']) {
      const text = header(unit) + row('151230');
      const fault = await faultOf(imported(text, HK));
      expect([fault.code, fault.line]).toEqual(['unknown-layout', 2]);
      expect(fault.message).toContain('--volume-unit 100');
      expect((await imported(text, { ...HK, volumeUnit: 100 })).lines).toEqual([HK_DAY]);
    }
  });

  it('with a decimal comma before their unit', async () => {
    const text = 'Datum;Zuletzt;Eröffn.;Hoch;Tief;Vol.\n02.01.2024;185,64;187,15;188,44;183,885;82,4887M\n';
    expect((await imported(text)).lines).toEqual([`${DAY},82488700`]);
  });

  it('that are missing are reported as such', async () => {
    const text = 'Date,Open,High,Low,Close,Volume\n2024-01-02,187.15,188.44,183.885,185.64,-\n';
    expect((await faultOf(imported(text))).message).toContain('use --no-volume if the file has no volume');
  });
});

describe('other formats of vendors', () => {
  const rows = '187.15,188.44,183.885,185.64,82488700\n';

  it.each([
    ['Bloomberg', 'Dates,PX_OPEN,PX_HIGH,PX_LOW,PX_LAST,PX_VOLUME', '2024-01-02'],
    ['MetaStock', '<DTYYYYMMDD>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>', '20240102'],
    ['Refinitiv', 'Exchange Date,Open,High,Low,Close,Volume', '02-Jan-2024'],
    ['Yahoo', 'Date,Open,High,Low,Close Close price adjusted for splits.,Volume', 'Jan 2, 2024'],
    ['Investing.com in Chinese', '日期,开盘,高,低,收盘,交易量', '2024-1-2'],
  ])('%s', async (_, header, day) => {
    expect((await imported(`${header}\n${day.includes(',') ? `"${day}"` : day},${rows}`)).lines).toEqual([
      `${DAY},82488700`,
    ]);
  });

  it('a dollar sign before every price', async () => {
    const text =
      'Date,Open,High,Low,Close,Volume\n2024-01-02,$187.15,$188.44,$183.885,$185.64,"82,488,700"\n';
    expect((await imported(text)).lines).toEqual([`${DAY},82488700`]);
  });

  it('a row of "#N/A N/A" has no prices', async () => {
    const text = `Dates,PX_OPEN,PX_HIGH,PX_LOW,PX_LAST,PX_VOLUME\n2024-01-02,${'#N/A N/A,'.repeat(5).slice(0, -1)}\n`;
    expect((await faultOf(imported(text))).message).toContain('the row has no prices');
  });

  it('a line about a dividend is reported as such', async () => {
    const text = `Date,Open,High,Low,Close,Volume\n2024-01-02,${rows}2024-01-03,0.24 Dividend,,\n`;
    expect((await faultOf(imported(text))).message).toMatch(
      /this line is a dividend or a split.*--on-bad-row skip.*events\.csv/,
    );
  });

  it('minutes of Futu without naming it', async () => {
    const text =
      'code,time_key,open,close,high,low,volume\nUS.AAPL,2024-01-02 09:31:00,187.15,187.2,187.3,187,1000\n';
    expect((await imported(text, MINUTE)).lines).toEqual([`${NINE_THIRTY},1000`]);
  });
});

describe('files of closes only', () => {
  const wide =
    'Date,AAPL,MSFT,IBM,GOOG\n2024-01-02,185.64,370.87,161.5,139\n2024-01-03,184.25,370.6,160.1,140\n';

  it.each([
    ['many symbols', wide, /none of which is a known name of open, high, low or close; .*open="AAPL"/],
    [
      'two',
      'Date,AAPL,MSFT\n2024-01-02,185.64,370.87\n',
      /its lines have 3 columns.*open="AAPL".*--no-volume/,
    ],
    ['one', 'Date,Close\n2024-01-02,185.64\n', /its lines have 2 columns.*open="Close"/],
  ])('of %s are reported as such', async (_, text, message) => {
    expect((await faultOf(imported(text))).message).toMatch(message);
  });

  it.each([
    ['AAPL', wide],
    ['Close', 'Date,Close\n2024-01-02,185.64\n2024-01-03,184.25\n'],
  ])('make bars of %s as the advice describes', async (column, text) => {
    const map = parseColumnMap(`time=Date,open=${column},high=${column},low=${column},close=${column}`, 'x');
    expect((await imported(text, { map, hasVolume: false })).lines).toEqual([
      '2024-01-02T05:00:00Z,185.64,185.64,185.64,185.64,0',
      '2024-01-03T05:00:00Z,184.25,184.25,184.25,184.25,0',
    ]);
  });
});

describe('rows that contradict each other', () => {
  const rows = (...closes: readonly string[]): string =>
    [
      'Date;Open;High;Low;Close;Volume',
      ...closes.map((close, at) => `2024-01-0${at + 2};${close};${close};${close};${close};100`),
    ].join('\n');

  it.each([
    ['a minority of decimal commas', rows('10.55', '10.61', '10,58', '10.6')],
    ['a minority of decimal points', rows('10,55', '10,61', '10.58', '10,6')],
  ])('are refused, with the line: %s', async (_, text) => {
    const fault = await faultOf(imported(text));
    expect([fault.code, fault.line]).toEqual(['bad-number', _.includes('commas') ? 4 : 2]);
    expect(fault.message).toContain('not a decimal comma');
  });

  it('are refused with a given decimal mark, too', async () => {
    const fault = await faultOf(imported(rows('10,55', '10.58'), { decimal: 'comma' }));
    expect(fault.line).toBe(3);
    expect(fault.message).toContain('a decimal comma, not a decimal point');
  });

  it('are stated if stamps count seconds and milliseconds', async () => {
    const dir = temporaryFolder();
    const [seconds, millis] = [1_704_205_800, 1_704_205_860_000];
    const text = `time,open,high,low,close,volume\n${seconds},10,12,9,11,1\n${millis},10,12,9,11,1\n`;
    const outcome = await importBars({
      file: put(dir, 'source.csv', text),
      ...{ symbol: securitySymbol('AAPL.US'), period: '1m', dir: join(dir, 'data'), onBadRow: 'stop' },
    });
    expect(outcome.notes.join()).toContain('MIXED STAMPS: seconds first, milliseconds from line 3 on');
    expect(outcome.rows).toBe(2);
  });
});
