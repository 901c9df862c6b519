import { calendarDay } from '../../model/time.ts';
import { type DayNumber, dateOf, nthWeekday, numberOf, weekdayOf } from '../day-number.ts';
import { type MarketHours, type MarketRecord, timeOfDay } from '../market-record.ts';
import { CENTS, tickLadderOf, undatedLadder } from '../tick-ladders.ts';
import { usYear } from './calendar.ts';
import { US_CHARGES, US_PLATFORM_FEE } from './charges.ts';
import { NEW_YORK_ZONE } from './zone.ts';

/**
 * The overnight session belongs to the next trading day: it begins at 20:00 on the evening before, Sunday included.
 * Today's extended hours are used for all years.
 * @see docs/venue.md, "The market"
 */
const HOURS: readonly MarketHours[] = [
  {
    from: calendarDay('1970-01-01'),
    overnight: [timeOfDay(-4), timeOfDay(4)],
    pre: [timeOfDay(4), timeOfDay(9, 30)],
    regular: [[timeOfDay(9, 30), timeOfDay(16)]],
    post: [timeOfDay(16), timeOfDay(20)],
    morning: [[timeOfDay(9, 30), timeOfDay(13)]],
    morningPost: [timeOfDay(13), timeOfDay(17)],
  },
];

const SHARES = [
  undatedLadder(
    'shares',
    '17 CFR 242.612 (Rule 612 of Regulation NMS)',
    tickLadderOf(['0', '0.0001'], ['1', '0.01']),
  ),
];

export const UNITED_STATES: MarketRecord = {
  code: 'US',
  name: 'United States',
  zone: NEW_YORK_ZONE,
  hours: HOURS,
  calendar: { year: usYear, known: [1998, 2035], unknownBy: 'decree' },
  ticks: {
    stock: SHARES,
    etf: SHARES,
    reit: SHARES,
    warrant: SHARES,
    cbbc: SHARES,
    index: CENTS,
    option: CENTS,
  },
  lots: { size: 1, hasOddLotMarket: false },
  // 17 CFR 240.15c6-1, in force since 1995-06-07, amended in 2017 and 2023; before, five days by custom.
  settlement: {
    cycles: [
      { from: calendarDay('2024-05-28'), days: 1 },
      { from: calendarDay('2017-09-05'), days: 2 },
      { from: calendarDay('1995-06-07'), days: 3 },
      { from: calendarDay('1970-01-01'), days: 5 },
    ],
    isHoliday: isBankHoliday,
  },
  currency: 'USD',
  isUniform: true,
  board: (kind) => (kind === 'index' ? 'USSector' : kind === 'option' ? 'USOption' : 'USMain'),
  authorityCharges: US_CHARGES,
  platformFee: US_PLATFORM_FEE,
  givesCredit: true,
  takesOrders: true,
  orderTypes: 'common',
  hasExtendedHours: true,
  hasClosingAuction: false,
  exampleName: 'Apple',
};

/** True on Columbus Day and Veterans Day, when exchanges trade but banks do not settle. */
function isBankHoliday(day: DayNumber): boolean {
  const { year } = dateOf(day);
  if (day === nthWeekday({ year, month: 10 }, 1, 2)) return true;
  const veterans = numberOf(year, 11, 11);
  return day === (weekdayOf(veterans) === 0 ? veterans + 1 : veterans);
}
