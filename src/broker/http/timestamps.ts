import { MINUTE_MS, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { timestampText } from '../../wire/signature.ts';

/** Creates the texts of X-Timestamp. */
export interface Timestamps {
  /** Seconds with six decimals, later than every earlier text that the venue can have accepted. */
  next(): string;
}

/** Stores the last timestamp of an app key for other processes and the next start. */
export interface TimestampStore {
  /** Microseconds; 0 before the first. */
  last(): number;
  save(micros: number): void;
}

/** Optional parts of timestamps. */
export interface TimestampOptions {
  /** Has the last timestamp of earlier starts and of other processes. */
  readonly store?: TimestampStore | undefined;
  /** Called once when timestamps start to run ahead of the clock, and each time that an earlier one is ignored. */
  readonly warn?: ((message: string) => void) | undefined;
}

const MICROS_PER_MS = 1_000;
/** Timestamps that run further ahead than this are reported: the clock went back. */
const WARN_MS = 5 * SECOND_MS;
/** A venue refuses a timestamp that differs more than this from its clock. @see docs/reliability.md, S-16 */
const ACCEPTED_MS = 5 * MINUTE_MS;

/**
 * Timestamps of one app key: the machine's time, and one microsecond after the last one where that has not moved on or went
 * back. A last one that no venue would accept now was made while the clock was wrong. It is ignored: one microsecond after
 * it every request would be refused until the clock gets there.
 * @see docs/reliability.md, I-18, F-C01, F-C05
 */
export function createTimestamps(
  machine: Pick<Clock, 'now'>,
  { store, warn }: TimestampOptions = {},
): Timestamps {
  let last = 0;
  let isAhead = false;
  return {
    next() {
      const now = Math.floor(machine.now() * MICROS_PER_MS);
      last = Math.max(last, store?.last() ?? 0);
      const aheadMs = (last - now) / MICROS_PER_MS;
      const isIgnored = aheadMs > ACCEPTED_MS;
      if (isIgnored) warn?.(ignoredText(aheadMs));
      else if (aheadMs > WARN_MS && !isAhead) warn?.(aheadText(aheadMs));
      isAhead = !isIgnored && aheadMs > WARN_MS;
      last = isIgnored ? now : Math.max(last + 1, now);
      store?.save(last);
      return timestampText(last);
    },
  };
}

function ignoredText(aheadMs: number): string {
  return `The last request of this app key was stamped ${seconds(aheadMs)} s ahead of this machine's clock, more than a venue accepts. That stamp is ignored, and requests are stamped by the clock again. If the venue rejects them (403201), the clock is wrong: set it`;
}

function aheadText(aheadMs: number): string {
  return `The clock of this machine was set back: requests are stamped up to ${seconds(aheadMs)} s ahead of it until it has caught up, because stamps must increase. If the venue rejects them (403201), wait that long`;
}

function seconds(ms: number): number {
  return Math.round(ms / SECOND_MS);
}
