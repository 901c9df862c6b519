import type { Market } from '../../model/symbol.ts';

/** Time zones of markets; UTC for markets that are not listed. */
const ZONES: Readonly<Record<Market, string>> = {
  US: 'America/New_York',
  HK: 'Asia/Hong_Kong',
  SH: 'Asia/Shanghai',
  SZ: 'Asia/Shanghai',
  SG: 'Asia/Singapore',
};
const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Time on a clock at the exchange, in the wire's formats: `YYYYMMDD`, `HHMM`, and both together. */
export interface WallTime {
  readonly day: string;
  readonly minute: string;
  readonly text: string;
}

/** Returns the day and minute at the exchange at a time in epoch milliseconds. */
export function exchangeWallTime(market: Market, at: number): WallTime {
  const zone = ZONES[market] ?? 'UTC';
  const format = FORMATS.get(zone) ?? formatOf(zone);
  FORMATS.set(zone, format);
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const digits = (...names: readonly Intl.DateTimeFormatPartTypes[]): string =>
    names.map((name) => parts.get(name) ?? '').join('');
  const [day, minute] = [digits('year', 'month', 'day'), digits('hour', 'minute')];
  return { day, minute, text: `${day} ${minute}` };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
}
