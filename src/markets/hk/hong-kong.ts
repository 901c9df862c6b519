import { calendarDay, HOUR_MS } from '../../model/time.ts';
import { fixedZone, type MarketHours, type MarketRecord, timeOfDay } from '../market-record.ts';
import { hkYear } from './calendar.ts';
import { HK_CHARGES, HK_PLATFORM_FEE } from './charges.ts';
import { HK_TICKS } from './ticks.ts';

/**
 * Newest first. The closing auction of 2008-05-26 to 2009-03-20 is omitted.
 * @see hkex.com.hk, "Securities market trading hours"; docs/venue.md, "The market"
 */
const HOURS: readonly MarketHours[] = [
  {
    from: calendarDay('2016-07-25'),
    openingAuction: [timeOfDay(9), timeOfDay(9, 30)],
    regular: [
      [timeOfDay(9, 30), timeOfDay(12)],
      [timeOfDay(13), timeOfDay(16)],
    ],
    closingAuction: [timeOfDay(16), timeOfDay(16, 10)],
    morning: [[timeOfDay(9, 30), timeOfDay(12)]],
    morningClosingAuction: [timeOfDay(12), timeOfDay(12, 10)],
  },
  {
    from: calendarDay('2012-03-05'),
    openingAuction: [timeOfDay(9), timeOfDay(9, 30)],
    regular: [
      [timeOfDay(9, 30), timeOfDay(12)],
      [timeOfDay(13), timeOfDay(16)],
    ],
    morning: [[timeOfDay(9, 30), timeOfDay(12)]],
  },
  {
    from: calendarDay('2011-03-07'),
    openingAuction: [timeOfDay(9), timeOfDay(9, 30)],
    regular: [
      [timeOfDay(9, 30), timeOfDay(12)],
      [timeOfDay(13, 30), timeOfDay(16)],
    ],
    morning: [[timeOfDay(9, 30), timeOfDay(12)]],
  },
  {
    from: calendarDay('1970-01-01'),
    openingAuction: [timeOfDay(9, 30), timeOfDay(10)],
    regular: [
      [timeOfDay(10), timeOfDay(12, 30)],
      [timeOfDay(14, 30), timeOfDay(16)],
    ],
    morning: [[timeOfDay(10), timeOfDay(12, 30)]],
  },
];

/** The Hong Kong exchange. `lots.size` is only a default, because issuers choose their own lots. */
export const HONG_KONG: MarketRecord = {
  code: 'HK',
  name: 'Hong Kong',
  // No summer time since 1979.
  zone: fixedZone('Asia/Hong_Kong', 8 * HOUR_MS),
  hours: HOURS,
  calendar: { year: hkYear, known: [2000, 2035], unknownBy: 'the moon and by decree' },
  ticks: HK_TICKS,
  lots: { size: 100, hasOddLotMarket: true },
  // HKEX, General Rules of CCASS.
  settlement: { cycles: [{ from: calendarDay('1970-01-01'), days: 2 }] },
  currency: 'HKD',
  isUniform: false,
  board: (kind) => {
    if (kind === 'index') return 'HKHS';
    if (kind === 'option') return 'HKOption';
    return kind === 'warrant' || kind === 'cbbc' ? 'HKWarrant' : 'HKEquity';
  },
  authorityCharges: HK_CHARGES,
  platformFee: HK_PLATFORM_FEE,
  givesCredit: true,
  takesOrders: true,
  orderTypes: 'all',
  hasExtendedHours: false,
  hasClosingAuction: true,
  exampleName: 'Tencent',
};
