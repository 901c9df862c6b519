import type { Millis } from '../../model/time.ts';
import type { Random } from '../../ports/random.ts';
import type { BrokerSettings } from '../settings.ts';

/** Delay before the next attempt, and whether the connection flaps. */
export interface Backoff {
  /** Records that a connection was established. */
  up(now: Millis): void;
  /** Records a drop or a failed attempt; returns the delay in milliseconds. */
  failed(now: Millis): number;
  /** Number of drops within the window, including this one; failed attempts do not count. */
  drops(now: Millis): number;
}

/**
 * The delay doubles from the first to the longest, with full jitter, so that many clients do not reconnect in step.
 * It restarts only after a connection that lasted, so that a flapping connection is not retried constantly. @see
 * docs/reliability.md, F-N11, F-N12
 */
export function createBackoff(settings: BrokerSettings, random: Random): Backoff {
  const { backoffFirstMs, backoffMaxMs, stableMs, flapWindowMs } = settings;
  const dropped: Millis[] = [];
  let attempts = 0;
  let upSince: Millis | undefined;

  return {
    up(now) {
      upSince = now;
    },
    failed(now) {
      if (upSince !== undefined) {
        dropped.push(now);
        if (now - upSince >= stableMs) attempts = 0;
      }
      upSince = undefined;
      const longest = Math.min(backoffMaxMs, backoffFirstMs * 2 ** attempts);
      attempts = Math.min(attempts + 1, 30);
      return Math.floor(random.fraction() * longest);
    },
    drops(now) {
      while (dropped[0] !== undefined && now - dropped[0] > flapWindowMs) dropped.shift();
      return dropped.length;
    },
  };
}
