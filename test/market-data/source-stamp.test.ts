import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DateOrder, readSourceStamp } from '../../src/market-data/source-stamp.ts';
import { wallClock } from '../../src/market-data/wall-time.ts';

const utc = (text: string): number => Date.parse(text);

/** Text, order of day and month, and its time in UTC; `wall` stamps have no zone. */
const STAMPS: readonly (readonly [
  text: string,
  order: DateOrder,
  kind: 'instant' | 'wall' | 'day',
  want: string,
])[] = [
  ['2024-01-31', 'ymd', 'day', '2024-01-31T00:00:00Z'],
  ['2024/1/31', 'ymd', 'day', '2024-01-31T00:00:00Z'],
  ['2024.01.31', 'ymd', 'day', '2024-01-31T00:00:00Z'],
  ['20240131', 'ymd', 'day', '2024-01-31T00:00:00Z'],
  ['20240131 093000', 'ymd', 'wall', '2024-01-31T09:30:00Z'],
  ['20240131 93000', 'ymd', 'wall', '2024-01-31T09:30:00Z'],
  ['20240131 09:30', 'ymd', 'wall', '2024-01-31T09:30:00Z'],
  ['20240131093000', 'ymd', 'wall', '2024-01-31T09:30:00Z'],
  ['202401310930', 'ymd', 'wall', '2024-01-31T09:30:00Z'],
  ['2024-01-31 09:30:00', 'ymd', 'wall', '2024-01-31T09:30:00Z'],
  ['2024-01-31 9:30 PM', 'ymd', 'wall', '2024-01-31T21:30:00Z'],
  ['2024-01-31 12:05 am', 'ymd', 'wall', '2024-01-31T00:05:00Z'],
  ['2024-01-31T09:30:00.125', 'ymd', 'wall', '2024-01-31T09:30:00.125Z'],
  ['2024-01-31T09:30:00.125000000Z', 'ymd', 'instant', '2024-01-31T09:30:00.125Z'],
  ['2024-01-31 09:30:00+08:00', 'ymd', 'instant', '2024-01-31T01:30:00Z'],
  ['2024-01-31T09:30:00-0500', 'ymd', 'instant', '2024-01-31T14:30:00Z'],
  ['2024-01-31 09:30:00 UTC', 'ymd', 'instant', '2024-01-31T09:30:00Z'],
  ['1706693400', 'ymd', 'instant', '2024-01-31T09:30:00Z'],
  ['1706693400.5', 'ymd', 'instant', '2024-01-31T09:30:00.500Z'],
  ['1706693400000', 'ymd', 'instant', '2024-01-31T09:30:00Z'],
  ['1706693400000000', 'ymd', 'instant', '2024-01-31T09:30:00Z'],
  ['1706693400000000000', 'ymd', 'instant', '2024-01-31T09:30:00Z'],
  ['883612800000', 'ymd', 'instant', '1998-01-01T00:00:00Z'],
  ['01/31/2024', 'mdy', 'day', '2024-01-31T00:00:00Z'],
  ['1/31/2024 16:00', 'mdy', 'wall', '2024-01-31T16:00:00Z'],
  ['Wed, 31 Jan 2024 09:30:00 GMT', 'ymd', 'instant', '2024-01-31T09:30:00Z'],
  ['Wednesday, January 31, 2024', 'unsaid', 'day', '2024-01-31T00:00:00Z'],
  ['Wed Jan 31 2024 09:30:00 GMT+0800', 'unsaid', 'instant', '2024-01-31T01:30:00Z'],
  ['Wed 1/31/2024', 'mdy', 'day', '2024-01-31T00:00:00Z'],
  ['31.01.2024', 'dmy', 'day', '2024-01-31T00:00:00Z'],
];

describe('readSourceStamp', () => {
  it.each(STAMPS)('reads "%s" (%s) as a %s', (text, order, kind, want) => {
    const at = utc(want);
    expect(readSourceStamp(text, order)).toEqual(
      kind === 'instant' ? { kind, at } : { kind: 'wall', at, hasClock: kind === 'wall' },
    );
  });

  it.each([
    '01/31/2024',
    '2024-02-30',
    '2024-13-01',
    '20240230',
    '2024-01-31 24:00',
    '2024-01-31 09:60',
    '2024-01-31 13:00 PM',
    '2024-01-31 09:30:00.0000001',
    '2024-01-31 09:30:00+15:00',
    '1706693400000001',
    '12345',
    'null',
    '',
    '2024-01-31junk',
  ])('does not read "%s"', (text) => {
    expect(readSourceStamp(text, 'ymd')).toBeUndefined();
  });

  it('reads the month first or the day first only as given, and never a day that does not exist', () => {
    expect(readSourceStamp('02/03/2024', 'mdy')).toMatchObject({ at: utc('2024-02-03T00:00:00Z') });
    expect(readSourceStamp('02/03/2024', 'dmy')).toMatchObject({ at: utc('2024-03-02T00:00:00Z') });
    expect(readSourceStamp('31/01/2024', 'mdy')).toBeUndefined();
  });

  it('reads any instant back from toISOString', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: utc('1800-01-01T00:00:00Z'), max: utc('2199-12-31T00:00:00Z') }),
        (at) => {
          expect(readSourceStamp(new Date(at).toISOString(), 'ymd')).toEqual({ kind: 'instant', at });
        },
      ),
    );
  });
});

describe('wallClock', () => {
  const ZONES = ['Asia/Hong_Kong', 'America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'UTC'];

  it('finds every instant again from its wall time', () => {
    const anInstant = fc.integer({
      min: utc('1975-01-01T00:00:00Z') / 1000,
      max: utc('2035-01-01T00:00:00Z') / 1000,
    });
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), anInstant, (zone, seconds) => {
        const at = seconds * 1000;
        const shown = new Date(at).toLocaleString('sv-SE', { timeZone: zone });
        expect(wallClock(zone, 'f.csv')(utc(`${shown.replace(' ', 'T')}Z`))).toContain(at);
      }),
    );
  });

  it('finds no instant in the hour that daylight saving time skips and two in the hour that it repeats', () => {
    const newYork = wallClock('America/New_York', 'f.csv');
    expect(newYork(utc('2024-03-10T02:30:00Z'))).toEqual([]);
    expect(newYork(utc('2024-11-03T01:30:00Z'))).toEqual([
      utc('2024-11-03T05:30:00Z'),
      utc('2024-11-03T06:30:00Z'),
    ]);
  });

  it('refuses a zone that does not exist, by name', () => {
    expect(() => wallClock('Asia/Hongkongg', 'f.csv')).toThrowError(
      expect.objectContaining({ code: 'unknown-zone', value: 'Asia/Hongkongg' }),
    );
  });
});
