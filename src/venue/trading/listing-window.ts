import { DAY_MS, type Millis, millis } from '../../model/time.ts';

/** Maximum length of a history request. @see docs/wire-protocol.md, "Calls" */
const WINDOW_MS = 90 * DAY_MS;

/**
 * Returns the time range of a history request. A missing end means 90 days after the start, at most now; a missing
 * start means 90 days before the end; a longer range is cut to its newest 90 days.
 */
export function historyWindow(
  range: { readonly from?: Millis; readonly to?: Millis },
  now: Millis,
): { readonly from: Millis; readonly to: Millis } {
  const to = range.to ?? (range.from === undefined ? now : Math.min(now, range.from + WINDOW_MS));
  const from = Math.max(range.from ?? 0, to - WINDOW_MS);
  return { from: millis(from), to: millis(to) };
}
