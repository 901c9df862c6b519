import { DAY_MS, type Millis, millis } from '../../model/time.ts';

/** Longest stretch of a history question. @see docs/wire-protocol.md, "Calls" */
const WINDOW_MS = 90 * DAY_MS;

/**
 * The stretch that a history question means: a missing end is now, or 90 days after the begin; a missing begin is 90 days
 * before the end; a longer stretch keeps its newest 90 days.
 */
export function historyWindow(
  range: { readonly from?: Millis; readonly to?: Millis },
  now: Millis,
): { readonly from: Millis; readonly to: Millis } {
  const to = range.to ?? (range.from === undefined ? now : Math.min(now, range.from + WINDOW_MS));
  const from = Math.max(range.from ?? 0, to - WINDOW_MS);
  return { from: millis(from), to: millis(to) };
}
