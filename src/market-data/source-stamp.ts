import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../model/time.ts';

/**
 * Order of day, month and year in numeric dates. `excel`: days since 1900 as spreadsheets count them; `excel-1904`:
 * as old Macs do.
 */
export const DATE_ORDERS = ['ymd', 'mdy', 'dmy', 'excel', 'excel-1904'] as const;
/** `unsaid`: not given; only dates with a four-digit year first are accepted. */
export type DateOrder = (typeof DATE_ORDERS)[number] | 'unsaid';

/**
 * A vendor's stamp: an instant, or wall-clock time in milliseconds as if the wall clock showed UTC. Without
 * `hasClock` it is a date.
 */
export type SourceStamp =
  | { readonly kind: 'instant'; readonly at: number }
  | {
      readonly kind: 'wall';
      readonly at: number;
      readonly hasClock: boolean;
      /** IANA zone named by the stamp itself. */
      readonly zone?: string;
    };

const YEAR_MIN = 1800;
const YEAR_MAX = 2199;

const CLOCK = String.raw`(?:[T ,_-] ?(\d{1,2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?(?: ?([AaPp])[Mm])?)?`;
const ZONE = String.raw` ?(?:(?:GMT|UTC)(?=[+-]))?(Z|UTC|GMT|EST|EDT|HKT|[+-]\d{2}:?\d{2}|[A-Z][A-Za-z]+/[A-Za-z_]+)?`;
const YMD = new RegExp(String.raw`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})${CLOCK}${ZONE}$`);
const HAN = new RegExp(String.raw`^(\d{4})年(\d{1,2})月(\d{1,2})日${CLOCK}${ZONE}$`);
const NUMBERS = new RegExp(String.raw`^(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4}|\d{2})${CLOCK}${ZONE}$`);
const MONTH = '([A-Za-z]{3,9})[.]?';
const DAY_MONTH = new RegExp(String.raw`^(\d{1,2})[-/. ]${MONTH}[-/., ]+(\d{4}|\d{2})${CLOCK}${ZONE}$`);
const MONTH_DAY = new RegExp(String.raw`^${MONTH} (\d{1,2}),? (\d{4})${CLOCK}${ZONE}$`);
const COMPACT = new RegExp(String.raw`^(\d{4})(\d{2})(\d{2})${CLOCK}${ZONE}$`);
const COMPACT_LONG = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})?$/;
/** Six digits, as terminals write dates in text files. */
const COMPACT_SHORT = new RegExp(String.raw`^(\d{2})()(\d{2})(\d{2})${CLOCK}${ZONE}$`);
const EPOCH = /^(\d{9,19})(?:\.(\d{1,9}))?$/;

/**
 * Parses a stamp; returns undefined for any other text, dates that do not exist and instants finer than a
 * millisecond.
 * - ISO-8601 and variants (`2024-01-31 09:30`, `2024/01/31`, with or without a zone);
 * - `YYYYMMDD`, `YYYYMMDD HHMMSS`, `YYYYMMDDHHMM[SS]`;
 * - dates with the month's English name, with or without a weekday;
 * - epoch seconds, milliseconds, microseconds and nanoseconds;
 * - depending on `order`: `MM/DD/YYYY`, `DD/MM/YYYY`, `YY-MM-DD`, `DDMMYY` or a count of days.
 */
export function readSourceStamp(text: string, order: DateOrder): SourceStamp | undefined {
  const [, year, month, day, ...rest] =
    YMD.exec(text) ?? COMPACT.exec(text) ?? COMPACT_LONG.exec(text) ?? HAN.exec(text) ?? [];
  const plain = stampOf([year, month, day], rest);
  if (plain !== undefined) return plain;
  if (order === 'excel' || order === 'excel-1904') return serialStamp(text, order);
  const [, first, , second, lastYear, ...clock] = NUMBERS.exec(text) ?? COMPACT_SHORT.exec(text) ?? [];
  if (order !== 'unsaid' && first !== undefined) {
    if (order === 'ymd')
      return lastYear?.length === 2 ? stampOf([fullYear(first), second, lastYear], clock) : undefined;
    const year = fullYear(lastYear);
    return stampOf(order === 'mdy' ? [year, first, second] : [year, second, first], clock);
  }
  return namedMonthStamp(text) ?? epochStamp(text) ?? behindWeekday(text, order);
}

const WEEKDAY = /^(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?[.,]? +/i;

/** Parses a stamp after a weekday, which is ignored: `Tue, 02 Jan 2024 00:00:00 GMT`. */
function behindWeekday(text: string, order: DateOrder): SourceStamp | undefined {
  const bare = text.replace(WEEKDAY, '');
  return bare === text ? undefined : readSourceStamp(bare, order);
}

/**
 * Day 0 of each count. Spreadsheets count 29 February 1900, which did not exist; counts are therefore correct only
 * from March 1900.
 */
const DAY_ZERO = { excel: Date.UTC(1899, 11, 30), 'excel-1904': Date.UTC(1904, 0, 1) };
const SERIAL = /^(\d{4,5})(?:\.(\d{1,17}))?$/;
/** Decimals of a day that resolve a second; with one fewer, only the minute is certain. */
const SECOND_DECIMALS = 5;
const SERIAL_MIN = 61;

/**
 * Parses a day count: `45293` is a date, `45293.395833` half past nine on it. Returns undefined if the decimals do
 * not resolve a minute.
 */
function serialStamp(text: string, count: keyof typeof DAY_ZERO): SourceStamp | undefined {
  const [, days, decimals] = SERIAL.exec(text) ?? [];
  if (days === undefined || Number(days) < SERIAL_MIN) return undefined;
  const midnight = DAY_ZERO[count] + Number(days) * DAY_MS;
  if (decimals === undefined) return { kind: 'wall', at: midnight, hasClock: false };
  const exact = Number(`0.${decimals}`) * DAY_MS;
  const minute = Math.round(exact / MINUTE_MS) * MINUTE_MS;
  if (decimals.length < SECOND_DECIMALS - 1 && Math.abs(exact - minute) >= 1) return undefined;
  const time = decimals.length < SECOND_DECIMALS ? minute : Math.round(exact / SECOND_MS) * SECOND_MS;
  return { kind: 'wall', at: midnight + time, hasClock: true };
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Parses `02-Jan-24`, `2 January 2024` or `Jan 02, 2024`, which are unambiguous. */
function namedMonthStamp(text: string): SourceStamp | undefined {
  const [, day, name, year, ...clock] = DAY_MONTH.exec(text) ?? [];
  if (name !== undefined) return stampOf([fullYear(year), monthNumber(name), day], clock);
  const [, month = '', date, lastYear, ...time] = MONTH_DAY.exec(text) ?? [];
  return month === '' ? undefined : stampOf([lastYear, monthNumber(month), date], time);
}

function monthNumber(name: string): Part {
  const index = MONTHS.indexOf(name.slice(0, 3).toLowerCase());
  return index < 0 ? undefined : String(index + 1);
}

/** Two-digit years mean 1970 to 2069. */
function fullYear(year: Part): Part {
  if (year === undefined || year.length !== 2) return year;
  return `${Number(year) < 70 ? 20 : 19}${year}`;
}

type Part = string | undefined;

function stampOf(date: readonly [Part, Part, Part], clock: readonly Part[]): SourceStamp | undefined {
  const [year, month, day] = [Number(date[0]), Number(date[1]), Number(date[2])];
  if (!(year >= YEAR_MIN && year <= YEAR_MAX)) return undefined;
  const midnight = Date.UTC(year, month - 1, day);
  const wallTime = new Date(midnight);
  if (wallTime.getUTCMonth() !== month - 1 || wallTime.getUTCDate() !== day) return undefined;
  const [hours, minutes, seconds, fraction, half, zone] = clock;
  if (hours === undefined) {
    return zone === undefined || zone.includes('/')
      ? { kind: 'wall', at: midnight, hasClock: false }
      : instantAt(midnight, zone);
  }
  const time = clockTime(hours, minutes, seconds, fraction, half);
  if (time === undefined) return undefined;
  if (zone?.includes('/')) return { kind: 'wall', at: midnight + time, hasClock: true, zone };
  if (zone !== undefined) return instantAt(midnight + time, zone);
  return { kind: 'wall', at: midnight + time, hasClock: true };
}

function clockTime(
  hours: string,
  minutes: Part,
  seconds: Part,
  fraction: Part,
  half: Part,
): number | undefined {
  const hourNumber = Number(hours);
  const [minute, second] = [Number(minutes ?? 0), Number(seconds ?? 0)];
  if (
    minute > 59 ||
    second > 59 ||
    (half === undefined ? hourNumber > 23 : hourNumber < 1 || hourNumber > 12)
  )
    return undefined;
  const hour = half === undefined ? hourNumber : (hourNumber % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const digits = (fraction ?? '').padEnd(9, '0');
  if (!digits.endsWith('000000')) return undefined;
  return hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + Number(digits.slice(0, 3));
}

/** Unambiguous abbreviations. */
const OFFSETS: Readonly<Record<string, string>> = { EST: '-05:00', EDT: '-04:00', HKT: '+08:00' };

function instantAt(wall: number, zone: string): SourceStamp | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(OFFSETS[zone] ?? zone) ?? [];
  if (sign === undefined) return { kind: 'instant', at: wall };
  if (Number(hours) > 14 || Number(minutes) > 59) return undefined;
  const ahead = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
  return { kind: 'instant', at: sign === '+' ? wall - ahead : wall + ahead };
}

/** Minimum number of digits of an epoch in milliseconds, microseconds and nanoseconds. */
const EPOCH_DIGITS = { millis: 12, micros: 15, nanos: 18 };

const EPOCH_UNITS = ['seconds', 'milliseconds', 'microseconds', 'nanoseconds'] as const;
export type EpochUnit = (typeof EPOCH_UNITS)[number];

/** Returns the unit of an epoch stamp, by its number of digits; undefined for any other stamp. */
export function epochUnit(text: string): EpochUnit | undefined {
  const [, digits] = EPOCH.exec(text) ?? [];
  if (digits === undefined || epochStamp(text) === undefined) return undefined;
  return EPOCH_UNITS[Object.values(EPOCH_DIGITS).filter((least) => digits.length >= least).length];
}

function epochStamp(text: string): SourceStamp | undefined {
  const [, digits, fraction = ''] = EPOCH.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const power =
    digits.length >= EPOCH_DIGITS.nanos
      ? 6
      : digits.length >= EPOCH_DIGITS.micros
        ? 3
        : digits.length >= EPOCH_DIGITS.millis
          ? 0
          : -3;
  const all = digits + fraction.padEnd(9, '0');
  const whole = digits.length - power;
  if (/[1-9]/.test(all.slice(whole))) return undefined;
  const at = Number(all.slice(0, whole));
  const year = new Date(at).getUTCFullYear();
  return year >= YEAR_MIN && year <= YEAR_MAX ? { kind: 'instant', at } : undefined;
}
