import { describe, expect, it } from 'vitest';
import { type CronFields, nextDue } from '#src/markets/schedule-times.ts';
import type { Market } from '#src/model/symbol.ts';
import { NEVER } from '#src/model/time.ts';
import { at } from '../fixtures/market.ts';

const ALL = {
  daysOfMonth: Array.from({ length: 31 }, (_, index) => index + 1),
  months: Array.from({ length: 12 }, (_, index) => index + 1),
  weekdays: [1, 2, 3, 4, 5],
};

function daily(hour: number, minute: number, change: Partial<CronFields> = {}): CronFields {
  return { minutes: [minute], hours: [hour], ...ALL, ...change };
}

function next(fields: CronFields, market: Market, after: string): string {
  const due = nextDue(fields, market, at(after));
  return due === NEVER ? 'never' : new Date(due).toISOString().slice(0, 16);
}

describe('the next time of a cron expression', () => {
  it.each([
    ['the same day', 'US', daily(9, 25), '2024-03-04T08:00:00-05:00', '2024-03-04T14:25'],
    ['after a weekend', 'US', daily(9, 25), '2024-03-01T12:00:00-05:00', '2024-03-04T14:25'],
    ['after a holiday', 'US', daily(9, 25), '2024-07-03T12:00:00-04:00', '2024-07-05T13:25'],
    [
      'in summer time from the day it begins',
      'US',
      daily(9, 25),
      '2024-03-08T12:00:00-05:00',
      '2024-03-11T13:25',
    ],
    ['in the time of Hong Kong', 'HK', daily(15, 50), '2024-03-04T09:00:00+08:00', '2024-03-04T07:50'],
    [
      'on one weekday',
      'US',
      daily(9, 30, { weekdays: [5] }),
      '2024-03-04T08:00:00-05:00',
      '2024-03-08T14:30',
    ],
    ['in one month', 'US', daily(9, 30, { months: [6] }), '2024-03-04T08:00:00-05:00', '2024-06-03T13:30'],
    [
      'on the next 31 December that is a trading day, two years on',
      'US',
      daily(15, 55, { daysOfMonth: [31], months: [12] }),
      '2022-01-03T08:00:00-05:00',
      '2024-12-31T20:55',
    ],
    [
      'on the next leap day',
      'HK',
      daily(15, 55, { daysOfMonth: [29], months: [2] }),
      '2021-01-04T08:00:00+08:00',
      '2024-02-29T07:55',
    ],
    [
      'on the next leap day that is a Thursday, 40 years on',
      'US',
      daily(15, 55, { daysOfMonth: [29], months: [2], weekdays: [4] }),
      '2080-03-01T08:00:00-05:00',
      '2120-02-29T20:55',
    ],
  ] as const)('is %s', (_, market, fields, after, due) => {
    expect(next(fields, market, after)).toBe(due);
  });

  it('is strictly after the instant, so that nothing is due twice', () => {
    expect(next(daily(9, 25), 'US', '2024-03-04T09:25:00-05:00')).toBe('2024-03-05T14:25');
  });

  it('is earlier on a half day by as much as the session ends earlier, if it is relative to the close', () => {
    const halfDay = '2024-07-03T08:00:00-04:00';
    expect(next(daily(15, 55), 'US', halfDay)).toBe('2024-07-03T16:55');
    expect(next(daily(16, 5), 'US', halfDay)).toBe('2024-07-03T17:05');
    expect(next(daily(12, 0), 'US', halfDay)).toBe('2024-07-03T16:00');
  });

  it('never exists if it is on weekends only', () => {
    expect(next(daily(9, 25, { weekdays: [6, 0] }), 'US', '2024-03-04T08:00:00-05:00')).toBe('never');
  });
});
