import type { Clock } from '../../ports/clock.ts';
import { timestampText } from '../../wire/signature.ts';

/** Hands out the texts of X-Timestamp. */
export interface Timestamps {
  /** Seconds with six decimals, later than every text before. */
  next(): string;
}

/** Keeps the last timestamp of an app key where other processes, and the next start, find it. */
export interface TimestampMemory {
  /** Microseconds; 0 before the first. */
  last(): number;
  keep(micros: number): void;
}

const MICROS_PER_MS = 1_000;

/**
 * Timestamps of one app key: the machine's time, and one microsecond after the last one where that has not moved on or went
 * back. `memory` has the last one used before this start, and by other processes, so that none is repeated.
 * @see docs/reliability.md, I-18, F-C05
 */
export function createTimestamps(machine: Pick<Clock, 'now'>, memory?: TimestampMemory): Timestamps {
  let last = 0;
  return {
    next() {
      last = Math.max(last + 1, (memory?.last() ?? 0) + 1, Math.floor(machine.now() * MICROS_PER_MS));
      memory?.keep(last);
      return timestampText(last);
    },
  };
}
