import { hoursAt } from '../../markets/day-hours.ts';
import { regularClose, tradingDayOf } from '../../markets/sessions.ts';
import type { Market } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { BarWindow } from './bar-window.ts';

/** The last bar of a window at whose close a day order would end within it; of the last window the last bar. */
export function lastWithDay({ market, closes, columns: { time, length }, isLast }: BarWindow): number {
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

/** When a day order ends that is sent at an instant. */
function dayEnd(market: Market, at: Millis): number {
  return regularClose(market, tradingDayOf(market, at)) ?? hoursAt(market, at).nextMidnight;
}
