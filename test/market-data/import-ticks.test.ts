import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importTicks, type TickRequest } from '../../src/market-data/import-ticks.ts';
import { securitySymbol } from '../../src/model/symbol.ts';
import { put, temporaryFolder } from './fixtures.ts';
import { FACTS, faultOf } from './importing.ts';

async function imported(lines: readonly string[], options: Partial<TickRequest> = {}) {
  const dir = temporaryFolder();
  const outcome = await importTicks({
    file: put(dir, 'source.csv', `${lines.join('\n')}\n`),
    symbol: securitySymbol('AAPL.US'),
    period: '1m',
    kind: 'trades',
    dir: join(dir, 'data'),
    onBadRow: 'stop',
    security: FACTS,
    ...options,
  });
  return { ...outcome, lines: readFileSync(outcome.path, 'utf8').trimEnd().split('\n').slice(1) };
}

describe('trades', () => {
  it('make bars of the period: first, highest, lowest, last, and total volume', async () => {
    const { lines, taken, bars, outside } = await imported([
      'ticker,conditions,price,sip_timestamp,size',
      'AAPL,,187,1704205799000000001,10',
      'AAPL,"12,37",187.15,1704205800000223456,100',
      'AAPL,,187.20,1704205801000223456,50',
      'AAPL,,187.05,1704205801000223999,5',
      'AAPL,,187.10,1704205861000223456,25',
    ]);
    expect(lines).toEqual([
      '2024-01-02T14:30:00Z,187.15,187.2,187.05,187.05,155',
      '2024-01-02T14:31:00Z,187.1,187.1,187.1,187.1,25',
    ]);
    expect({ taken, bars, outside }).toEqual({ taken: 5, bars: 2, outside: 1 });
  });

  it('outside regular sessions are in no daily or longer bar either, and are counted', async () => {
    const rows = ['time,price,size', '2024-01-02T14:30:00Z,187,100', '2024-01-02T23:00:00Z,200,7'];
    const nextDay = ['2024-01-03T12:00:00Z,150,7', '2024-01-03T15:00:00Z,188,50'];
    const weekly = await imported([...rows, ...nextDay], { period: '1w' });
    expect([weekly.lines, weekly.outside]).toEqual([['2024-01-01T05:00:00Z,187,188,187,188,150'], 2]);
    const lunch = ['2024-01-02T04:30:00Z,290,7', '2024-01-02T05:30:00Z,301,50'];
    const daily = await imported(['time,price,size', '2024-01-02T02:00:00Z,300,100', ...lunch], {
      symbol: securitySymbol('700.HK'),
      period: '1d',
    });
    expect([daily.lines, daily.outside]).toEqual([['2024-01-01T16:00:00Z,300,301,300,301,150'], 1]);
  });

  it('are read by a map without a header', async () => {
    const { lines } = await imported(['7,187.15,100,18715,1704205800123,True'], {
      map: 'time=5,price=2,size=3',
    });
    expect(lines).toEqual(['2024-01-02T14:30:00Z,187.15,187.15,187.15,187.15,100']);
  });

  it.each([
    ['unsorted', '2024-01-02T14:29:59Z,187,1'],
    ['bad-number', '2024-01-02T14:31:00Z,187,many'],
    ['not-positive', '2024-01-02T14:31:00Z,0,1'],
    ['bad-timestamp', '2024-01-02,187,1'],
    ['unknown-zone', '2024-01-02 09:31:00,187,1'],
    ['column-count', '2024-01-02T14:31:00Z,187'],
  ])('with false content are named as %s with their line, and leave nothing', async (code, row) => {
    const dir = temporaryFolder();
    const lines = ['time,price,size', '2024-01-02T14:30:00Z,187,1', row];
    const fault = await faultOf(imported(lines, { dir: join(dir, 'data') }));
    expect([fault.code, fault.line]).toEqual([code, 3]);
    expect(existsSync(join(dir, 'data', 'AAPL.US'))).toBe(false);
  });
});

describe('quotes', () => {
  it('are stored as quotes.csv, a missing side as empty', async () => {
    const { lines, path } = await imported(
      [
        'Gmt time,Ask,Bid,AskVolume,BidVolume',
        '02.01.2024 14:30:00.123,1.1,1.09,1,2',
        '02.01.2024 14:30:00.123456,0,1.09,0,2',
      ],
      { kind: 'quotes', dates: 'dmy', zone: 'UTC' },
    );
    expect(path.endsWith('quotes.csv')).toBe(true);
    expect(lines).toEqual(['2024-01-02T14:30:00.123Z,1.09,2,1.1,1', '2024-01-02T14:30:00.123Z,1.09,2,,']);
  });

  it('need a bid and an ask', async () => {
    const fault = await faultOf(imported(['time,bid,size', '2024-01-02T14:30:00Z,1,1'], { kind: 'quotes' }));
    expect(fault.message).toContain('Cannot determine which column is ask');
  });
});
