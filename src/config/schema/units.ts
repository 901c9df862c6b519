import { Decimal, parseDecimal } from '../../model/decimal.ts';
import type { Money } from '../../model/money.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../model/time.ts';

/** A figure with its unit in a YAML: its form, its error message and its parser. */
export interface Unit<T> {
  readonly pattern: RegExp;
  /** The expected form in an error, with an example. */
  readonly wanted: string;
  /** Returns the value, or undefined if the text has the right form but is out of bounds. */
  readonly read: (text: string) => T | undefined;
}

const AMOUNT = /^(\d{1,12}(?:\.\d{1,8})?) ([A-Z]{3})$/;

/** A positive amount of money with its currency. */
export const amount: Unit<Money> = {
  pattern: AMOUNT,
  wanted: 'a positive amount with its currency, such as "20000 USD"',
  read: (text) => {
    const [, figure = '', currency = ''] = AMOUNT.exec(text) ?? [];
    const value = parseDecimal(figure);
    return value === undefined || value.lte(0) ? undefined : { amount: value, currency };
  },
};

const PERCENT = /^(\d{1,3}(?:\.\d{1,6})?)%$/;

/** A share above 0 and up to `percentMax` percent, written with a percent sign and read as a fraction. */
export function percentage(percentMax: number): Unit<Decimal> {
  return {
    pattern: PERCENT,
    wanted: `a percentage above 0% and up to ${percentMax}%, such as "3%"`,
    read: (text) => {
      const value = parseDecimal(PERCENT.exec(text)?.[1] ?? '');
      return value === undefined || value.lte(0) || value.gt(percentMax) ? undefined : value.div(100);
    },
  };
}

const YEARLY = /^(\d{1,3}(?:\.\d{1,6})?)% ?\/ ?year$/;

/** A rate a year, 0 % included and up to 200 %, read as a fraction. */
export const yearlyRate: Unit<Decimal> = {
  pattern: YEARLY,
  wanted: 'a rate from 0 to 200 "%/year", such as "6.5%/year"',
  read: (text) => {
    const value = parseDecimal(YEARLY.exec(text)?.[1] ?? '');
    return value === undefined || value.gt(200) ? undefined : value.div(100);
  },
};

const BASIS_POINTS = /^(\d{1,4}(?:\.\d{1,4})?) ?bps$/;

/** A share in basis points (1 bps is 0.01 %), above 0 and up to 1000, read as a fraction. */
export const basisPoints: Unit<Decimal> = {
  pattern: BASIS_POINTS,
  wanted: 'basis points above 0 and up to 1000, such as "2 bps"',
  read: (text) => {
    const value = parseDecimal(BASIS_POINTS.exec(text)?.[1] ?? '');
    return value === undefined || value.lte(0) || value.gt(1_000) ? undefined : value.div(10_000);
  },
};

const SHARES = /^(\d{1,12}) shares?$/;

/** A number of shares, 1 to 12 digits of them. */
export const shareCount: Unit<Decimal> = {
  pattern: SHARES,
  wanted: 'a number of shares from 1 on, such as "100 shares"',
  read: (text) => {
    const value = parseDecimal(SHARES.exec(text)?.[1] ?? '');
    return value === undefined || value.lte(0) ? undefined : value;
  },
};

const PER_MINUTE = /^(\d{1,4})\/min$/;

/** A number per minute, 1 to `max`. */
export function perMinute(max: number): Unit<number> {
  return {
    pattern: PER_MINUTE,
    wanted: `a number per minute from 1/min to ${max}/min, such as "10/min"`,
    read: (text) => {
      const count = Number(PER_MINUTE.exec(text)?.[1] ?? Number.NaN);
      return count >= 1 && count <= max ? count : undefined;
    },
  };
}

const DURATION = /^(\d{1,7})(ms|s|m|h|d)$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};
const LONGEST_DAYS = 90;

/** A duration in milliseconds, from 1 ms up to `longest` (as written in a YAML). */
export function durationUpTo(longest: string): Unit<number> {
  const longestMs = lengthMs(longest);
  return {
    pattern: DURATION,
    wanted: `a length of time from 1ms to ${longest} with its unit (ms, s, m, h, d), such as "30s"`,
    read: (text) => {
      const ms = lengthMs(text);
      return ms >= 1 && ms <= longestMs ? ms : undefined;
    },
  };
}

function lengthMs(text: string): number {
  const [, figure = '', unit = ''] = DURATION.exec(text) ?? [];
  return Number(figure) * (UNIT_MS[unit] ?? Number.NaN);
}

/** A duration in milliseconds, 1 ms to 90 days. */
export const duration: Unit<number> = durationUpTo(`${LONGEST_DAYS}d`);

/** Formats milliseconds as in a YAML, in the largest unit that divides them. */
export function durationText(ms: number): string {
  const [unit = 'ms', size = 1] = Object.entries(UNIT_MS).findLast(([, each]) => ms % each === 0) ?? [];
  return `${ms / size}${unit}`;
}

const TICKS = /^(\d{1,3}) ticks?$/;

/** A number of ticks, 0 to 100. */
export const ticks: Unit<number> = {
  pattern: TICKS,
  wanted: 'a number of ticks from 0 to 100, such as "1 tick" or "2 ticks"',
  read: (text) => {
    const count = Number(TICKS.exec(text)?.[1] ?? Number.NaN);
    return count >= 0 && count <= 100 ? count : undefined;
  },
};

/** Returns the exact decimal of a plain YAML number; it has 15 digits at most, so it is the number as written. */
export function exactFigure(value: number): Decimal {
  return new Decimal(value);
}
