import { describe, expect, it } from 'vitest';
import type { ImportRequest } from '../../src/market-data/import-bars.ts';
import { faultOf, imported } from './importing.ts';

const TWO_DAYS = [
  '2024-01-02T05:00:00Z,187.15,188.44,183.89,185.64,82488700',
  '2024-01-03T05:00:00Z,184.22,185.88,183.43,184.25,58414500',
];
const TWO_MINUTES = [
  '2024-01-02T14:30:00Z,187.15,188.44,183.89,185.64,82488700',
  '2024-01-02T14:31:00Z,184.22,185.88,183.43,184.25,58414500',
];
const MINUTE: Partial<ImportRequest> = { period: '1m' };

/** A vendor, the lines of its file, the required options, and the resulting rows. */
const LAYOUTS: readonly (readonly [string, readonly string[], Partial<ImportRequest>, readonly string[]])[] =
  [
    [
      'yfinance with two levels of columns',
      [
        'Price,Close,High,Low,Open,Volume',
        'Ticker,AAPL,AAPL,AAPL,AAPL,AAPL',
        'Date,,,,,',
        '2024-01-02,185.64,188.44,183.89,187.15,82488700',
        '2024-01-03,184.25,185.88,183.43,184.22,58414500',
      ],
      {},
      TWO_DAYS,
    ],
    [
      'Polygon flat files, nanoseconds',
      [
        'ticker,volume,open,close,high,low,window_start,transactions',
        'AAPL,82488700,187.15,185.64,188.44,183.89,1704205800000000000,7',
        'AAPL,58414500,184.22,184.25,185.88,183.43,1704205860000000000,7',
      ],
      MINUTE,
      TWO_MINUTES,
    ],
    [
      'a title in front, as CryptoDataDownload writes it',
      [
        'https://www.example.com',
        'unix,date,open,high,low,close,Volume',
        '1704205860,x,184.22,185.88,183.43,184.25,58414500',
        '1704205800,x,187.15,188.44,183.89,185.64,82488700',
      ],
      MINUTE,
      TWO_MINUTES,
    ],
    [
      'Nasdaq without naming it',
      [
        'Date,Close/Last,Volume,Open,High,Low',
        '01/03/2024,$184.25,58414500,$184.22,$185.88,$183.43',
        '01/02/2024,$185.64,82488700,$187.15,$188.44,$183.89',
      ],
      {},
      TWO_DAYS,
    ],
    [
      'Investing.com: quotes, a short volume, the close called price',
      [
        '\ufeff"Date","Price","Open","High","Low","Vol.","Change %"',
        '"01/16/2024","184.25","184.22","185.88","183.43","58.41M","-0.75%"',
        '"01/12/2024","185.64","187.15","188.44","183.89","1.2B","-3.58%"',
      ],
      {},
      [
        '2024-01-12T05:00:00Z,187.15,188.44,183.89,185.64,1200000000',
        '2024-01-16T05:00:00Z,184.22,185.88,183.43,184.25,58410000',
      ],
    ],
    [
      'thousands in quotes',
      [
        'Date,Open,High,Low,Close,Volume',
        '2024-01-02,"1,187.15","1,188.44","1,183.89","1,185.64","82,488,700"',
      ],
      {},
      ['2024-01-02T05:00:00Z,1187.15,1188.44,1183.89,1185.64,82488700'],
    ],
    [
      'German: day first, decimal comma, its own words',
      [
        'Datum;Eröffnung;Hoch;Tief;Schluss;Volumen',
        '02.01.2024;187,15;188,44;183,89;185,64;82.488.700',
        '03.01.2024;184,22;185,88;183,43;184,25;58.414.500',
      ],
      {},
      TWO_DAYS,
    ],
    [
      "Dukascopy: times in UTC as in the column's name, day first",
      [
        'Gmt time,Open,High,Low,Close,Volume',
        '02.01.2024 14:30:00.000,187.15,188.44,183.89,185.64,82488700',
        '02.01.2024 14:31:00.000,184.22,185.88,183.43,184.25,58414500',
      ],
      MINUTE,
      TWO_MINUTES,
    ],
    [
      'Interactive Brokers: the zone in the stamp',
      [
        'date,open,high,low,close,volume,average,barCount',
        '20240102 09:30:00 US/Eastern,187.15,188.44,183.89,185.64,82488700,186,11',
        '20240102 09:31:00 US/Eastern,184.22,185.88,183.43,184.25,58414500,184,11',
      ],
      MINUTE,
      TWO_MINUTES,
    ],
    [
      'Futu: minutes named by their end',
      [
        'code,name,time_key,open,close,high,low,pe_ratio,turnover_rate,volume,turnover',
        'US.AAPL,APPLE,2024-01-02 09:31:00,187.15,185.64,188.44,183.89,13,0.001,82488700,3',
        'US.AAPL,APPLE,2024-01-02 09:32:00,184.22,184.25,185.88,183.43,13,0.001,58414500,3',
      ],
      { ...MINUTE, format: 'futu', zone: 'America/New_York' },
      TWO_MINUTES,
    ],
    [
      'Alpha Vantage: newest first, New York',
      [
        'timestamp,open,high,low,close,volume',
        '2024-01-02 09:31:00,184.22,185.88,183.43,184.25,58414500',
        '2024-01-02 09:30:00,187.15,188.44,183.89,185.64,82488700',
      ],
      { ...MINUTE, format: 'alphavantage' },
      TWO_MINUTES,
    ],
    [
      'MetaTrader 5: ticks where no exchange counts a volume',
      [
        '<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>',
        '2024.01.02\t14:30:00\t187.15\t188.44\t183.89\t185.64\t82488700\t0\t5',
        '2024.01.02\t14:31:00\t184.22\t185.88\t183.43\t184.25\t58414500\t0\t5',
      ],
      { ...MINUTE, zone: 'UTC' },
      TWO_MINUTES,
    ],
    [
      'Chinese headers',
      [
        '日期,开盘,收盘,最高,最低,成交量,成交额',
        '2024-01-02,187.15,185.64,188.44,183.89,82488700,3.5e9',
        '2024-01-03,184.22,184.25,185.88,183.43,58414500,3.5e9',
      ],
      {},
      TWO_DAYS,
    ],
    [
      'a bar between columns, months by name',
      [
        'Date|Open|High|Low|Close|Volume',
        '02-Jan-24|187.15|188.44|183.89|185.64|82488700',
        'Jan 03, 2024|184.22|185.88|183.43|184.25|58414500',
      ],
      {},
      TWO_DAYS,
    ],
    [
      'one stamp with a zone in each of three ways',
      [
        'timestamp,open,high,low,close,volume',
        '2024-01-02T14:30:00Z,187.15,188.44,183.89,185.64,82488700',
        '2024-01-02 09:31:00 EST,184.22,185.88,183.43,184.25,58414500',
      ],
      MINUTE,
      TWO_MINUTES,
    ],
  ];

describe('layouts of vendors', () => {
  it.each(LAYOUTS)('reads %s', async (_, lines, options, want) => {
    expect((await imported(`${lines.join('\n')}\n`, options)).lines).toEqual(want);
    expect((await imported(`${lines.join('\r\n')}\r\n`, options)).lines).toEqual(want);
  });

  it('reads lines that end in a single carriage return', async () => {
    const text = `Date,Open,High,Low,Close,Volume\r2024-01-02,187.15,188.44,183.89,185.64,82488700\r`;
    expect((await imported(text)).lines).toEqual(TWO_DAYS.slice(0, 1));
  });

  it('finds the day first or the month first only if a row proves it', async () => {
    const dated = (...days: readonly string[]): string =>
      ['Date,Open,High,Low,Close,Volume', ...days.map((day) => `${day},10,12,9,11,100`)].join('\n');
    expect(
      (await imported(dated('03/01/2024', '15/01/2024'))).lines.map((line) => line.slice(0, 10)),
    ).toEqual(['2024-01-03', '2024-01-15']);
    const open = await faultOf(imported(dated('03/01/2024', '04/01/2024')));
    expect(open.message).toContain('--dates mdy');
    const torn = await faultOf(imported(dated('15/01/2024', '01/16/2024')));
    expect(torn.code).toBe('bad-timestamp');
  });

  it('asks which mark is meant if a comma may be either', async () => {
    const text = 'Date;Open;High;Low;Close;Volume\n2024-01-02;1,187;1,190;1,180;1,185;100\n';
    const day = '2024-01-02T05:00:00Z';
    expect((await imported(text, { decimal: 'comma' })).lines).toEqual([`${day},1.187,1.19,1.18,1.185,100`]);
    expect((await imported(text, { decimal: 'point' })).lines).toEqual([`${day},1187,1190,1180,1185,100`]);
    const fault = await faultOf(imported(text));
    expect(fault.message).toContain('--decimal comma');
  });

  it('names the duplicate column by its number', async () => {
    const fault = await faultOf(imported('time,open,high,low,close,Volume,Volume\n2024-01-02,1,1,1,1,1,1\n'));
    expect(fault.message).toContain('--map volume=6');
  });

  it('reports that a row has no prices at all, and how to skip it', async () => {
    const fault = await faultOf(
      imported('Date,Open,High,Low,Close,Volume\n2024-01-02,null,null,null,null,null\n'),
    );
    expect(fault.message).toContain('--on-bad-row skip');
  });
});
