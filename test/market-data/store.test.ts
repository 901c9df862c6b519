import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DataError } from '../../src/market-data/data-error.ts';
import { writeSecurity } from '../../src/market-data/security-file.ts';
import { openBarStore } from '../../src/market-data/store.ts';
import type { Millis } from '../../src/model/time.ts';
import { aSecurity, barText, put, temporaryFolder } from './fixtures.ts';

const at = (text: string): Millis => Date.parse(text) as Millis;

const MINUTES = barText(
  '2024-01-02T14:30:00Z,10,12,9,11,100',
  '2024-01-02T14:31:00Z,11,13,11,12,50',
  '2024-01-02T14:35:00Z,12,12,8,8.5,25',
);

function aFolder(): string {
  const dir = temporaryFolder();
  put(dir, 'AAPL.US/1m.csv', MINUTES);
  put(dir, 'AAPL.US/1d.adj.csv.gz', gzipSync(barText('2024-01-02,1,1,1,1,1')));
  put(dir, 'AAPL.US/events.csv', 'ex_date,type,value,reference_close\n');
  put(dir, 'AAPL.US/security.json', writeSecurity(aSecurity('AAPL.US')));
  put(dir, '700.HK/1d.csv', barText('2024-01-02,300,301,299,300,1000'));
  put(dir, 'README.md', 'text');
  put(dir, 'calendar/US.csv', 'date,kind\n');
  return dir;
}

function faultOf(act: () => unknown): DataError {
  try {
    act();
  } catch (error) {
    if (error instanceof DataError) return error;
    throw error;
  }
  throw new Error('Did it without a complaint');
}

describe('openBarStore', () => {
  it('lists symbols with their files, row counts and origin, cached or not', () => {
    const dir = aFolder();
    const cached = openBarStore({ dir, cacheDir: join(dir, 'cache') });
    cached.bars('AAPL.US', '1m');
    for (const store of [openBarStore({ dir }), cached]) {
      const [tencent, apple, ...more] = store.list();
      expect(more).toEqual([]);
      expect(tencent).toMatchObject({
        symbol: '700.HK',
        files: [{ period: '1d', rows: 1 }],
        security: undefined,
      });
      expect(apple?.files).toEqual([
        {
          period: '1m',
          variant: undefined,
          name: '1m.csv',
          rows: 3,
          first: at('2024-01-02T14:30:00Z'),
          last: at('2024-01-02T14:35:00Z'),
        },
        {
          period: '1d',
          variant: 'adj',
          name: '1d.adj.csv.gz',
          rows: 1,
          first: at('2024-01-02T05:00:00Z'),
          last: at('2024-01-02T05:00:00Z'),
        },
      ]);
      expect(apple?.security?.origin.kind).toBe('generated');
      expect(apple?.problem).toBeUndefined();
    }
  });

  it('lists a symbol whose facts are wrong, with the reason', () => {
    const dir = aFolder();
    put(dir, '700.HK/security.json', '{}');
    expect(openBarStore({ dir }).list()[0]).toMatchObject({
      symbol: '700.HK',
      problem: { code: 'bad-security' },
    });
  });

  it('reads bars from a stamp up to another one, exclusive', () => {
    const store = openBarStore({ dir: aFolder() });
    const query = { from: at('2024-01-02T14:31:00Z'), to: at('2024-01-02T14:35:00Z') };
    expect([...store.bars('AAPL.US', '1m', query).close]).toEqual([12]);
    expect(store.bars('AAPL.US', '1m', { from: query.to, to: query.from }).length).toBe(0);
    expect(store.bars('AAPL.US', '1m').length).toBe(3);
  });

  it('combines a period without a file from a shorter one', () => {
    const store = openBarStore({ dir: aFolder() });
    const five = store.bars('AAPL.US', '5m');
    expect([...five.time]).toEqual([at('2024-01-02T14:30:00Z'), at('2024-01-02T14:35:00Z')]);
    expect([five.open[0], five.high[0], five.low[0], five.close[0], five.volume[0]]).toEqual([
      10, 13, 9, 12, 150,
    ]);
    const day = store.bars('AAPL.US', '1d');
    expect([day.length, day.time[0], day.low[0], day.volume[0]]).toEqual([
      1,
      at('2024-01-02T05:00:00Z'),
      8,
      175,
    ]);
  });

  it('reads a variant only on request', () => {
    const store = openBarStore({ dir: aFolder() });
    expect(store.bars('AAPL.US', '1d', { variant: 'adj' }).close[0]).toBe(1);
    expect(faultOf(() => store.bars('AAPL.US', '1m', { variant: 'adj' })).code).toBe('unknown-period');
  });

  it('returns the facts of a security, or an error if there are none', () => {
    const store = openBarStore({ dir: aFolder() });
    expect(store.security('AAPL.US').lotSize).toBe(100);
    expect(faultOf(() => store.security('700.HK')).message).toContain('its folder has no security.json');
  });

  it('names the nearest symbol and the existing ones', () => {
    const fault = faultOf(() => openBarStore({ dir: aFolder() }).bars('AAPLE.US', '1d'));
    expect(fault.code).toBe('unknown-symbol');
    expect(fault.message).toContain('did you mean "AAPL.US"? The folder has 700.HK, AAPL.US');
  });

  it('names the existing periods if none fits the requested one', () => {
    const fault = faultOf(() => openBarStore({ dir: aFolder() }).bars('700.HK', '1h'));
    expect(fault.code).toBe('unknown-period');
    expect(fault.message).toContain('there are 1d; use "1d" or add 1h.csv');
  });

  it('refuses to choose between two files of one period', () => {
    const dir = aFolder();
    put(dir, 'AAPL.US/1m.csv.gz', gzipSync(MINUTES));
    expect(faultOf(() => openBarStore({ dir }).bars('AAPL.US', '1m')).code).toBe('ambiguous-file');
  });

  it('reports that the folder itself is missing', () => {
    const store = openBarStore({ dir: join(temporaryFolder(), 'nowhere') });
    expect(faultOf(() => store.list()).code).toBe('unreadable');
  });

  it.each([
    '../AAPL.US',
    '..',
    '/etc/passwd',
    'A/../../B.US',
    '%2e%2e.US',
    'aapl.us',
    'AAPL.US ',
    'AAPL.US\u0000',
    'ΑAPL.US',
    'CON',
    'NUL.US',
    '',
  ])('refuses the name "%s" before it reads the disk (S-15)', (name) => {
    const store = openBarStore({ dir: join(temporaryFolder(), 'nowhere') });
    expect(faultOf(() => store.bars(name, '1d')).code).toBe('unsafe-name');
    expect(faultOf(() => store.security(name)).code).toBe('unsafe-name');
  });

  it('follows no link out of its folder (S-15)', () => {
    const dir = aFolder();
    const outside = temporaryFolder();
    put(outside, '1d.csv', barText('2024-01-02,1,1,1,1,1'));
    put(outside, 'security.json', writeSecurity(aSecurity('IBM.US')));
    symlinkSync(outside, join(dir, 'MSFT.US'));
    mkdirSync(join(dir, 'IBM.US'));
    symlinkSync(join(outside, '1d.csv'), join(dir, 'IBM.US', '1d.csv'));
    symlinkSync(join(outside, 'security.json'), join(dir, 'IBM.US', 'security.json'));
    const store = openBarStore({ dir });
    expect(faultOf(() => store.bars('MSFT.US', '1d')).code).toBe('unknown-symbol');
    expect(faultOf(() => store.bars('IBM.US', '1d')).code).toBe('unknown-period');
    expect(faultOf(() => store.security('IBM.US')).code).toBe('unsafe-name');
    expect(store.symbols()).not.toContain('MSFT.US');
  });

  it('returns nothing of a file with a fault at its end', () => {
    const dir = aFolder();
    put(dir, 'AAPL.US/1m.csv', `${MINUTES}2024-01-02T14:36:00Z,1,1,1`);
    const fault = faultOf(() =>
      openBarStore({ dir }).bars('AAPL.US', '1m', { to: at('2024-01-02T14:31:00Z') }),
    );
    expect([fault.code, fault.line, fault.file]).toEqual(['column-count', 5, join(dir, 'AAPL.US', '1m.csv')]);
  });
});
