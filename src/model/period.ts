import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts';

/** Length of a bar. Intraday periods are clock time; longer ones follow the exchange's calendar. */
export const PERIODS = [
  '1m',
  '2m',
  '3m',
  '5m',
  '10m',
  '15m',
  '20m',
  '30m',
  '45m',
  '1h',
  '2h',
  '3h',
  '4h',
  '1d',
  '1w',
  '1M',
  '1Q',
  '1Y',
] as const;
export type Period = (typeof PERIODS)[number];

const INTRADAY_MS: Partial<Record<Period, number>> = {
  '1m': MINUTE_MS,
  '2m': 2 * MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '10m': 10 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '20m': 20 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '45m': 45 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '3h': 3 * HOUR_MS,
  '4h': 4 * HOUR_MS,
};

export function isPeriod(text: string): text is Period {
  return (PERIODS as readonly string[]).includes(text);
}

/** Returns the length of an intraday period in milliseconds; undefined for a day and longer. */
export function intradayMs(period: Period): number | undefined {
  return INTRADAY_MS[period];
}

/** Returns a length for planning, in milliseconds: exact for intraday periods, the calendar average for others. */
export function nominalMs(period: Period): number {
  const exact = INTRADAY_MS[period];
  if (exact !== undefined) return exact;
  const days: Partial<Record<Period, number>> = {
    '1d': 1,
    '1w': 7,
    '1M': 30.4375,
    '1Q': 91.3125,
    '1Y': 365.25,
  };
  return (days[period] ?? 1) * DAY_MS;
}
