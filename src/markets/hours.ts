import { type CalendarDay, calendarDay } from '../model/time.ts';
import { type DayNumber, dayNumber } from './day-number.ts';

/** Begin and end in minutes after local midnight; negative is the evening before. */
export type Minutes = readonly [from: number, to: number];

/** The hours of a market on a full day, and where a half day ends. */
export interface MarketHours {
  readonly from: CalendarDay;
  readonly regular: readonly Minutes[];
  /** Regular pieces of a day that ends early. */
  readonly morning: readonly Minutes[];
  readonly pre?: Minutes;
  readonly post?: Minutes;
  readonly morningPost?: Minutes;
  readonly overnight?: Minutes;
  readonly openingAuction?: Minutes;
  readonly closingAuction?: Minutes;
  readonly morningClosingAuction?: Minutes;
}

const at = (hours: number, minutes = 0): number => hours * 60 + minutes;

/**
 * Hong Kong, newest first. The closing auction of 2008-05-26 to 2009-03-20 is left out.
 * @see hkex.com.hk, "Securities market trading hours"; docs/venue.md, "The market"
 */
const HK: readonly MarketHours[] = [
  {
    from: calendarDay('2016-07-25'),
    openingAuction: [at(9), at(9, 30)],
    regular: [
      [at(9, 30), at(12)],
      [at(13), at(16)],
    ],
    closingAuction: [at(16), at(16, 10)],
    morning: [[at(9, 30), at(12)]],
    morningClosingAuction: [at(12), at(12, 10)],
  },
  {
    from: calendarDay('2012-03-05'),
    openingAuction: [at(9), at(9, 30)],
    regular: [
      [at(9, 30), at(12)],
      [at(13), at(16)],
    ],
    morning: [[at(9, 30), at(12)]],
  },
  {
    from: calendarDay('2011-03-07'),
    openingAuction: [at(9), at(9, 30)],
    regular: [
      [at(9, 30), at(12)],
      [at(13, 30), at(16)],
    ],
    morning: [[at(9, 30), at(12)]],
  },
  {
    from: calendarDay('1970-01-01'),
    openingAuction: [at(9, 30), at(10)],
    regular: [
      [at(10), at(12, 30)],
      [at(14, 30), at(16)],
    ],
    morning: [[at(10), at(12, 30)]],
  },
];

/**
 * New York. The overnight session belongs to the trading day it leads into: it runs from 20:00 of the evening before,
 * Sunday included. Extended hours are those of today for all years.
 * @see docs/venue.md, "The market"
 */
const US: readonly MarketHours[] = [
  {
    from: calendarDay('1970-01-01'),
    overnight: [at(-4), at(4)],
    pre: [at(4), at(9, 30)],
    regular: [[at(9, 30), at(16)]],
    post: [at(16), at(20)],
    morning: [[at(9, 30), at(13)]],
    morningPost: [at(13), at(17)],
  },
];

/** A market without a table is open around the clock, in days of UTC. */
const ALWAYS: MarketHours = {
  from: calendarDay('1970-01-01'),
  regular: [[0, at(24)]],
  morning: [[0, at(24)]],
};

const DATED: ReadonlyMap<string, readonly { readonly from: DayNumber; readonly hours: MarketHours }[]> =
  new Map(
    Object.entries({ HK, US }).map(([market, rows]) => [
      market,
      rows.map((hours) => ({ from: dayNumber(hours.from), hours })),
    ]),
  );

/** The hours that were in force on a day; the oldest known ones before that. */
export function hoursOn(market: string, day: DayNumber): MarketHours {
  const rows = DATED.get(market);
  if (rows === undefined) return ALWAYS;
  return (rows.find((row) => day >= row.from) ?? rows.at(-1))?.hours ?? ALWAYS;
}
