import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayKind, holidayName, nextTradingDay, tradingDaysBetween } from '#src/markets/calendar.ts';
import { dayNumber, dayOfNumber, isWeekend } from '#src/markets/day-number.ts';
import { HK_WEATHER_DAYS } from '#src/markets/hk/dates.ts';
import { hasTable } from '#src/markets/market-records.ts';
import { dayOf, regularClose } from '#src/markets/sessions.ts';
import { zoneName } from '#src/markets/zones.ts';
import { type CalendarDay, calendarDay, millis } from '#src/model/time.ts';
import { priceRows } from './price-rows.ts';

const day = calendarDay;

/** Irregular days of a span without weekends, as `YYYY-MM-DD closed|half`. */
function specialDays(market: string, from: CalendarDay, to: CalendarDay): readonly string[] {
  const found: string[] = [];
  for (let number = dayNumber(from); number <= dayNumber(to); number += 1) {
    const kind = dayKind(market, dayOfNumber(number));
    if (kind !== 'full' && !isWeekend(number)) found.push(`${dayOfNumber(number)} ${kind}`);
  }
  return found;
}

function published(market: string): readonly string[] {
  return priceRows(`calendar/${market}.csv`)
    .map(([date, kind]) => `${date} ${kind === 'closed' ? 'closed' : 'half'}`)
    .filter((line) => !isWeekend(dayNumber(day(line.slice(0, 10)))));
}

describe('calendar of the US', () => {
  it('agrees with the published one from 1999 to 2028 except for one early close', () => {
    const from = '1999-01-01';
    const ours = specialDays('US', day(from), day('2028-12-31'));
    const theirs = published('US').filter((line) => line >= from);
    const missingThere = ours.filter((line) => !theirs.includes(line));
    expect(missingThere).toEqual(['1999-12-31 half']);
    expect(theirs.filter((line) => !ours.includes(line))).toEqual([]);
  });

  it('agrees with the published closures of 1998, which lists no early closes', () => {
    const ours = specialDays('US', day('1998-01-01'), day('1998-12-31'));
    const theirs = published('US').filter((line) => line < '1999');
    expect(ours.filter((line) => !theirs.includes(line))).toEqual(['1998-11-27 half', '1998-12-24 half']);
    expect(theirs.filter((line) => !ours.includes(line))).toEqual([]);
  });

  it('trades on exactly the days that SPY has bars for, 1998 to March 2021', () => {
    const bars = priceRows('SPY.US/1d.csv.gz').map(([stamp]) => dayOf('US', millis(Date.parse(`${stamp}`))));
    expect(tradingDaysBetween('US', day('1998-01-02'), day('2021-03-31'))).toEqual(bars);
  });

  it('trades on exactly the days that ORCL has bars for, 1995 to 1997', () => {
    const stamps = priceRows('calendar/US-trading-days-1995-1997.csv').map(([stamp]) =>
      millis(Date.parse(`${stamp}`)),
    );
    const bars = stamps.map((stamp) => dayOf('US', stamp)).filter((traded) => traded < '1998');
    expect(tradingDaysBetween('US', day('1995-01-03'), day('1997-12-31'))).toEqual(bars);
  });

  it.each([
    ['2001-09-11', 'closed'],
    ['2001-09-14', 'closed'],
    ['2001-09-17', 'full'],
    ['2004-06-11', 'closed'],
    ['2007-01-02', 'closed'],
    ['2012-10-30', 'closed'],
    ['2018-12-05', 'closed'],
    ['2025-01-09', 'closed'],
    ['2021-06-18', 'full'],
    ['2022-06-20', 'closed'],
    ['2027-06-18', 'closed'],
    ['2011-01-03', 'full'],
    ['2010-12-31', 'full'],
    ['2035-11-23', 'half'],
  ])('%s is %s', (text, kind) => {
    expect(dayKind('US', day(text))).toBe(kind);
  });
});

describe('calendar of Hong Kong', () => {
  it('agrees with the published one from 2017 to 2026, except for weather and one eve', () => {
    const from = '2017-01-01';
    const ours = specialDays('HK', day(from), day('2026-12-31'));
    const theirs = published('HK').filter((line) => line < '2027');
    const weather = HK_WEATHER_DAYS.map(
      ({ day: date, effect }) => `${date} ${effect.kind === 'closed' ? 'closed' : 'half'}`,
    ).filter((line) => line >= from);
    expect(theirs.filter((line) => !ours.includes(line))).toEqual([]);
    expect(ours.filter((line) => !theirs.includes(line))).toEqual(['2017-01-27 half', ...weather].sort());
  });

  it('trades on every day for which the index has a bar', () => {
    const bars = priceRows('HSI.HK/1d.csv').map(([stamp]) => dayOf('HK', millis(Date.parse(`${stamp}`))));
    expect(tradingDaysBetween('HK', day('2013-09-02'), day('2013-11-01'))).toEqual(bars);
  });

  it.each([
    ['2000-02-04', "The day preceding Lunar New Year's Day", 'the second day was a Sunday'],
    ['2003-01-31', "The day preceding Lunar New Year's Day", 'likewise'],
    [
      '2013-02-13',
      "Lunar New Year's Day and the days after, in substitution",
      'since 2012 after the holidays',
    ],
    ['2027-02-09', "Lunar New Year's Day and the days after, in substitution", 'new moon of 6 February'],
    ['2030-02-06', "Lunar New Year's Day and the days after, in substitution", 'new moon of 3 February'],
    ['2010-04-06', 'Ching Ming Festival, in substitution', 'it fell on Easter Monday'],
    ['2015-04-07', 'Ching Ming Festival, in substitution', 'it fell on Easter Sunday'],
    [
      '2012-10-02',
      'The day following the Chinese Mid-Autumn Festival, in substitution',
      'it was National Day',
    ],
    ['2015-09-03', 'The 70th anniversary of victory day', 'once'],
    ['2011-12-27', 'Christmas Day, in substitution', 'it was a Sunday'],
    ['2018-07-02', 'Hong Kong Special Administrative Region Establishment Day, in substitution', 'a Sunday'],
  ])('is closed on %s for "%s": %s', (text, name) => {
    expect(dayKind('HK', day(text))).toBe('closed');
    expect(holidayName('HK', day(text))).toBe(name);
  });

  it.each(['2009-10-05', '2002-09-23', '2020-12-28', '2029-01-02'])('trades a full day on %s', (text) => {
    expect(dayKind('HK', day(text))).toBe('full');
  });

  it('closes for typhoons and has half a day if only the morning was lost', () => {
    expect(dayKind('HK', day('2023-09-01'))).toBe('closed');
    expect(holidayName('HK', day('2023-09-01'))).toBe('Typhoon Saola');
    expect(dayKind('HK', day('2012-07-24'))).toBe('half');
  });

  it('lists every day with severe weather once, in order, on a weekday that is no holiday', () => {
    const days = HK_WEATHER_DAYS.map((each) => each.day);
    expect(days).toEqual([...new Set(days)].sort());
    for (const { day: date, name } of HK_WEATHER_DAYS) {
      expect(dayKind('HK', day(date))).not.toBe('full');
      expect(holidayName('HK', day(date))).toBe(name);
    }
  });
});

describe.each(['HK', 'US'])('early closes of %s', (market) => {
  it('are at the minute of the published calendar, except for a Sunday of 2017', () => {
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zoneName(market), timeStyle: 'medium' });
    const early = priceRows(`calendar/${market}.csv`).filter(([, kind]) => kind === 'early_close');
    const differing = early.flatMap(([date, , published]) => {
      const close = regularClose(market, day(`${date}`));
      const ours = close === undefined ? 'closed' : clock.format(close);
      return ours === published ? [] : [`${date} ${ours}`];
    });
    expect(early.length).toBeGreaterThan(20);
    expect(differing).toEqual(market === 'US' ? ['2017-12-24 closed'] : []);
  });
});

describe('calendar', () => {
  it('lists the known markets', () => {
    expect(hasTable('US')).toBe(true);
    expect(hasTable('CRYPTO')).toBe(false);
  });

  it('has a market without a table open on every day', () => {
    expect(dayKind('CRYPTO', day('2024-12-25'))).toBe('full');
    expect(holidayName('CRYPTO', day('2024-12-25'))).toBeUndefined();
    expect(nextTradingDay('CRYPTO', day('2024-12-28'))).toBe('2024-12-29');
  });

  it('names no reason for an ordinary day or a plain weekend', () => {
    expect(holidayName('US', day('2024-03-05'))).toBeUndefined();
    expect(holidayName('US', day('2024-03-09'))).toBeUndefined();
    expect(holidayName('US', day('2024-11-29'))).toBe('Day after Thanksgiving');
  });

  it('steps over the longest closure', () => {
    expect(nextTradingDay('US', day('2001-09-10'))).toBe('2001-09-17');
  });

  it('lists no day for an empty span', () => {
    expect(tradingDaysBetween('US', day('2024-03-06'), day('2024-03-05'))).toEqual([]);
  });

  it('skips only closed days when it steps', () => {
    const from = dayNumber(day('2000-01-03'));
    fc.assert(
      fc.property(fc.constantFrom('HK', 'US'), fc.integer({ min: 0, max: 12_500 }), (market, offset) => {
        const start = dayOfNumber(from + offset);
        fc.pre(dayKind(market, start) !== 'closed');
        const next = nextTradingDay(market, start);
        expect(tradingDaysBetween(market, start, next)).toEqual([start, next]);
      }),
    );
  });
});
