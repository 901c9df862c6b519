import { omitUndefined } from '../../model/omit-undefined.ts';
import { calendarDay } from '../../model/time.ts';
import { type DayNumber, dayNumber, easterSunday, isWeekend, numberOf, weekdayOf } from '../day-number.ts';
import { type Holiday, type MarketYear, type ShortDay, withSubstitutes } from '../market-year.ts';
import {
  HK_SPECIAL_HOLIDAYS,
  HK_WEATHER_DAYS,
  type HkFestivals,
  hkFestivals,
  type WeatherDay,
} from './dates.ts';

const SUNDAY = 0;

/** From this year on, a Lunar New Year holiday on a Sunday moves to the days after; before, to the day in front. */
const SUBSTITUTION_LAW = 2012;

/**
 * Returns holidays, half days and known weather closures of the Hong Kong exchange in one year. Years outside the
 * festival table have only holidays that follow from sun and Easter.
 * @see gov.hk, General Holidays Ordinance (Cap. 149); hkex.com.hk, "Securities market trading hours"
 */
export function hkYear(year: number): MarketYear {
  const festivals = hkFestivals(year);
  const closed = withSubstitutes(wanted(year, festivals));
  for (const [day, name] of HK_SPECIAL_HOLIDAYS)
    if (day.startsWith(`${year}-`)) closed.set(dayNumber(calendarDay(day)), name);
  const weather = HK_WEATHER_DAYS.filter(({ day }) => day.startsWith(`${year}-`));
  for (const { day, name, effect } of weather)
    if (effect.kind === 'closed') closed.set(dayNumber(calendarDay(day)), name);
  const short = shortDays(year, festivals, closed);
  for (const each of weather) {
    const held = shortDayOf(each);
    if (held !== undefined) short.set(dayNumber(calendarDay(each.day)), held);
  }
  return { closed, short };
}

/** Returns the part held of a day with severe weather; undefined if closed. */
function shortDayOf({ name, effect }: WeatherDay): ShortDay | undefined {
  switch (effect.kind) {
    case 'closed':
      return undefined;
    case 'morning-cancelled':
      return {
        name,
        held: 'afternoon',
        ...omitUndefined({ opensAt: effect.opensAt }),
      };
    case 'ended-early':
      return { name, held: 'until', closesAt: effect.closesAt };
  }
}

function wanted(year: number, festivals: HkFestivals | undefined): readonly Holiday[] {
  const easter = easterSunday(year);
  const solar: readonly Holiday[] = [
    [numberOf(year, 1, 1), 'The first day of January'],
    [easter - 2, 'Good Friday'],
    [easter + 1, 'Easter Monday'],
    [numberOf(year, 5, 1), 'Labour Day'],
    [numberOf(year, 7, 1), 'Hong Kong Special Administrative Region Establishment Day'],
    [numberOf(year, 10, 1), 'National Day'],
    [numberOf(year, 12, 25), 'Christmas Day'],
    [numberOf(year, 12, 26), 'The first weekday after Christmas Day'],
  ];
  return festivals === undefined ? solar : [...solar, ...lunar(year, festivals)];
}

function lunar(year: number, festivals: HkFestivals): readonly Holiday[] {
  const on = (monthDay: string): DayNumber => dayNumber(calendarDay(`${year}-${monthDay}`));
  return [
    ...newYearDays(year, on(festivals.newYear)),
    [on(festivals.chingMing), 'Ching Ming Festival'],
    [on(festivals.buddha), 'The Birthday of the Buddha'],
    [on(festivals.tuenNg), 'Tuen Ng Festival'],
    midAutumn(year, on(festivals.midAutumn)),
    [on(festivals.chungYeung), 'Chung Yeung Festival'],
  ];
}

function newYearDays(year: number, first: DayNumber): readonly Holiday[] {
  const three = [first, first + 1, first + 2];
  const days = three.map((day): Holiday => [day, "Lunar New Year's Day and the days after"]);
  const hasSunday = three.some((day) => weekdayOf(day) === SUNDAY);
  if (!hasSunday || year >= SUBSTITUTION_LAW) return days;
  return [
    ...days.filter(([day]) => weekdayOf(day) !== SUNDAY),
    [first - 1, "The day preceding Lunar New Year's Day"],
  ];
}

function midAutumn(year: number, festival: DayNumber): Holiday {
  const next = festival + 1;
  if (weekdayOf(next) === SUNDAY && year < SUBSTITUTION_LAW) return [festival, 'Chinese Mid-Autumn Festival'];
  return [next, 'The day following the Chinese Mid-Autumn Festival'];
}

function shortDays(
  year: number,
  festivals: HkFestivals | undefined,
  closed: ReadonlyMap<DayNumber, string>,
): Map<DayNumber, ShortDay> {
  const short = new Map<DayNumber, ShortDay>();
  const eves: Holiday[] = [
    [numberOf(year, 12, 24), 'Christmas Eve'],
    [numberOf(year, 12, 31), "New Year's Eve"],
  ];
  if (festivals !== undefined) {
    eves.push([dayNumber(calendarDay(`${year}-${festivals.newYear}`)) - 1, "Lunar New Year's Eve"]);
  }
  for (const [day, name] of eves) {
    if (!isWeekend(day) && !closed.has(day)) short.set(day, { name, held: 'morning' });
  }
  return short;
}
