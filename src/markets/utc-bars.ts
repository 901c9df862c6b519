import { intradayMs, type Period } from '../model/period.ts';
import { DAY_MS, type Millis, millis } from '../model/time.ts';
import type { Span } from './day-hours.ts';

/** 1970-01-05, the first Monday after the epoch, from which weeks are counted. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

const MONTHS: Partial<Record<Period, number>> = { '1M': 1, '1Q': 3, '1Y': 12 };

/** Returns the clock-aligned UTC bar that contains an instant, for markets open around the clock. */
export function utcBarSpan(period: Period, at: Millis): Span {
  const months = MONTHS[period];
  if (months !== undefined) {
    const date = new Date(at);
    const month = date.getUTCMonth();
    const start = millis(Date.UTC(date.getUTCFullYear(), month - (month % months), 1));
    return { open: start, close: addMonths(start, months) };
  }
  const length = lengthOf(period);
  const anchor = period === '1w' ? FIRST_MONDAY_MS : 0;
  const open = millis(anchor + Math.floor((at - anchor) / length) * length);
  return { open, close: millis(open + length) };
}

/**
 * Returns the end of a bar stamped at any open. Vendors stamp days at their own midnights; a bar that ended at the next
 * UTC midnight would be known too early.
 */
export function utcBarClose(period: Period, barOpen: Millis): Millis {
  const months = MONTHS[period];
  return months === undefined ? millis(barOpen + lengthOf(period)) : addMonths(barOpen, months);
}

function lengthOf(period: Period): number {
  return intradayMs(period) ?? (period === '1w' ? 7 * DAY_MS : DAY_MS);
}

/** Adds months at the same day and time, or the last day of a shorter month. */
function addMonths(at: Millis, months: number): Millis {
  const date = new Date(at);
  const target = date.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), target + 1, 0)).getUTCDate();
  const midnight = Date.UTC(date.getUTCFullYear(), target, Math.min(date.getUTCDate(), lastDay));
  return millis(midnight + (((at % DAY_MS) + DAY_MS) % DAY_MS));
}
