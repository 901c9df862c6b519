import { hoursAt } from '../../markets/day-hours.ts';
import { regularClose, tradingDayOf } from '../../markets/sessions.ts';
import type { Market } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { BarWindow } from './bar-window.ts';

/**
 * Returns the last bar of a window for which a day order sent at its close expires within the window; in the last
 * window, the last bar.
 */
export function lastBarWithFullDay({ market, closes, columns: { time, length }, isLast }: BarWindow): number {
  if (isLast) return length - 1;
  const known = time[length - 1] as number;
  let [low, high] = [0, length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (dayEnd(market, closes[middle] as Millis) <= known) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns when a day order sent at a time expires. */
function dayEnd(market: Market, at: Millis): number {
  return regularClose(market, tradingDayOf(market, at)) ?? hoursAt(market, at).nextMidnight;
}
