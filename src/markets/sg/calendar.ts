import { calendarDay } from '../../model/time.ts';
import { type DayNumber, dayNumber, easterSunday, isWeekend, numberOf } from '../day-number.ts';
import { hkFestivals } from '../hk/dates.ts';
import { type Holiday, type MarketYear, type ShortDay, withSubstitutes } from '../market-year.ts';

/**
 * Gregorian `MM-DD` of the holidays that the government announces yearly: Vesak Day, Hari Raya Puasa, Hari Raya Haji
 * (twice in 2006) and Deepavali.
 * @see mom.gov.sg, "Public holidays"
 */
const ANNOUNCED: ReadonlyMap<number, readonly (readonly [day: string, name: string])[]> = new Map(
  (
    [
      [2005, '05-22', '11-03', ['01-21'], '11-01'],
      [2006, '05-12', '10-24', ['01-10', '12-31'], '10-21'],
      [2007, '05-31', '10-13', ['12-20'], '11-08'],
      [2008, '05-19', '10-01', ['12-08'], '10-27'],
      [2009, '05-09', '09-20', ['11-27'], '10-17'],
      [2010, '05-28', '09-10', ['11-17'], '11-05'],
      [2011, '05-17', '08-30', ['11-06'], '10-26'],
      [2012, '05-05', '08-19', ['10-26'], '11-13'],
      [2013, '05-24', '08-08', ['10-15'], '11-02'],
      [2014, '05-13', '07-28', ['10-05'], '10-22'],
      [2015, '06-01', '07-17', ['09-24'], '11-10'],
      [2016, '05-21', '07-06', ['09-12'], '10-29'],
      [2017, '05-10', '06-25', ['09-01'], '10-18'],
      [2018, '05-29', '06-15', ['08-22'], '11-06'],
      [2019, '05-19', '06-05', ['08-11'], '10-27'],
      [2020, '05-07', '05-24', ['07-31'], '11-14'],
      [2021, '05-26', '05-13', ['07-20'], '11-04'],
      [2022, '05-15', '05-03', ['07-10'], '10-24'],
      [2023, '06-02', '04-22', ['06-29'], '11-12'],
      [2024, '05-22', '04-10', ['06-17'], '10-31'],
      [2025, '05-12', '03-31', ['06-07'], '10-20'],
      [2026, '05-31', '03-21', ['05-27'], '11-08'],
    ] as const
  ).map(([year, vesak, puasa, haji, deepavali]) => [
    year,
    [
      [vesak, 'Vesak Day'],
      [puasa, 'Hari Raya Puasa'],
      ...haji.map((day) => [day, 'Hari Raya Haji'] as const),
      [deepavali, 'Deepavali'],
    ],
  ]),
);

/**
 * Closed days that follow no rule.
 * @see mom.gov.sg, "Public holidays"; eld.gov.sg, "Past elections"
 */
const SPECIAL: readonly (readonly [string, string])[] = [
  ['2007-01-02', 'Hari Raya Haji of 2006-12-31, in substitution'],
  ['2015-08-07', 'Jubilee of independence'],
  ['2015-09-11', 'Polling day'],
  ['2020-07-10', 'Polling day'],
  ['2023-09-01', 'Polling day'],
];

/** Years whose announced holidays are all known. */
export const SG_KNOWN: readonly [from: number, to: number] = [2005, 2026];

/**
 * Returns holidays and half days of the Singapore exchange in one year. A Sunday holiday moves to the next free day, a
 * Saturday one does not move.
 * @see mom.gov.sg, "Public holidays"; sgx.com, "Trading hours, mechanisms and calendar"
 */
export function sgYear(year: number): MarketYear {
  const newYear = hkFestivals(year)?.newYear;
  const on = (monthDay: string): DayNumber => dayNumber(calendarDay(`${year}-${monthDay}`));
  const lunar: readonly Holiday[] =
    newYear === undefined
      ? []
      : [
          [on(newYear), 'Chinese New Year'],
          [on(newYear) + 1, 'Chinese New Year, second day'],
        ];
  const closed = withSubstitutes([
    [numberOf(year, 1, 1), "New Year's Day"],
    ...lunar,
    [easterSunday(year) - 2, 'Good Friday'],
    [numberOf(year, 5, 1), 'Labour Day'],
    [numberOf(year, 8, 9), 'National Day'],
    [numberOf(year, 12, 25), 'Christmas Day'],
    ...(ANNOUNCED.get(year) ?? []).map(([day, name]): Holiday => [on(day), name]),
  ]);
  for (const [day, name] of SPECIAL)
    if (day.startsWith(`${year}-`)) closed.set(dayNumber(calendarDay(day)), name);
  const short = new Map<DayNumber, ShortDay>();
  const eves: readonly Holiday[] = [
    [numberOf(year, 12, 24), 'Christmas Eve'],
    [numberOf(year, 12, 31), "New Year's Eve"],
    ...(newYear === undefined ? [] : [[on(newYear) - 1, 'Eve of Chinese New Year'] as const]),
  ];
  for (const [day, name] of eves)
    if (!isWeekend(day) && !closed.has(day)) short.set(day, { name, held: 'morning' });
  return { closed, short };
}
