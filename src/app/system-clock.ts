import { type Millis, millis } from '../model/time.ts';
import type { Cancel, Clock, Phase } from '../ports/clock.ts';
import { schedulerOn } from '../ports/clock-scheduler.ts';

/** Longest wait that the machine's timers take in one go. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The machine's clock. `now` is wall time at the start plus what the monotonic clock counted since, so that a wall clock
 * set back or forward moves no timer.
 */
export function createSystemClock(): Clock {
  const origin = Date.now() - performance.now();
  return createTimerClock(() => origin + performance.now(), 1);
}

/** A market clock that runs `speed` times as fast as the machine's, from `start` on. */
export function createScaledClock(start: Millis, machine: Clock, speed: number): Clock {
  const began = machine.now();
  return createTimerClock(() => start + (machine.now() - began) * speed, speed);
}

function createTimerClock(read: () => number, speed: number): Clock {
  const now = (): Millis => millis(Math.floor(read()));
  const clock = {
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
  return { ...clock, scheduler: schedulerOn(clock) };
}
