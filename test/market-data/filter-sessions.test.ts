import { describe, expect, it } from 'vitest';
import { filterRegularBars, filterSessions } from '#src/market-data/filter-sessions.ts';
import { holidaysKnown } from '#src/markets/calendar.ts';
import { dayHours } from '#src/markets/day-hours.ts';
import { dayNumber } from '#src/markets/day-number.ts';
import type { BarColumns } from '#src/model/bar.ts';
import type { Period } from '#src/model/period.ts';
import { marketOf, type SecuritySymbol, securitySymbol } from '#src/model/symbol.ts';
import { calendarDay, millis } from '#src/model/time.ts';
import type { TradingSessions } from '#src/model/trading-sessions.ts';
import { columnsOf } from '../fixtures/market.ts';

const AAPL = securitySymbol('AAPL.US');
const TENCENT = securitySymbol('700.HK');

/** One bar at each of these instants, with its index in its prices. */
function bars(symbol: SecuritySymbol, period: Period, ...stamps: readonly string[]): BarColumns {
  return columnsOf(
    symbol,
    period,
    stamps.map((stamp, place) => [millis(Date.parse(stamp)), place + 1, place + 1, place + 1, place + 1]),
  );
}

const kept = (columns: BarColumns): readonly string[] =>
  Array.from(filterRegularBars(columns).time, (time) => new Date(time).toISOString().slice(5, 16));

describe('bars of regular hours', () => {
  it('leave out bars before the open and after the close, in summer and winter time', () => {
    // New York opened at 14:30 UTC on Friday, March 8, and at 13:30 on Monday, after its change to daylight saving
    // time.
    const columns = bars(
      AAPL,
      '30m',
      '2024-03-08T09:00Z',
      '2024-03-08T14:00Z',
      '2024-03-08T14:30Z',
      '2024-03-08T20:30Z',
      '2024-03-08T21:00Z',
      '2024-03-11T13:00Z',
      '2024-03-11T13:30Z',
      '2024-03-11T20:00Z',
    );
    expect(kept(columns)).toEqual(['03-08T14:30', '03-08T20:30', '03-11T13:30']);
    expect(Array.from(filterRegularBars(columns).close)).toEqual([3, 4, 7]);
  });

  it('include a bar that contains the open, and leave out lunch, auctions and the afternoon of half a day', () => {
    const hours = bars(AAPL, '1h', '2024-06-05T12:00Z', '2024-06-05T13:00Z', '2024-06-05T14:00Z');
    expect(kept(hours)).toEqual(['06-05T13:00', '06-05T14:00']);
    const day = bars(
      TENCENT,
      '1m',
      '2024-06-05T01:20Z',
      '2024-06-05T01:30Z',
      '2024-06-05T03:59Z',
      '2024-06-05T04:00Z',
      '2024-06-05T05:00Z',
      '2024-06-05T07:59Z',
      '2024-06-05T08:08Z',
      '2024-12-24T03:59Z',
      '2024-12-24T05:00Z',
    );
    expect(kept(day)).toEqual(['06-05T01:30', '06-05T03:59', '06-05T05:00', '06-05T07:59', '12-24T03:59']);
  });

  it('are none on a day on which the exchange was closed, unless the holidays of its year are unknown', () => {
    // Juneteenth of 2024, and a Saturday.
    expect(kept(bars(AAPL, '1h', '2024-06-18T14:30Z', '2024-06-19T14:30Z', '2024-06-22T14:30Z'))).toEqual([
      '06-18T14:30',
    ]);
    expect(kept(bars(AAPL, '1d', '2024-06-18T04:00Z', '2024-06-19T04:00Z', '2024-06-20T04:00Z'))).toEqual([
      '06-18T04:00',
      '06-20T04:00',
    ]);
    // Until 1952 New York traded on Saturdays.
    expect(kept(bars(AAPL, '1d', '1950-01-06T05:00Z', '1950-01-07T05:00Z'))).toHaveLength(2);
    expect(kept(bars(AAPL, '1w', '2024-06-17T04:00Z'))).toHaveLength(1);
  });

  it.each(['X.US', '700.HK', 'D05.SG'])(
    'by the day are those of the days that have regular hours: %s',
    (name) => {
      const symbol = securitySymbol(name);
      const first = dayNumber(calendarDay('1945-01-01'));
      // Every third day of a century covers each weekday.
      const all = Array.from({ length: 12_000 }, (_, at) => dayHours(marketOf(symbol), first + 3 * at));
      const columns = columnsOf(
        symbol,
        '1d',
        all.map(({ midnight }) => [midnight, 1, 1, 1, 1]),
      );
      const known = holidaysKnown(marketOf(symbol));
      const isKnown = (day: string): boolean => known !== undefined && day >= known.from && day <= known.to;
      const wanted = all.filter(
        ({ date, regular, nominal }) => (isKnown(date) ? regular : nominal).length > 0,
      );
      expect([...filterRegularBars(columns).time]).toEqual(wanted.map(({ midnight }) => midnight));
    },
  );

  it('are the same columns if nothing is outside, for days, and in a market without a table', () => {
    for (const columns of [
      bars(TENCENT, '1m', '2024-06-05T01:30Z', '2024-06-05T05:00Z'),
      bars(AAPL, '1d', '2024-06-05T04:00Z'),
      bars(securitySymbol('BTC.CC'), '1m', '2024-06-05T01:20Z'),
    ])
      expect(filterRegularBars(columns)).toBe(columns);
  });
});

describe('bars of more sessions', () => {
  const keptIn = (columns: BarColumns, held: TradingSessions): readonly string[] =>
    Array.from(filterSessions(columns, held).time, (time) => new Date(time).toISOString().slice(5, 16));

  it('are those that begin in one of them, without lunch and the time between nights', () => {
    const columns = bars(
      AAPL,
      '30m',
      ...[
        '2024-03-05T01:00Z',
        '2024-03-05T08:30Z',
        '2024-03-05T09:00Z',
        '2024-03-05T14:30Z',
        '2024-03-05T21:00Z',
      ],
      ...[
        '2024-03-06T00:30Z',
        '2024-03-06T01:00Z',
        '2024-03-09T00:30Z',
        '2024-03-09T01:00Z',
        '2024-03-11T00:00Z',
      ],
    );
    const extended = ['03-05T09:00', '03-05T14:30', '03-05T21:00', '03-06T00:30', '03-09T00:30'];
    const nights = ['03-05T01:00', '03-05T08:30', '03-06T01:00', '03-11T00:00'];
    expect(keptIn(columns, 'regular')).toEqual(['03-05T14:30']);
    expect(keptIn(columns, 'extended')).toEqual(extended);
    expect(keptIn(columns, 'all')).toEqual([...extended, ...nights].toSorted());
  });

  it('include the auctions of Hong Kong, and keep daily bars unchanged', () => {
    const stamps = [
      '2024-03-05T01:20Z',
      '2024-03-05T01:30Z',
      '2024-03-05T04:30Z',
      '2024-03-05T08:08Z',
      '2024-03-05T08:10Z',
    ];
    expect(keptIn(bars(TENCENT, '1m', ...stamps), 'extended')).toEqual([
      '03-05T01:20',
      '03-05T01:30',
      '03-05T08:08',
    ]);
    const days = bars(TENCENT, '1d', '2024-03-04T16:00Z', '2024-03-05T16:00Z');
    expect(filterSessions(days, 'extended')).toBe(days);
  });
});
