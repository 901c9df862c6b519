import type { Clock } from '../ports/clock.ts';
import { timestampText } from '../wire/signature.ts';

/** Hands out the texts of X-Timestamp. */
export interface Timestamps {
  /** Seconds with six decimals, later than every text before. */
  next(): string;
}

const MICROS_PER_MS = 1_000;

/**
 * Timestamps of one app key: the machine's time, and one microsecond after the last one where that has not moved on or went
 * back. `afterMicros` is the last one used before this start, so that a restart cannot repeat it.
 * @see reference: reliability, I-18, F-C05
 */
export function createTimestamps(machine: Pick<Clock, 'now'>, afterMicros = 0): Timestamps {
  let last = afterMicros;
  return {
    next() {
      last = Math.max(last + 1, Math.floor(machine.now() * MICROS_PER_MS));
      return timestampText(last);
    },
  };
}
