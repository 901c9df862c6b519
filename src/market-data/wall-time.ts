import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../model/time.ts';
import { DataError, quoted } from './data-error.ts';

/**
 * Tells which instants a wall clock's reading means: none in the hour that summer time skips, two (the earlier first) in
 * the hour that it repeats, else one. Readings are milliseconds as if the wall showed UTC.
 */
export type WallClock = (wall: number) => readonly number[];

const OFFSET = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/** The wall clock of an IANA zone such as `Asia/Hong_Kong`, or `UTC`. Throws DataError (`unknown-zone`), with `file` as place. */
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

/** What a zone's clocks are ahead of UTC at an instant, in milliseconds. */
function offsetsOf(zone: string, file: string): (at: number) => number {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw new DataError({
      code: 'unknown-zone',
      problem: `Cannot read local times: ${quoted(zone)} is no time zone that is known here`,
      advice: 'name one as in "Asia/Hong_Kong", "America/New_York" or "UTC"',
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
