/** Gregorian `MM-DD` of the festivals that follow moon and sun. */
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
 * 8th, 9th of the 9th. Days are those of UTC+8; the closest calls are the new moons of 2027-02-06 (23:56) and
 * 2030-02-03 (00:08), which calendars with rough moons put a day off.
 * Computed from the moons and the sun of Meeus, Astronomical Algorithms, chapters 25 and 49.
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

/** The festivals of a year; undefined for one without a row. */
export function hkFestivals(year: number): HkFestivals | undefined {
  return TABLE.get(year);
}

/** Days that the government made holidays once. @see gov.hk, General Holidays */
export const HK_SPECIAL_HOLIDAYS: readonly (readonly [string, string])[] = [
  ['2015-09-03', 'The 70th anniversary of victory day'],
];

/**
 * Whole days without trading for a typhoon (signal 8 or higher) or a black rainstorm, as far as we know them.
 * Since 2024-09-23 the exchange trades through severe weather, so no new ones are expected.
 * Most stand in public exchange calendars as well; 2023-09-01 and 2023-09-08 are from the news of those days.
 * @see hkex.com.hk, "Severe weather arrangements"
 */
export const HK_WEATHER_CLOSURES: readonly (readonly [string, string])[] = [
  ['2001-07-06', 'Typhoon Utor'],
  ['2001-07-25', 'Typhoon Yutu'],
  ['2008-08-06', 'Typhoon Kammuri'],
  ['2008-08-22', 'Typhoon Nuri'],
  ['2011-09-29', 'Typhoon Nesat'],
  ['2013-08-14', 'Typhoon Utor'],
  ['2016-08-02', 'Typhoon Nida'],
  ['2016-10-21', 'Typhoon Haima'],
  ['2017-08-23', 'Typhoon Hato'],
  ['2020-10-13', 'Typhoon Nangka'],
  ['2021-10-13', 'Typhoon Kompasu'],
  ['2023-07-17', 'Typhoon Talim'],
  ['2023-09-01', 'Typhoon Saola'],
  ['2023-09-08', 'Black rainstorm'],
  ['2024-09-06', 'Typhoon Yagi'],
];

/**
 * Days whose morning session was called off, as far as we know them; with the local minute at which the afternoon
 * began where it was unusual. That of 2023-10-09 is from the exchange's own news of that day.
 */
export const HK_WEATHER_MORNINGS: readonly (readonly [string, string, number?])[] = [
  ['2008-06-25', 'Typhoon Fengshen'],
  ['2009-09-15', 'Typhoon Koppu'],
  ['2012-07-24', 'Typhoon Vicente'],
  ['2013-05-22', 'Black rainstorm'],
  ['2013-09-23', 'Typhoon Usagi'],
  ['2014-09-16', 'Typhoon Kalmaegi'],
  ['2021-06-28', 'Black rainstorm', 13 * 60 + 30],
  ['2023-10-09', 'Typhoon Koinu', 14 * 60],
];
