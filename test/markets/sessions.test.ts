import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { dayNumber, dayOfNumber } from '#src/markets/day-number.ts';
import {
  dayOf,
  isOpen,
  midnightOf,
  nextOpen,
  regularClose,
  regularOpen,
  sessionAt,
  sessionsOf,
  tradingDayOf,
} from '#src/markets/sessions.ts';
import { zoneName } from '#src/markets/zones.ts';
import { calendarDay, HOUR_MS, MINUTE_MS, type Millis, millis } from '#src/model/time.ts';

const day = calendarDay;

function at(text: string): Millis {
  return millis(Date.parse(text));
}

/** Sessions of a day as `kind from-to`, in UTC. */
function reported(market: string, text: string): readonly string[] {
  const clock = (time: number): string => new Date(time).toISOString().slice(5, 16);
  return sessionsOf(market, day(text)).map(
    ({ kind, open, close }) => `${kind} ${clock(open)} ${clock(close)}`,
  );
}

describe('time zones', () => {
  it.each(['HK', 'US', 'CRYPTO'])('have the midnights of %s as in Temporal, 1998 to 2035', (market) => {
    const zone = zoneName(market);
    for (let number = dayNumber(day('1998-01-01')); number <= dayNumber(day('2035-12-31')); number += 1) {
      const date = dayOfNumber(number);
      const midnight = Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;
      if (midnightOf(market, date) !== midnight)
        expect.fail(`Midnight of ${date} in ${zone} is not ${midnight}`);
    }
  });

  it('have the day of any instant as in Temporal, 1987 to 2035', () => {
    const from = Date.UTC(1987, 0, 1);
    fc.assert(
      fc.property(
        fc.constantFrom('HK', 'US'),
        fc.integer({ min: from, max: Date.UTC(2035, 11, 31) }),
        (market, time) => {
          const wanted = Temporal.Instant.fromEpochMilliseconds(time)
            .toZonedDateTimeISO(zoneName(market))
            .toPlainDate();
          expect(dayOf(market, millis(time))).toBe(wanted.toString());
        },
      ),
      { numRuns: 300 },
    );
  });

  it('have the day as in Temporal around every clock change', () => {
    for (let year = 1998; year <= 2035; year += 1) {
      for (const month of [3, 4, 10, 11]) {
        for (let hour = 0; hour < 31 * 24; hour += 1) {
          const time = Date.UTC(year, month - 1, 1, hour, 30);
          const zoned = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO('America/New_York');
          if (zoned.hour !== 23 && zoned.hour !== 0) continue;
          expect(dayOf('US', millis(time))).toBe(zoned.toPlainDate().toString());
        }
      }
    }
  });
});

describe('sessions', () => {
  it('give Hong Kong two regular pieces around lunch and two auctions', () => {
    expect(reported('HK', '2025-11-21')).toEqual([
      'opening-auction 11-21T01:00 11-21T01:30',
      'regular 11-21T01:30 11-21T04:00',
      'regular 11-21T05:00 11-21T08:00',
      'closing-auction 11-21T08:00 11-21T08:10',
    ]);
  });

  it('end a half day of Hong Kong at noon', () => {
    expect(reported('HK', '2025-12-24')).toEqual([
      'opening-auction 12-24T01:00 12-24T01:30',
      'regular 12-24T01:30 12-24T04:00',
      'closing-auction 12-24T04:00 12-24T04:10',
    ]);
    expect(regularClose('HK', day('2025-12-24'))).toBe(at('2025-12-24T04:00:00Z'));
  });

  it('include only the afternoon when the weather cancelled the morning', () => {
    expect(reported('HK', '2013-09-23')).toEqual(['regular 09-23T05:00 09-23T08:00']);
    expect(regularOpen('HK', day('2021-06-28'))).toBe(at('2021-06-28T05:30:00Z'));
  });

  it.each([
    ['2004-07-16', ['regular 07-16T02:00 07-16T04:00']],
    ['2007-08-10', ['regular 08-10T02:00 08-10T04:30', 'regular 08-10T06:30 08-10T06:45']],
    ['2019-07-31', ['regular 07-31T01:30 07-31T04:00', 'regular 07-31T05:00 07-31T05:55']],
    ['2020-08-19', ['regular 08-19T05:30 08-19T08:00', 'closing-auction 08-19T08:00 08-19T08:10']],
    ['2022-08-25', ['regular 08-25T05:00 08-25T08:00', 'closing-auction 08-25T08:00 08-25T08:10']],
    ['2022-11-02', ['regular 11-02T01:30 11-02T04:00', 'regular 11-02T05:00 11-02T05:55']],
  ])('include what severe weather left of %s', (date, sessions) => {
    expect(reported('HK', date).filter((line) => !line.startsWith('opening'))).toEqual(sessions);
  });

  it('include the older hours of Hong Kong', () => {
    expect(reported('HK', '2011-03-04').slice(1)).toEqual([
      'regular 03-04T02:00 03-04T04:30',
      'regular 03-04T06:30 03-04T08:00',
    ]);
    expect(regularOpen('HK', day('2011-03-07'))).toBe(at('2011-03-07T01:30:00Z'));
    expect(nextOpen('HK', at('2012-03-02T04:00:00Z'))).toBe(at('2012-03-02T05:30:00Z'));
    expect(nextOpen('HK', at('2012-03-05T04:00:00Z'))).toBe(at('2012-03-05T05:00:00Z'));
  });

  it('begin the US overnight session on the evening before, also on Sunday', () => {
    expect(reported('US', '2025-11-24')).toEqual([
      'overnight 11-24T01:00 11-24T09:00',
      'pre 11-24T09:00 11-24T14:30',
      'regular 11-24T14:30 11-24T21:00',
      'post 11-24T21:00 11-25T01:00',
    ]);
  });

  it('end a US half day at 13:00 and its late session at 17:00', () => {
    expect(reported('US', '2025-11-28').slice(2)).toEqual([
      'regular 11-28T14:30 11-28T18:00',
      'post 11-28T18:00 11-28T22:00',
    ]);
  });

  it('follow the clocks of New York, on the exact days (F-C03, I-10)', () => {
    expect(regularOpen('US', day('2025-03-07'))).toBe(at('2025-03-07T14:30:00Z'));
    expect(regularOpen('US', day('2025-03-10'))).toBe(at('2025-03-10T13:30:00Z'));
    expect(regularOpen('US', day('2025-10-31'))).toBe(at('2025-10-31T13:30:00Z'));
    expect(regularOpen('US', day('2025-11-03'))).toBe(at('2025-11-03T14:30:00Z'));
    expect(regularOpen('US', day('2006-04-03'))).toBe(at('2006-04-03T13:30:00Z'));
    expect(midnightOf('US', day('2025-03-09'))).toBe(at('2025-03-09T05:00:00Z'));
    expect(midnightOf('US', day('2025-03-10'))).toBe(at('2025-03-10T04:00:00Z'));
    expect(midnightOf('US', day('2025-11-02'))).toBe(at('2025-11-02T04:00:00Z'));
    expect(midnightOf('US', day('2025-11-03'))).toBe(at('2025-11-03T05:00:00Z'));
  });

  it('are none on a closed day', () => {
    expect(sessionsOf('US', day('2025-12-25'))).toEqual([]);
    expect(regularOpen('US', day('2025-12-25'))).toBeUndefined();
    expect(regularClose('HK', day('2025-12-27'))).toBeUndefined();
  });

  it('cover the whole UTC day without a table', () => {
    expect(reported('CRYPTO', '2024-12-25')).toEqual(['regular 12-25T00:00 12-26T00:00']);
    expect(zoneName('CRYPTO')).toBe('UTC');
    expect(isOpen('CRYPTO', at('2024-12-25T03:00:00Z'))).toBe(true);
    expect(nextOpen('CRYPTO', at('2024-12-25T03:00:00Z'))).toBe(at('2024-12-25T03:00:00Z'));
    expect(tradingDayOf('CRYPTO', at('2024-12-25T03:00:00Z'))).toBe('2024-12-25');
  });
});

describe('isOpen', () => {
  it.each([
    ['HK', '2025-11-21T01:29:59.999Z', false],
    ['HK', '2025-11-21T01:30:00Z', true],
    ['HK', '2025-11-21T03:59:59.999Z', true],
    ['HK', '2025-11-21T04:00:00Z', false],
    ['HK', '2025-11-21T05:00:00Z', true],
    ['HK', '2025-11-21T08:00:00Z', false],
    ['HK', '2025-12-24T05:00:00Z', false],
    ['US', '2025-11-28T18:00:00Z', false],
    ['US', '2025-11-27T15:00:00Z', false],
    ['US', '2025-11-21T20:59:59.999Z', true],
  ])('%s at %s: %s', (market, text, open) => {
    expect(isOpen(market, at(text))).toBe(open);
  });

  it('checks other sessions by name', () => {
    expect(isOpen('US', at('2025-11-21T12:00:00Z'), ['pre'])).toBe(true);
    expect(isOpen('US', at('2025-11-24T01:30:00Z'), ['overnight'])).toBe(true);
    expect(isOpen('US', at('2025-11-22T01:30:00Z'), ['overnight'])).toBe(false);
    expect(sessionAt('HK', at('2025-11-21T08:05:00Z'))?.kind).toBe('closing-auction');
    expect(sessionAt('US', at('2025-11-22T12:00:00Z'))).toBeUndefined();
  });
});

describe('nextOpen', () => {
  it.each([
    ['HK', '2025-11-21T01:30:00Z', '2025-11-21T01:30:00Z'],
    ['HK', '2025-11-21T04:30:00Z', '2025-11-21T05:00:00Z'],
    ['HK', '2025-11-21T08:00:00Z', '2025-11-24T01:30:00Z'],
    ['US', '2025-11-26T21:00:00Z', '2025-11-28T14:30:00Z'],
    ['US', '2025-11-28T18:00:00Z', '2025-12-01T14:30:00Z'],
    ['US', '2001-09-10T20:00:00Z', '2001-09-17T13:30:00Z'],
  ])('%s after %s is %s', (market, from, open) => {
    expect(nextOpen(market, at(from))).toBe(at(open));
  });

  it('is never before the requested instant, and open when it comes', () => {
    const from = Date.UTC(2000, 0, 3);
    fc.assert(
      fc.property(
        fc.constantFrom('HK', 'US'),
        fc.integer({ min: from, max: Date.UTC(2035, 11, 1) }),
        (market, time) => {
          const open = nextOpen(market, millis(time));
          expect(open).toBeGreaterThanOrEqual(time);
          expect(isOpen(market, open)).toBe(true);
          expect(isOpen(market, millis(open - 1))).toBe(false);
          expect(open - time).toBeLessThan(8 * 24 * HOUR_MS);
        },
      ),
    );
  });
});

describe('tradingDayOf', () => {
  it.each([
    ['HK', '2025-11-21T00:00:00Z', '2025-11-21', 'before the open'],
    ['HK', '2025-11-21T04:30:00Z', '2025-11-21', 'at lunch'],
    ['HK', '2025-11-21T08:00:00Z', '2025-11-24', 'from the close on'],
    ['US', '2025-11-28T18:30:00Z', '2025-12-01', 'after an early close'],
    ['US', '2025-11-27T15:00:00Z', '2025-11-28', 'on a holiday'],
    ['US', '2025-11-21T05:00:00Z', '2025-11-21', 'after midnight in New York'],
  ])('%s at %s is %s (%s)', (market, text, wanted) => {
    expect(tradingDayOf(market, at(text))).toBe(wanted);
  });

  it('is the day of the next regular trading', () => {
    const from = Date.UTC(2000, 0, 3);
    fc.assert(
      fc.property(
        fc.constantFrom('HK', 'US'),
        fc.integer({ min: from, max: Date.UTC(2035, 11, 1) }),
        (market, time) => {
          const trading = isOpen(market, millis(time)) ? millis(time) : nextOpen(market, millis(time));
          expect(tradingDayOf(market, millis(time))).toBe(dayOf(market, trading));
        },
      ),
    );
  });
});

describe('the year end', () => {
  it('is that of the exchange, not of UTC (F-C03)', () => {
    expect(dayOf('HK', at('2024-12-31T16:00:00Z'))).toBe('2025-01-01');
    expect(dayOf('US', millis(at('2025-01-01T05:00:00Z') - MINUTE_MS))).toBe('2024-12-31');
  });
});
