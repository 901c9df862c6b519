import { describe, expect, it } from 'vitest';
import { dayKind, holidayName, holidaysKnown, tradingDaysBetween } from '#src/markets/calendar.ts';
import { CHARGE_SCHEDULES } from '#src/markets/charge-schedules.ts';
import { chargeTable } from '#src/markets/charges.ts';
import { defaultLotSize } from '#src/markets/lots.ts';
import { hasTable, MARKET_RECORDS, marketRecord } from '#src/markets/market-records.ts';
import { midnightOf, sessionsOf } from '#src/markets/sessions.ts';
import { settlementDay } from '#src/markets/settlement.ts';
import { tickSize } from '#src/markets/ticks.ts';
import { zoneName } from '#src/markets/zones.ts';
import { amount, formatAmount } from '#src/model/amount.ts';
import { decimal } from '#src/model/decimal.ts';
import { addDays, type CalendarDay, calendarDay } from '#src/model/time.ts';
import { XSES_CLOSED_WEEKDAYS } from './sg-closed-days.ts';

const day = calendarDay;
const hours = (date: string): readonly string[] =>
  sessionsOf('SG', day(date))
    .filter(({ kind }) => kind === 'regular')
    .map(({ open, close }) => {
      const clock = (at: number): string => new Date(at + 8 * 3_600_000).toISOString().slice(11, 16);
      return `${clock(open)}-${clock(close)}`;
    });

describe('the market of Singapore', () => {
  it('is known by its suffix', () => {
    expect(hasTable('SG')).toBe(true);
    expect(zoneName('SG')).toBe('Asia/Singapore');
    expect(marketRecord('SG')).toMatchObject({ currency: 'SGD', code: 'SG' });
    expect(defaultLotSize('SG')).toBe(100);
  });

  it('is closed on the weekdays of an independent calendar, 2005 to 2026', () => {
    expect(holidaysKnown('SG')).toEqual({ from: '2005-01-01', to: '2026-12-31' });
    for (const [year, wanted] of Object.entries(XSES_CLOSED_WEEKDAYS)) {
      const open = new Set(tradingDaysBetween('SG', day(`${year}-01-01`), day(`${year}-12-31`)));
      const closed: string[] = [];
      for (let date: CalendarDay = day(`${year}-01-01`); date <= `${year}-12-31`; date = addDays(date, 1)) {
        const weekday = new Date(date).getUTCDay();
        if (weekday !== 0 && weekday !== 6 && !open.has(date)) closed.push(date.slice(5));
      }
      expect({ year, closed }).toEqual({ year, closed: wanted });
    }
  });

  it('makes up for a Sunday holiday on the next free day, and not for one on a Saturday', () => {
    expect(holidayName('SG', day('2023-01-24'))).toBe('Chinese New Year, in substitution');
    expect(holidayName('SG', day('2007-01-02'))).toBe('Hari Raya Haji of 2006-12-31, in substitution');
    expect(dayKind('SG', day('2016-05-23'))).toBe('full');
  });

  it.each([
    ['2010-06-02', ['09:00-12:30', '14:00-17:00']],
    ['2011-08-01', ['09:00-17:00']],
    ['2017-11-10', ['09:00-17:00']],
    ['2017-11-13', ['09:00-12:00', '13:00-17:00']],
    ['2025-12-24', ['09:00-12:00']],
    ['2025-12-25', []],
    ['2026-02-16', ['09:00-12:00']],
  ])('trades on %s at %j', (date, wanted) => {
    expect(hours(date)).toEqual(wanted);
  });

  it.each([
    ['0.199', '0.001', '0.001'],
    ['0.2', '0.005', '0.005'],
    ['1', '0.005', '0.01'],
    ['1.995', '0.005', '0.01'],
    ['2', '0.01', '0.01'],
    ['45.3', '0.01', '0.01'],
  ])('steps at %s by %s before 2017-11-13 and by %s since', (price, before, since) => {
    const step = (date: string) =>
      tickSize({ market: 'SG', kind: 'stock' }, decimal(price), day(date)).toString();
    expect([step('2017-11-10'), step('2017-11-13')]).toEqual([before, since]);
  });

  it('settles two trading days after the trade since 2018-12-10, three before', () => {
    expect(settlementDay('SG', day('2018-12-07'))).toBe('2018-12-12');
    expect(settlementDay('SG', day('2018-12-10'))).toBe('2018-12-12');
    expect(settlementDay('SG', day('2025-12-24'))).toBe('2025-12-29');
  });

  it('charges clearing, access and tax on 10,000 dollars: 3.25, 0.75 and 0.36', () => {
    const table = chargeTable(CHARGE_SCHEDULES.standard, { market: 'SG', kind: 'stock', side: 'buy' });
    const lines = table.lines(midnightOf('SG', day('2025-03-03')), amount('200'), amount('10000'));
    expect(lines.map(({ row, amount: sum }) => `${row.code} ${formatAmount(sum, 2)}`)).toEqual([
      'CLEARING_FEE 3.25',
      'TRADING_FEE 0.75',
      'GST 0.36',
    ]);
  });
});

describe('every market', () => {
  it.each(MARKET_RECORDS)(
    '$name has a zone, hours, ladders and a settlement cycle from the first day on',
    (record) => {
      expect(new Intl.DateTimeFormat('en', { timeZone: record.zone.name }).format(0)).not.toBe('');
      expect(record.hours.at(-1)?.from).toBe('1970-01-01');
      expect(record.settlement.cycles.at(-1)?.from).toBe('1970-01-01');
      for (const ladders of Object.values(record.ticks)) expect(ladders.at(-1)?.from).toBe('1970-01-01');
      expect(record.authorityCharges.every(({ market }) => market === record.code)).toBe(true);
    },
  );
});
