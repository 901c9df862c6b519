import { type CalendarDay, parseDay } from '../model/time.ts';

/** Smaller integers are epoch seconds, others milliseconds (the year 5138 in seconds, 1973 in milliseconds). */
const MILLIS_FROM = 100_000_000_000;

/** The last instant with a four-digit year. */
const MAX_TIME = 253_402_300_799_999;

const ISO_UTC = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/;
const INTEGER = /^\d{1,15}$/;

/**
 * Parses a bar's stamp to epoch milliseconds: ISO-8601 in UTC, epoch seconds or milliseconds, or, if `midnight` is
 * given, an exchange day, which means its midnight. Returns undefined for anything else.
 */
export function readStamp(
  text: string,
  midnight: ((day: CalendarDay) => number) | undefined,
): number | undefined {
  const iso = ISO_UTC.exec(text);
  if (iso !== null) return parseDay(iso[1] ?? '') === undefined ? undefined : Date.parse(text);
  if (INTEGER.test(text)) {
    const time = epochTime(Number(text));
    return Number.isNaN(time) ? undefined : time;
  }
  const day = midnight === undefined ? undefined : parseDay(text);
  return day === undefined ? undefined : midnight?.(day);
}

/** Converts epoch seconds or milliseconds of up to 15 digits to milliseconds; NaN after the year 9999. */
export function epochTime(value: number): number {
  const time = value < MILLIS_FROM ? value * 1000 : value;
  return time <= MAX_TIME ? time : Number.NaN;
}

/** Formats an instant as ISO-8601 UTC, with milliseconds only if they are not zero. */
export function writeStamp(time: number): string {
  const text = new Date(time).toISOString();
  return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Returns a faster `writeStamp` for ascending stamps, which caches the text of the day. */
export function stampWriter(): (time: number) => string {
  let day = Number.NaN;
  let dayText = '';
  return (time) => {
    const today = Math.floor(time / DAY_MS);
    const within = time - today * DAY_MS;
    if (within % MINUTE_MS !== 0) return writeStamp(time);
    if (today !== day) [day, dayText] = [today, writeStamp(today * DAY_MS).slice(0, -9)];
    const minute = within / MINUTE_MS;
    return `${dayText}${padded(Math.floor(minute / 60))}:${padded(minute % 60)}:00Z`;
  };
}

const padded = (value: number): string => (value < 10 ? `0${value}` : String(value));

const T = 0x54;
const Z = 0x5a;
const DASH = 0x2d;
const COLON = 0x3a;
const SECOND = 1000;

export const PLAIN_STAMP_BYTES = 20;

/** Parses `YYYY-MM-DDTHH:MM:SSZ` at `at` without creating a string; NaN for any other bytes. */
export function plainStamp(bytes: Uint8Array, at: number): number {
  const separators =
    bytes[at + 4] === DASH &&
    bytes[at + 7] === DASH &&
    bytes[at + 10] === T &&
    bytes[at + 13] === COLON &&
    bytes[at + 16] === COLON &&
    bytes[at + 19] === Z;
  if (!separators) return Number.NaN;
  const year = twoDigits(bytes, at) * 100 + twoDigits(bytes, at + 2);
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  const hour = twoDigits(bytes, at + 11);
  const minute = twoDigits(bytes, at + 14);
  const second = twoDigits(bytes, at + 17);
  if (!(year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)))
    return Number.NaN;
  if (!(hour < 24 && minute < 60 && second < 60)) return Number.NaN;
  return (daysFromEpoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second) * SECOND;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - 0x30;
  const units = (bytes[at + 1] as number) - 0x30;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : Number.NaN;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Days since 1970-01-01 in the Gregorian calendar. Years start on 1 March, so that the leap day is last. */
function daysFromEpoch(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1;
  const monthFromMarch = month > 2 ? month - 3 : month + 9;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + Math.floor((153 * monthFromMarch + 2) / 5) + day - 719_469;
}
