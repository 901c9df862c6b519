import { type Millis, SECOND_MS } from '../model/time.ts';
import type { Tell } from './news.ts';

const WARN_MS = 2 * SECOND_MS;
const HALT_MS = 5 * SECOND_MS;

/**
 * Compares the venue's `Date` header with the machine's clock. The header has whole seconds, so the venue's time lies
 * somewhere within one. Tells when the difference crosses 2 s (`clock-skew`) or 5 s (`clock-skew-halt`), and once
 * per crossing; an absent or absurd header says nothing.
 * @see reference: reliability, I-18, F-C07
 */
export function createSkewWatch(now: () => Millis, tell: Tell): (date: string) => void {
  let level = 0;
  return (date) => {
    const venue = Date.parse(date);
    if (Number.isNaN(venue)) return;
    const skewMs = skewOf(venue, now());
    const before = level;
    level = Math.abs(skewMs) > HALT_MS ? 2 : Math.abs(skewMs) > WARN_MS ? 1 : 0;
    if (level <= before) return;
    const code = level === 2 ? 'clock-skew-halt' : 'clock-skew';
    tell(code, `The machine's clock is ${skewMs} ms off the venue's; set it, or signatures will be refused`, {
      skewMs: String(skewMs),
    });
  };
}

/** How far the machine is ahead of the second that the venue names; 0 within it. */
function skewOf(venue: number, now: number): number {
  if (now < venue) return now - venue;
  return now < venue + SECOND_MS ? 0 : now - venue - SECOND_MS;
}
