import { intradayMs, isPeriod, type Period } from '../model/period.ts';

/** Periods shorter than a day. */
export type IntradayPeriod = Exclude<Period, '1d' | '1w' | '1M' | '1Q' | '1Y'>;

/**
 * A time of day in the market's time zone, `15:45`. From an hour before the usual close on, it is shifted on half
 * days as the close is.
 */
export type TimeOfDay = `${number}:${number}`;

/** First and last trading day of a week, which begins on Monday, and of a month. */
const TIMER_DAYS = ['week-start', 'week-end', 'month-start', 'month-end'] as const;
export type TimerDay = (typeof TIMER_DAYS)[number];

/**
 * When a timer fires: at the end of each such period of the regular session, or once on every trading day, or only on
 * the first or last trading day of each week or month.
 */
export type TimerTerms =
  | { readonly every: IntradayPeriod }
  | { readonly at: TimeOfDay; readonly on?: TimerDay };

/** Timers by name; each fires once for every market of the strategy, in that market's time. */
export type Timers = Readonly<Record<string, TimerTerms>>;

/** Maximum number of timers of one strategy. */
const TIMERS_MAX = 20;

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)$/;
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,39}$/;

/** Parses hour and minute of `15:45`; undefined if it is not a time of day. */
export function readTimeOfDay(text: string): { readonly hour: number; readonly minute: number } | undefined {
  const match = TIME.exec(text);
  return match === null ? undefined : { hour: Number(match[1]), minute: Number(match[2]) };
}

/** Describes what is wrong with timers; undefined if they are valid. */
export function timersProblem(timers: Timers): string | undefined {
  const named = Object.entries(timers);
  if (named.length > TIMERS_MAX) return `it has ${named.length} timers, most is ${TIMERS_MAX}`;
  for (const [name, terms] of named) {
    if (!NAME.test(name)) return `timer "${name.slice(0, 40)}" is no name: want letters, digits and dashes`;
    if (!isValid(terms))
      return `timer "${name}" is ${JSON.stringify(terms)}, want { every: '15m' }, { at: '15:45' } or { at: '15:45', on: 'month-end' } (${TIMER_DAYS.join(', ')})`;
  }
  return undefined;
}

function isValid(terms: TimerTerms): boolean {
  if (typeof terms !== 'object' || terms === null) return false;
  const { every, at, on, ...others } = terms as Readonly<Record<string, unknown>>;
  if (Object.keys(others).length > 0) return false;
  if (every !== undefined) return at === undefined && on === undefined && isIntraday(every);
  const isDay = on === undefined || TIMER_DAYS.some((day) => day === on);
  return isDay && typeof at === 'string' && readTimeOfDay(at) !== undefined;
}

function isIntraday(every: unknown): boolean {
  return typeof every === 'string' && isPeriod(every) && intradayMs(every) !== undefined;
}
