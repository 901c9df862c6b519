import { type Millis, millis } from '../model/time.ts';
import type { Cancel, Clock, Phase } from '../ports/clock.ts';

/** A clock without streams, for what has to start quickly. */
export type Timers = Pick<Clock, 'now' | 'at'>;

/** Longest wait that the machine's timers take in one go. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The machine's time. `now` is wall time at the start plus what the monotonic clock counted since, so that a wall clock
 * set back or forward moves no timer.
 */
export function createSystemTimers(): Timers {
  const origin = Date.now() - performance.now();
  return createTimers(() => origin + performance.now(), 1);
}

/** Timers of a clock that `read` tells, in milliseconds, and that runs `speed` times as fast as the machine's. */
export function createTimers(read: () => number, speed: number): Timers {
  const now = (): Millis => millis(Math.floor(read()));
  return {
    now,
    at(at: Millis, _phase: Phase, action: () => void): Cancel {
      let handle: NodeJS.Timeout;
      const arm = (): void => {
        const wait = Math.max(0, (at - read()) / speed);
        handle = setTimeout(() => (read() < at ? arm() : action()), Math.min(Math.ceil(wait), TIMER_MS_MAX));
      };
      arm();
      return () => clearTimeout(handle);
    },
  };
}
