import { calendarDay, HOUR_MS } from '../../model/time.ts';
import {
  type DatedLadder,
  fixedZone,
  type MarketHours,
  type MarketRecord,
  timeOfDay,
} from '../market-record.ts';
import { CENTS, tickLadderOf, undatedLadder } from '../tick-ladders.ts';
import { SG_KNOWN, sgYear } from './calendar.ts';
import { SG_CHARGES } from './charges.ts';

/**
 * Newest first: a lunch break until July 2011, continuous trading from August 2011, a break from 12:00 to 13:00 since
 * November 2017. Half days end at noon (before November 2017 at 12:30).
 * @see sgx.com, "Trading hours, mechanisms and calendar"; SGX news releases of 2011-07-27 and 2017-07-18
 */
const HOURS: readonly MarketHours[] = [
  {
    from: calendarDay('2017-11-13'),
    openingAuction: [timeOfDay(8, 30), timeOfDay(9)],
    regular: [
      [timeOfDay(9), timeOfDay(12)],
      [timeOfDay(13), timeOfDay(17)],
    ],
    closingAuction: [timeOfDay(17), timeOfDay(17, 6)],
    morning: [[timeOfDay(9), timeOfDay(12)]],
    morningClosingAuction: [timeOfDay(12), timeOfDay(12, 6)],
  },
  {
    from: calendarDay('2011-08-01'),
    openingAuction: [timeOfDay(8, 30), timeOfDay(9)],
    regular: [[timeOfDay(9), timeOfDay(17)]],
    closingAuction: [timeOfDay(17), timeOfDay(17, 6)],
    morning: [[timeOfDay(9), timeOfDay(12, 30)]],
    morningClosingAuction: [timeOfDay(12, 30), timeOfDay(12, 36)],
  },
  {
    from: calendarDay('1970-01-01'),
    openingAuction: [timeOfDay(8, 30), timeOfDay(9)],
    regular: [
      [timeOfDay(9), timeOfDay(12, 30)],
      [timeOfDay(14), timeOfDay(17)],
    ],
    closingAuction: [timeOfDay(17), timeOfDay(17, 6)],
    morning: [[timeOfDay(9), timeOfDay(12, 30)]],
    morningClosingAuction: [timeOfDay(12, 30), timeOfDay(12, 36)],
  },
];

const TICKS_SOURCE = 'sgx.com, "Minimum bid size"; SGX news release of 2017-07-18';

/**
 * Tick sizes since July 2011, which structured warrants kept in 2017. Older ones, coarser below one dollar, are not
 * recorded.
 */
const SINCE_2011 = tickLadderOf(['0', '0.001'], ['0.2', '0.005'], ['2', '0.01']);

const SHARES: readonly DatedLadder[] = [
  {
    name: 'wider steps from one dollar on',
    from: calendarDay('2017-11-13'),
    confirmed: true,
    source: TICKS_SOURCE,
    ladder: tickLadderOf(['0', '0.001'], ['0.2', '0.005'], ['1', '0.01']),
  },
  undatedLadder('steps of 2011', TICKS_SOURCE, SINCE_2011),
];

const WARRANTS = [undatedLadder('structured warrants', TICKS_SOURCE, SINCE_2011)];

/** Most exchange traded funds have ticks of 0.001, the others of 0.01. */
const FUNDS = [undatedLadder('exchange traded funds', TICKS_SOURCE, tickLadderOf(['0', '0.001']))];

/**
 * The main board of the Singapore exchange. Lots have been 100 shares since 2015-01-19 (1,000 before). A few securities
 * trade in other currencies.
 */
export const SINGAPORE: MarketRecord = {
  code: 'SG',
  name: 'Singapore',
  // Before 1982 the offset was half an hour less.
  zone: fixedZone('Asia/Singapore', 8 * HOUR_MS),
  hours: HOURS,
  calendar: { year: sgYear, known: SG_KNOWN, unknownBy: 'announcement' },
  ticks: {
    stock: SHARES,
    reit: SHARES,
    etf: FUNDS,
    warrant: WARRANTS,
    cbbc: WARRANTS,
    index: CENTS,
    option: CENTS,
  },
  lots: { size: 100, hasOddLotMarket: false },
  // SGX news release of 2018-11-30: two days for trades from 2018-12-10 on.
  settlement: {
    cycles: [
      { from: calendarDay('2018-12-10'), days: 2 },
      { from: calendarDay('1970-01-01'), days: 3 },
    ],
  },
  currency: 'SGD',
  isUniform: false,
  board: (kind) => (kind === 'index' ? 'SGSector' : kind === 'option' ? 'SGOption' : 'SGMain'),
  authorityCharges: SG_CHARGES,
  givesCredit: false,
  takesOrders: false,
  orderTypes: 'common',
  hasExtendedHours: false,
  hasClosingAuction: true,
  exampleName: 'DBS',
};
