import { MINUTE_MS, type Millis, SECOND_MS } from '../model/time.ts';
import type { Tell } from './news.ts';

const WARN_MS = 2 * SECOND_MS;
const HALT_MS = 5 * SECOND_MS;

/** A date outside of these years is nonsense, not a skew. */
const SANE = { from: Date.UTC(2015, 0), to: Date.UTC(2100, 0) } as const;
/** A date may have it; what reads dates here would take it for the beginning of its minute. @see reference: reliability, F-C03 */
const LEAP_SECOND = /:60(?= GMT$)/;
/** How long the last good date is good for. */
const GOOD_FOR_MS = 5 * MINUTE_MS;

/**
 * Compares the venue's `Date` header with the machine's clock. The header has whole seconds, so the venue's time lies
 * somewhere within one. Tells when the difference crosses 2 s (`clock-skew`) or 5 s (`clock-skew-halt`), and once
 * per crossing. An absent or absurd header says nothing; after five minutes of those the skew is not known any more
 * (`clock-skew-unknown`), told once until there is a good one again.
 * @see reference: reliability, I-18, F-C07
 */
export function createSkewWatch(now: () => Millis, tell: Tell): (date: string) => void {
  let level = 0;
  let goodAt: Millis | undefined;
  let isUnknown = false;

  function withoutDate(): void {
    goodAt ??= now();
    if (isUnknown || now() - goodAt < GOOD_FOR_MS) return;
    isUnknown = true;
    const message =
      'The venue has not said what time it is for 5 minutes: whether the clocks agree is unknown';
    tell('clock-skew-unknown', message);
  }

  return (date) => {
    const venue = Date.parse(date.replace(LEAP_SECOND, ':59'));
    if (!(venue >= SANE.from && venue < SANE.to)) {
      withoutDate();
      return;
    }
    goodAt = now();
    isUnknown = false;
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
