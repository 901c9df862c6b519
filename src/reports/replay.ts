import { MINUTE_MS } from '../model/time.ts';

/** True for a paper run whose market time is before its start: the market of a past day runs again. */
export function isReplay({
  mode,
  state,
  marketTime,
  since,
}: {
  readonly mode: 'paper' | 'live' | null;
  readonly state: string;
  readonly marketTime: string | null;
  readonly since: string;
}): boolean {
  if (mode !== 'paper' || marketTime === null || state === 'silent') return false;
  return Date.parse(marketTime) < Date.parse(since) - MINUTE_MS;
}
