import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CheckOptions, checkBars } from '../../src/market-data/check.ts';
import { checkStore } from '../../src/market-data/check-store.ts';
import { writeSecurity } from '../../src/market-data/security-file.ts';
import { calendarDay, millis } from '../../src/model/time.ts';
import { aSecurity, type BarRow, barText, columnsOf, put, temporaryFolder } from './fixtures.ts';

const APPLE = aSecurity('AAPL.US');
const SYMBOL = APPLE.symbol;
const HOUR = 3_600_000;

/** Days of June 2024 from the third on, all trading days, with these opens and closes. */
const days = (...prices: readonly number[]): BarRow[] =>
  prices.map((price, place) => {
    const date = new Date(Date.UTC(2024, 5, 3 + place + 2 * Math.floor(place / 5), 4)).toISOString();
    return [date, price, price + 0.02, price - 0.01, price, 100 + place];
  });

/** Minutes from the opening of a day (13:30 UTC in summer); no price occurs twice. */
const minutes = (count: number, price: (at: number) => number, volume = (at: number) => 100 + at): BarRow[] =>
  Array.from({ length: count }, (_, at) => {
    const stamp = new Date(Date.UTC(2024, 5, 3, 13, 30 + at)).toISOString();
    const is = price(at);
    return [stamp, is, is, is, is, volume(at)];
  });

function found(period: '1m' | '1d', rows: readonly BarRow[], options: CheckOptions = {}) {
  const { findings } = checkBars(columnsOf('AAPL.US', period, rows), APPLE, options);
  return findings.map(({ kind, line, message }) => ({ kind, line, message }));
}
const places = (...given: Parameters<typeof found>): string[] =>
  found(...given).map(({ kind, line }) => `${kind}:${line}`);

describe('listed splits', () => {
  const split = (exDay: string, ratio: number) => ({ splits: [{ exDay: calendarDay(exDay), ratio }] });

  it('raise no finding if prices move by them', () => {
    const rows = days(100, 101, 25.3, 25.4);
    expect(places('1d', rows)).toEqual(['split:4']);
    expect(places('1d', rows, split('2024-06-05', 4))).toEqual([]);
    expect(places('1d', days(1, 1.01, 20.3, 20.4), split('2024-06-05', 0.05))).toEqual([]);
  });

  it('would be applied twice if prices do not move by them', () => {
    const findings = found('1d', days(100, 101, 101.5), split('2024-06-05', 4));
    expect(findings).toMatchObject([{ kind: 'split-twice', line: 4 }]);
    expect(findings[0]?.message).toContain(
      'Opened from 101 to 101.5, though events.csv lists a split of 4 on 2024-06-05',
    );
    expect(places('1d', days(100, 101, 101.5), split('2024-06-05', 1.05))).toEqual([]);
    expect(places('1d', days(100, 101, 101.5), { ...split('2024-06-05', 4), adjusted: true })).toEqual([]);
  });

  it('are missed by an adjusted series that shows them', () => {
    const findings = found('1d', days(100, 101, 25.3), { ...split('2024-06-05', 4), adjusted: true });
    expect(findings).toMatchObject([{ kind: 'split', line: 4 }]);
    expect(findings[0]?.message).toContain('this series is not adjusted for it');
  });

  it('make any other jump a separate finding, and leave a day that fell further an outlier', () => {
    expect(places('1d', days(100, 101, 102, 51), split('2024-06-04', 1.5))).toContain('outlier:5');
    const fell = days(100, 101, 16, 16.1);
    expect(places('1d', fell, split('2024-06-05', 4))).toEqual(['outlier:4']);
  });

  it('raise no finding in weeks that contain them', () => {
    const weeks: BarRow[] = [
      ['2024-06-03T04:00:00Z', 100, 102, 24, 25, 1],
      ['2024-06-10T04:00:00Z', 25, 26, 25, 25.5, 2],
    ];
    const { findings } = checkBars(columnsOf('AAPL.US', '1w', weeks), APPLE, split('2024-06-05', 4));
    expect(findings.map(({ kind }) => kind)).toEqual([]);
  });
});

describe('other data that no exchange produces', () => {
  it('finds bars that are later than it is', () => {
    const now = millis(Date.parse('2024-06-04T18:00:00Z'));
    expect(places('1d', days(10, 10.1, 10.2), { now })).toEqual(['future:4']);
    expect(places('1d', days(10, 10.1, 10.2))).toEqual([]);
    const far: BarRow = ['2099-06-03T04:00:00Z', 10, 10, 10, 10, 1];
    const [first] = found('1d', [...days(10), far], { now }).filter(({ kind }) => kind === 'future');
    expect(first?.message).toBe(
      'A bar of 2099-06-03T04:00:00Z, in the future: it is 2024-06-04T18:00:00Z now',
    );
  });

  it('reports a price a hundred times as high as another unit, also within a day, unless it is a listed split', () => {
    const pence = found('1d', days(5.12, 5.13, 511, 512));
    expect(pence).toMatchObject([{ kind: 'scale', line: 4 }]);
    expect(pence[0]?.message).toContain('Opened from 5.13 to 511, 100 times as much: ');
    expect(
      places(
        '1m',
        minutes(6, (at) => (at < 3 ? 512 + at : 5.12 + at / 100)),
      ),
    ).toEqual(['scale:5']);
    const reported = { splits: [{ exDay: calendarDay('2024-06-05'), ratio: 0.01 }] };
    expect(places('1d', days(5.12, 5.13, 511, 512), reported)).toEqual([]);
  });

  it('reports a jump that is gone by the close as a bad print, not as a split', () => {
    const rows = days(80, 80.5, 81, 81.5, 82, 82.5);
    rows[2] = [rows[2]?.[0] ?? '', 161, 161, 80, 81, 100];
    expect(places('1d', rows)).toEqual(['outlier:4', 'outlier:4']);
  });

  it('finds a feed that repeated one price', () => {
    const rows = days(10, 10.1, 10.2, 10.3, 10.4);
    const still = [
      ...rows.slice(0, 2),
      ...[2, 3, 4].map((at): BarRow => [rows[at]?.[0] ?? '', 10, 10.1, 9.9, 10, 7]),
    ];
    const findings = found('1d', still);
    expect(findings).toMatchObject([{ kind: 'repeated', line: 5 }]);
    expect(findings[0]?.message).toBe('3 identical bars from 2024-06-05T04:00:00Z on: was the feed frozen?');
    expect(places('1d', still.slice(0, 4))).toEqual([]);
  });

  it('permits a quiet share to trade one lot per minute for a while', () => {
    const quiet = (bars: number) =>
      minutes(
        bars,
        () => 10,
        () => 100,
      );
    expect(places('1m', quiet(19))).toEqual([]);
    expect(places('1m', quiet(20))).toEqual(['repeated:3']);
  });

  it('finds periods without volume, each once', () => {
    const volumes = [1, 0, 1, 0, 0, 0, 1];
    const findings = found(
      '1m',
      minutes(
        7,
        (at) => 10 + at / 100,
        (at) => volumes[at] ?? 0,
      ),
    );
    expect(findings).toEqual([
      { kind: 'zero-volume', line: 3, message: 'A bar without volume' },
      { kind: 'zero-volume', line: 5, message: '3 bars without volume, to 2024-06-03T13:35:00Z' },
    ]);
    expect(
      found(
        '1m',
        minutes(
          7,
          () => 10,
          () => 0,
        ),
      ),
    ).toEqual([{ kind: 'zero-volume', line: 2, message: 'None of 7 bars has a volume' }]);
  });

  it('finds days of one price each, as in a file of closes', () => {
    const flat = days(...Array.from({ length: 20 }, (_, at) => 10 + at / 100)).map(
      ([stamp, open, , , , volume]): BarRow => [stamp, open, open, open, open, volume],
    );
    expect(places('1d', flat).filter((place) => place.startsWith('closes-only'))).toEqual(['closes-only:2']);
    expect(places('1d', flat.slice(1)).filter((place) => place.startsWith('closes-only'))).toEqual([]);
  });
});

describe('bars that are an hour off', () => {
  /** Half hours of the days around the clock change on 10 March 2024, by a clock with this `offset`. */
  const halfHours = (offset: (day: number) => number): BarRow[] =>
    [7, 8, 11, 12].flatMap((day) =>
      Array.from({ length: 13 }, (_, piece): BarRow => {
        const stamp = Date.UTC(2024, 2, day, 9, 30 + 30 * piece) + offset(day) * HOUR;
        const price = 10 + piece / 100 + day / 10;
        return [new Date(stamp).toISOString(), price, price, price, price, 1 + piece];
      }),
    );
  const shifts = (rows: readonly BarRow[], extendedHours = false) =>
    checkBars(columnsOf('AAPL.US', '30m', rows), APPLE, { extendedHours }).findings.filter(
      ({ kind }) => kind === 'shifted',
    );

  it('are found if daylight saving time was ignored, at the first line of the days', () => {
    expect(shifts(halfHours((day) => (day < 10 ? 5 : 4)))).toEqual([]);
    expect(shifts(halfHours(() => 5))).toMatchObject([
      {
        line: 28,
        message:
          '2 days from 2024-03-11 to 2024-03-12 are an hour behind the session: was daylight saving time ignored?',
      },
    ]);
    expect(shifts(halfHours(() => 4))).toMatchObject([
      { line: 2, message: expect.stringContaining('from 2024-03-07 to 2024-03-08 are an hour ahead of') },
    ]);
    expect(
      shifts(
        halfHours(() => 5),
        true,
      ),
    ).toEqual([]);
  });
});

describe('sluice data check of a folder', () => {
  function checked(events: string | undefined, rows: readonly string[], name = '1d.csv') {
    const dir = temporaryFolder();
    put(dir, join(SYMBOL, 'security.json'), writeSecurity(APPLE));
    put(dir, join(SYMBOL, name), barText(...rows));
    if (events !== undefined) put(dir, join(SYMBOL, 'events.csv'), events);
    const now = millis(Date.parse('2024-07-01T00:00:00Z'));
    return [...checkStore({ dir, symbols: [SYMBOL], now })].flatMap(({ file, findings }) =>
      findings.map(({ severity, kind, line }) => `${file.split('/').at(-1)} ${severity} ${kind} ${line}`),
    );
  }
  const HALVED = ['2024-06-03,10,10,10,10,1', '2024-06-04,5,5,5,5,1'];
  const FLAT = ['2024-06-03,10,10,10,10,1', '2024-06-04,10,10,10,10,2'];

  it('reads the events next to the bars', () => {
    const split = 'ex_date,type,value\n2024-06-04,split,2\n';
    expect(checked(undefined, HALVED)).toEqual(['1d.csv warning split 3']);
    expect(checked(split, HALVED)).toEqual([]);
    expect(checked(split, FLAT)).toEqual(['1d.csv error split-twice 3']);
    expect(checked(split, FLAT, '1d.adj.csv')).toEqual([]);
    expect(checked(split, HALVED, '1d.adj.csv')).toEqual(['1d.adj.csv warning split 3']);
    expect(checked(split, HALVED, '1d.mine.csv')).toEqual(['1d.mine.csv warning split 3']);
  });

  it('reports events that are wrong, and duplicates', () => {
    expect(checked('ex_date,type,value\n2024-06-04,splitt,2\n', FLAT)).toEqual([
      'events.csv error bad-header 2',
    ]);
    const twice =
      'ex_date,type,value\n2024-06-04,dividend,0.5\n\n2024-06-04,dividend,0.50\n2024-06-04,dividend,1\n';
    expect(checked(twice, FLAT)).toEqual(['events.csv error duplicate 4']);
  });

  it('reports a bar of a future year, and impossible bars, as errors', () => {
    expect(checked(undefined, [...FLAT, '2099-06-03,10,10,10,10,1'])).toContain('1d.csv error future 4');
    expect(
      checked(undefined, ['2024-06-03,10,9,11,10,1', '2024-06-04,0,1,0,1,1', '2024-06-05,1,1,1,1,-5']),
    ).toEqual([
      '1d.csv error inconsistent-bar 2',
      '1d.csv error not-positive 3',
      '1d.csv error not-positive 4',
    ]);
    expect(checked(undefined, ['2024-06-08,10,10,10,10,1', '2024-06-19,10,10,10,10,2'])).toEqual(
      expect.arrayContaining(['1d.csv warning closed-day 2', '1d.csv warning closed-day 3']),
    );
  });
});
