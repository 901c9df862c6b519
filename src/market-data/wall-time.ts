import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../model/time.ts';
import { DataError, quoted } from './data-error.ts';

/**
 * Returns the instants of a wall-clock time: none in the hour that daylight saving time skips, two (earlier first) in
 * the hour that it repeats, otherwise one. Wall-clock times are milliseconds as if the wall clock showed UTC.
 */
export type WallClock = (wall: number) => readonly number[];

const OFFSET = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/**
 * Returns the wall clock of an IANA zone such as `Asia/Hong_Kong`, or `UTC`. Throws DataError (`unknown-zone`) that
 * is located at `file`.
 */
export function wallClock(zone: string, file: string): WallClock {
  const offsetAt = offsetsOf(zone, file);
  let steadyDay = Number.NaN;
  let steadyOffset = 0;
  return (wall) => {
    const day = Math.floor(wall / DAY_MS);
    if (day === steadyDay) return [wall - steadyOffset];
    const before = offsetAt((day - 1) * DAY_MS);
    const after = offsetAt((day + 2) * DAY_MS);
    if (before === after) {
      [steadyDay, steadyOffset] = [day, before];
      return [wall - before];
    }
    return [wall - Math.max(before, after), wall - Math.min(before, after)].filter(
      (at) => at + offsetAt(at) === wall,
    );
  };
}

/** Returns a function for a zone's offset from UTC at an instant, in milliseconds (positive: ahead). */
function offsetsOf(zone: string, file: string): (at: number) => number {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw new DataError({
      code: 'unknown-zone',
      problem: `Cannot read local times: ${quoted(zone)} is not a known time zone`,
      advice: 'give one such as "Asia/Hong_Kong", "America/New_York" or "UTC"',
      file,
      value: zone,
      cause,
    });
  }
  return (at) => {
    const text = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes, seconds] = OFFSET.exec(text) ?? [];
    const length = Number(hours ?? 0) * HOUR_MS + Number(minutes ?? 0) * MINUTE_MS;
    return (sign === '-' ? -1 : 1) * (length + Number(seconds ?? 0) * SECOND_MS);
  };
}
