import { omitUndefined } from '../../model/omit-undefined.ts';
/** Gregorian `MM-DD` of the lunar and solar festivals. */
export interface HkFestivals {
  readonly newYear: string;
  readonly chingMing: string;
  readonly buddha: string;
  readonly tuenNg: string;
  readonly midAutumn: string;
  readonly chungYeung: string;
}

/**
 * Per year: first day of the first moon, the solar term Ching Ming, 8th of the 4th moon, 5th of the 5th, 15th of the
 * 8th, 9th of the 9th. Days are in UTC+8. The closest cases are the new moons of 2027-02-06 (23:56) and 2030-02-03
 * (00:08), where imprecise calendars are a day off. Computed with Meeus, Astronomical Algorithms, chapters 25 and 49.
 * @see Hong Kong Observatory, Gregorian-lunar calendar conversion tables, where the same days are published
 */
const ROWS: readonly (readonly [number, string, string, string, string, string, string])[] = [
  [2000, '02-05', '04-04', '05-11', '06-06', '09-12', '10-06'],
  [2001, '01-24', '04-05', '04-30', '06-25', '10-01', '10-25'],
  [2002, '02-12', '04-05', '05-19', '06-15', '09-21', '10-14'],
  [2003, '02-01', '04-05', '05-08', '06-04', '09-11', '10-04'],
  [2004, '01-22', '04-04', '05-26', '06-22', '09-28', '10-22'],
  [2005, '02-09', '04-05', '05-15', '06-11', '09-18', '10-11'],
  [2006, '01-29', '04-05', '05-05', '05-31', '10-06', '10-30'],
  [2007, '02-18', '04-05', '05-24', '06-19', '09-25', '10-19'],
  [2008, '02-07', '04-04', '05-12', '06-08', '09-14', '10-07'],
  [2009, '01-26', '04-04', '05-02', '05-28', '10-03', '10-26'],
  [2010, '02-14', '04-05', '05-21', '06-16', '09-22', '10-16'],
  [2011, '02-03', '04-05', '05-10', '06-06', '09-12', '10-05'],
  [2012, '01-23', '04-04', '04-28', '06-23', '09-30', '10-23'],
  [2013, '02-10', '04-04', '05-17', '06-12', '09-19', '10-13'],
  [2014, '01-31', '04-05', '05-06', '06-02', '09-08', '10-02'],
  [2015, '02-19', '04-05', '05-25', '06-20', '09-27', '10-21'],
  [2016, '02-08', '04-04', '05-14', '06-09', '09-15', '10-09'],
  [2017, '01-28', '04-04', '05-03', '05-30', '10-04', '10-28'],
  [2018, '02-16', '04-05', '05-22', '06-18', '09-24', '10-17'],
  [2019, '02-05', '04-05', '05-12', '06-07', '09-13', '10-07'],
  [2020, '01-25', '04-04', '04-30', '06-25', '10-01', '10-25'],
  [2021, '02-12', '04-04', '05-19', '06-14', '09-21', '10-14'],
  [2022, '02-01', '04-05', '05-08', '06-03', '09-10', '10-04'],
  [2023, '01-22', '04-05', '05-26', '06-22', '09-29', '10-23'],
  [2024, '02-10', '04-04', '05-15', '06-10', '09-17', '10-11'],
  [2025, '01-29', '04-04', '05-05', '05-31', '10-06', '10-29'],
  [2026, '02-17', '04-05', '05-24', '06-19', '09-25', '10-18'],
  [2027, '02-06', '04-05', '05-13', '06-09', '09-15', '10-08'],
  [2028, '01-26', '04-04', '05-02', '05-28', '10-03', '10-26'],
  [2029, '02-13', '04-04', '05-20', '06-16', '09-22', '10-16'],
  [2030, '02-03', '04-05', '05-09', '06-05', '09-12', '10-05'],
  [2031, '01-23', '04-05', '05-28', '06-24', '10-01', '10-24'],
  [2032, '02-11', '04-04', '05-16', '06-12', '09-19', '10-12'],
  [2033, '01-31', '04-04', '05-06', '06-01', '09-08', '10-01'],
  [2034, '02-19', '04-05', '05-25', '06-20', '09-27', '10-20'],
  [2035, '02-08', '04-05', '05-15', '06-10', '09-16', '10-09'],
];

const TABLE: ReadonlyMap<number, HkFestivals> = new Map(
  ROWS.map(([year, newYear, chingMing, buddha, tuenNg, midAutumn, chungYeung]) => [
    year,
    { newYear, chingMing, buddha, tuenNg, midAutumn, chungYeung },
  ]),
);

/** Returns the festivals of a year; undefined outside the table. */
export function hkFestivals(year: number): HkFestivals | undefined {
  return TABLE.get(year);
}

/**
 * One-off holidays decreed by the government.
 * @see gov.hk, General Holidays
 */
export const HK_SPECIAL_HOLIDAYS: readonly (readonly [string, string])[] = [
  ['2015-09-03', 'The 70th anniversary of victory day'],
];

/** Effect of severe weather on a trading day. Times are minutes after local midnight. */
export type WeatherEffect =
  | { readonly kind: 'closed' }
  /** The morning was cancelled; trading began with the afternoon session, or at `opensAt` if later. */
  | { readonly kind: 'morning-cancelled'; readonly opensAt?: number }
  /** Trading ended at `closesAt`, without a closing auction. */
  | { readonly kind: 'ended-early'; readonly closesAt: number };

export interface WeatherDay {
  readonly day: string;
  readonly name: string;
  readonly effect: WeatherEffect;
  /**
   * `high`: stated by the exchange, news of the day, or public exchange calendars. `medium`: derived from the hours of
   * the warning signal and the exchange's rules.
   */
  readonly confidence: 'high' | 'medium';
}

const at = (hours: number, minutes = 0): number => hours * 60 + minutes;
const closed = (day: string, name: string): WeatherDay => ({
  day,
  name,
  effect: { kind: 'closed' },
  confidence: 'high',
});
const morningCancelled = (day: string, name: string, opensAt?: number): WeatherDay => ({
  day,
  name,
  confidence: 'high',
  effect: { kind: 'morning-cancelled', ...omitUndefined({ opensAt }) },
});
const endedEarly = (
  day: string,
  name: string,
  closesAt: number,
  confidence: WeatherDay['confidence'] = 'high',
): WeatherDay => ({ day, name, confidence, effect: { kind: 'ended-early', closesAt } });

/**
 * Days with a typhoon signal of 8 or higher or a black rainstorm during trading hours, since 2000. Trading ended 15
 * minutes after such a signal, and the morning was cancelled if it was in force at 9:00. Since 2024-09-23 the exchange
 * trades through severe weather, so the list is final.
 *
 * Not found, and assumed full days: 2002-09-11 (Hagupit), 2003-07-24 (Imbudo) and 2003-09-02 (Dujuan), when signal 8
 * was issued at an unknown hour, and rainstorms before 2013.
 * @see hkex.com.hk, "Severe weather arrangements"; hko.gov.hk, "Tropical cyclones in 2004", 3.2 (signal 8 at 11:45 on
 * 2004-07-16); Xinhua 2007-08-11 (trading suspended at 14:45 on 2007-08-10); Bloomberg 2019-07-31 (signal at 13:40,
 * suspended 15 minutes later), 2020-10-13 (opened at 13:30 in August 2020), 2022-08-25 (opened at 13:00) and 2022-11-02
 * (signal at 13:40)
 */
export const HK_WEATHER_DAYS: readonly WeatherDay[] = [
  closed('2001-07-06', 'Typhoon Utor'),
  closed('2001-07-25', 'Typhoon Yutu'),
  endedEarly('2004-07-16', 'Tropical storm Kompasu', at(12), 'medium'),
  endedEarly('2007-08-10', 'Tropical storm Pabuk', at(14, 45)),
  morningCancelled('2008-06-25', 'Typhoon Fengshen'),
  closed('2008-08-06', 'Typhoon Kammuri'),
  closed('2008-08-22', 'Typhoon Nuri'),
  morningCancelled('2009-09-15', 'Typhoon Koppu'),
  closed('2011-09-29', 'Typhoon Nesat'),
  morningCancelled('2012-07-24', 'Typhoon Vicente'),
  morningCancelled('2013-05-22', 'Black rainstorm'),
  closed('2013-08-14', 'Typhoon Utor'),
  morningCancelled('2013-09-23', 'Typhoon Usagi'),
  morningCancelled('2014-09-16', 'Typhoon Kalmaegi'),
  closed('2016-08-02', 'Typhoon Nida'),
  closed('2016-10-21', 'Typhoon Haima'),
  closed('2017-08-23', 'Typhoon Hato'),
  endedEarly('2019-07-31', 'Typhoon Wipha', at(13, 55)),
  morningCancelled('2020-08-19', 'Typhoon Higos', at(13, 30)),
  closed('2020-10-13', 'Typhoon Nangka'),
  morningCancelled('2021-06-28', 'Black rainstorm', at(13, 30)),
  closed('2021-10-13', 'Typhoon Kompasu'),
  morningCancelled('2022-08-25', 'Typhoon Ma-on'),
  endedEarly('2022-11-02', 'Tropical storm Nalgae', at(13, 55)),
  closed('2023-07-17', 'Typhoon Talim'),
  closed('2023-09-01', 'Typhoon Saola'),
  closed('2023-09-08', 'Black rainstorm'),
  morningCancelled('2023-10-09', 'Typhoon Koinu', at(14)),
  closed('2024-09-06', 'Typhoon Yagi'),
];
