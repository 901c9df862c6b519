import { MINUTE_MS, type Millis, SECOND_MS } from '../../model/time.ts';
import type { RaiseAlarm } from '../raise-alarm.ts';

const WARN_MS = 2 * SECOND_MS;
const HALT_MS = 5 * SECOND_MS;

/** A date outside these years is invalid, not a skew. */
const VALID_DATES = { from: Date.UTC(2015, 0), to: Date.UTC(2100, 0) } as const;
/**
 * A date may contain a leap second; the parser would read it as the beginning of its minute. @see
 * docs/reliability.md, F-C03
 */
const LEAP_SECOND = /:60(?= GMT$)/;
/** How long the last valid date is used. */
const DATE_MAX_AGE_MS = 5 * MINUTE_MS;

/** When an exchange started and when its answer did, by the machine's clock. */
export interface ExchangeTimes {
  readonly sentAt: Millis;
  readonly answeredAt: Millis;
}

/** An answer that took longer is too imprecise to compare clocks. */
const ROUND_TRIP_MAX_MS = 2 * SECOND_MS;
/** Consecutive answers that must agree before the account is halted. */
const AGREEING_MIN = 3;

/**
 * Compares the venue's `Date` header with the machine's clock. The venue wrote the header somewhere between the first byte of
 * the request and the first byte of the answer, and it has whole seconds: the skew is measured from the middle of both, and
 * half the round trip and half a second are its error. Only the part beyond the error counts. Reports when that crosses 2 s
 * (`clock-skew`) and, once three answers in a row agree, 5 s (`clock-skew-halt`), once per crossing. An answer that took
 * long is ignored. Nor does an absent or absurd header; after five minutes of those the skew is not known any more
 * (`clock-skew-unknown`), reported once until there is a good one again.
 * @see docs/reliability.md, I-18, F-C07
 */
export function createSkewWatch(
  now: () => Millis,
  raiseAlarm: RaiseAlarm,
): (date: string, times: ExchangeTimes) => void {
  let level = 0;
  let lastValidAt: Millis | undefined;
  let isUnknown = false;
  /** Skews of the newest answers beyond the limit of a halt, all with one sign. */
  let haltSkews: readonly number[] = [];

  function onMissingDate(): void {
    lastValidAt ??= now();
    if (isUnknown || now() - lastValidAt < DATE_MAX_AGE_MS) return;
    isUnknown = true;
    const message = 'No response of the venue had a valid date for 5 minutes: the clock skew is unknown';
    raiseAlarm('clock-skew-unknown', message);
  }

  return (date, times) => {
    const venue = Date.parse(date.replace(LEAP_SECOND, ':59'));
    if (!(venue >= VALID_DATES.from && venue < VALID_DATES.to)) {
      onMissingDate();
      return;
    }
    lastValidAt = now();
    isUnknown = false;
    if (times.answeredAt - times.sentAt > ROUND_TRIP_MAX_MS) return;
    const skewMs = skewOf(venue, times);
    const agrees = Math.abs(skewMs) > HALT_MS && haltSkews.every((other) => other > 0 === skewMs > 0);
    haltSkews = agrees ? [...haltSkews, skewMs].slice(-AGREEING_MIN) : [];
    const before = level;
    const mayHalt = haltSkews.length === AGREEING_MIN;
    level = mayHalt ? 2 : Math.abs(skewMs) > WARN_MS ? Math.max(1, agrees ? before : 1) : 0;
    if (level <= before) return;
    const code = level === 2 ? 'clock-skew-halt' : 'clock-skew';
    raiseAlarm(
      code,
      `The machine's clock is ${skewMs} ms off the venue's: set the clock, otherwise the venue rejects requests. A running bot keeps the time of its start: restart it afterwards`,
      {
        skewMs: String(skewMs),
      },
    );
  };
}

/** How far the machine is certainly ahead of the venue, negative if behind; 0 within the error. */
function skewOf(venue: number, { sentAt, answeredAt }: ExchangeTimes): number {
  const middle = (sentAt + answeredAt) / 2 - (venue + SECOND_MS / 2);
  const error = (answeredAt - sentAt) / 2 + SECOND_MS / 2;
  return Math.round(Math.sign(middle) * Math.max(0, Math.abs(middle) - error));
}
