const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Formats an instant in a zone's local time, to the second: `2025-09-01 09:30:00`. `zone` is an IANA name. */
export function zonedStamp(at: number, zone: string): string {
  let format = FORMATS.get(zone);
  if (format === undefined) {
    // Swedish writes dates as ISO 8601 does.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    FORMATS.set(zone, format);
  }
  return format.format(at);
}
