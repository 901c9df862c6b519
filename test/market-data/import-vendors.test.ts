import { describe, expect, it } from 'vitest';
import { securitySymbol } from '#src/model/symbol.ts';
import { faultOf, HEADER, imported } from './importing.ts';

const HK = {
  symbol: securitySymbol('700.HK'),
  security: { name: 'Tencent', kind: 'stock', currency: 'HKD', lotSize: 100, source: 'a test' },
} as const;
const DAY = '187.15,188.44,183.89,185.64,82488700';
const NEXT = '184.22,185.88,183.43,184.25,58414500';
const TWO_DAYS = [`2024-01-02T05:00:00Z,${DAY}`, `2024-01-03T05:00:00Z,${NEXT}`];
const TWO_MINUTES = [`2024-01-02T14:30:00Z,${DAY}`, `2024-01-02T14:31:00Z,${NEXT}`];
const HK_DAY = ['2024-01-01T16:00:00Z,293.6,294,292.6,292.8,512300'];

describe('headers of many countries', () => {
  it.each([
    ['traditional Chinese', '日期,開盤價,最高價,最低價,收盤價,成交量', '2024/01/02'],
    ['Hong Kong', '日期,開市價,最高,最低,收市價,成交股數', '2024-01-02'],
    ['simplified Chinese', '日期,开盘价,最高价,最低价,收盘价,成交量', '2024-01-02'],
  ])('%s', async (_, header, day) => {
    const { lines } = await imported(`${header}\n${day},293.6,294.0,292.6,292.8,512300\n`, HK);
    expect(lines).toEqual(HK_DAY);
  });

  it.each([
    ['French', 'Date;Ouverture;Plus haut;Plus bas;Clôture;Volume'],
    ['Spanish', 'Fecha;Apertura;Máximo;Mínimo;Cierre;Volumen'],
  ])('%s, with a decimal comma and days first', async (_, header) => {
    const rows =
      '15/01/2024;187,15;188,44;183,89;185,64;82488700\n16/01/2024;184,22;185,88;183,43;184,25;58414500\n';
    const { lines } = await imported(`${header}\n${rows}`);
    expect(lines).toEqual([`2024-01-15T05:00:00Z,${DAY}`, `2024-01-16T05:00:00Z,${NEXT}`]);
  });

  it('that are not UTF-8 are reported as such', async () => {
    const gbk = Buffer.concat([
      Buffer.from('c8d5c6da2cbfaac5cc2cd7eeb8df2cd7eeb5cd2ccad5c5cc2cb3c9bdbbc1bf', 'hex'),
      Buffer.from(`\n2024-01-02,${DAY}\n`),
    ]);
    expect((await faultOf(imported(gbk, HK))).message).toMatch(/save it as UTF-8|not UTF-8/);
  });
});

describe('years of two digits', () => {
  it('come first if they change less often than the next part', async () => {
    const { lines } = await imported(`${HEADER}\n24-01-02,${DAY}\n24-01-03,${NEXT}\n`);
    expect(lines).toEqual(TWO_DAYS);
  });

  it('come last if days change first', async () => {
    const { lines } = await imported(`${HEADER}\n15-01-24,${DAY}\n16-01-24,${NEXT}\n`);
    expect(lines).toEqual([`2024-01-15T05:00:00Z,${DAY}`, `2024-01-16T05:00:00Z,${NEXT}`]);
  });

  it('are required if the file is ambiguous, and read as given', async () => {
    const one = `${HEADER}\n24-01-02,${DAY}\n`;
    const fault = await faultOf(imported(one));
    expect(fault.message).toMatch(/"24-01-02".*--dates mdy .*--dates dmy .*--dates ymd/);
    expect(fault.line).toBe(2);
    expect((await imported(one, { dates: 'ymd' })).lines).toEqual([`2024-01-02T05:00:00Z,${DAY}`]);
    expect((await imported(one, { dates: 'dmy' })).lines).toEqual([`2002-01-24T05:00:00Z,${DAY}`]);
  });
});

describe('remains of spreadsheets', () => {
  it('skips rows of nothing but separators', async () => {
    const { lines } = await imported(`${HEADER}\n2024-01-02,${DAY}\n,,,,,\n2024-01-03,${NEXT}\n,,,,,\n;;\n`);
    expect(lines).toEqual(TWO_DAYS);
  });

  const minute = { period: '1m', zone: 'America/New_York' } as const;

  it('reads days as Excel counts them if they can be nothing else, with a note', async () => {
    expect((await imported(`${HEADER}\n45293,${DAY}\n45294,${NEXT}\n`)).lines).toEqual(TWO_DAYS);
    const two = `${HEADER}\n45293.395833333,${DAY}\n45293.39652778,${NEXT}\n`;
    expect((await imported(two, minute)).lines).toEqual(TWO_MINUTES);
    expect((await faultOf(imported(two, { period: '1m' }))).message).toContain('--zone');
  });

  it.each([
    ['a year and a day of it', '24002', '1965-09-17T04:00:00Z'],
    ['a day counted from 1904, as it would be a Sunday', '43835', '2020-01-05T05:00:00Z'],
  ])('asks if it may be %s', async (_, serial, day) => {
    const rows = `${HEADER}\n${serial},${DAY}\n`;
    const fault = await faultOf(imported(rows));
    expect([fault.code, fault.line]).toEqual(['bad-timestamp', 2]);
    expect(fault.message).toContain('use --dates excel (--dates excel-1904');
    expect((await imported(rows, { dates: 'excel' })).lines).toEqual([`${day},${DAY}`]);
  });

  it('reads a count from 1904, and as many decimals as a minute needs', async () => {
    const old = { ...minute, dates: 'excel-1904' } as const;
    expect((await imported(`${HEADER}\n43831.3958,${DAY}\n`, old)).lines).toEqual(TWO_MINUTES.slice(0, 1));
    expect((await imported(`${HEADER}\n43831.5,${DAY}\n`, old)).lines[0]).toContain('2024-01-02T17:00:00Z');
    const fault = await faultOf(imported(`${HEADER}\n43831.39,${DAY}\n`, old));
    expect(fault.code).toBe('bad-timestamp');
  });
});

it('minutes of Futu are in the time of the exchange', async () => {
  const rows = 'HK.00700,TENCENT,2024-01-02 09:31:00,293.6,292.8,294.0,292.6,512300\n';
  const { lines } = await imported(`code,name,time_key,open,close,high,low,volume\n${rows}`, {
    ...{ ...HK, period: '1m', format: 'futu' },
  });
  expect(lines).toEqual(['2024-01-02T01:30:00Z,293.6,294,292.6,292.8,512300']);
});

it.each([
  ['Chinese days', '2024年1月2日', {}],
  ['six digits, day first', '020124', { dates: 'dmy' }],
  ['six digits, year first', '240102', { dates: 'ymd' }],
] as const)('reads %s', async (_, day, options) => {
  expect((await imported(`${HEADER}\n${day},${DAY}\n`, options)).lines).toEqual(TWO_DAYS.slice(0, 1));
});

it('asks for the order of six digits', async () => {
  expect((await faultOf(imported(`${HEADER}\n020124,${DAY}\n`))).message).toContain(
    '--dates dmy (day first)',
  );
});

it.each(['GMT-0500', 'UTC-05:00', '-0500'])('reads a zone written as %s', async (zone) => {
  const rows = `${HEADER}\n16.01.2024 09:30:00.000 ${zone},${DAY}\n`;
  const { lines } = await imported(rows, { period: '1m' });
  expect(lines).toEqual([`2024-01-16T14:30:00Z,${DAY}`]);
});
