import { uptime } from 'node:os';
import { type Millis, millis, SECOND_MS } from '../../model/time.ts';
import type { Cancel, Clock, Phase } from '../../ports/clock.ts';

/** Sources of the machine's time, each in milliseconds. */
export interface MachineTimes {
  readonly wall: () => number;
  /** Rises while the machine is awake; on some systems also while it sleeps. */
  readonly monotonic: () => number;
  /** Time since the machine was started, sleep included; setting the wall clock does not change it. */
  readonly uptime: () => number;
}

const THIS_MACHINE: MachineTimes = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * SECOND_MS,
};

/** Longest single wait, so that a timer that was due during a sleep fires at most this late. */
const WAIT_MS_MAX = 5_000;
/** A wall clock that moved this much against the monotonic one was set, or the machine slept. */
const MOVED_MS = SECOND_MS;
/** Some systems report their uptime in whole seconds. */
const SLEPT_MS_MIN = 2 * SECOND_MS;

/**
 * The machine's time. `now` is wall time at the start plus what the monotonic clock counted since, so that a wall clock
 * set back or forward moves no timer, and plus what the machine slept: whatever was known before is so much older then.
 * `onSlept` is called with the length of each sleep.
 * @see docs/reliability.md, I-18, F-C01, F-C04
 */
export function createSystemClock(onSlept?: (forMs: number) => void, times = THIS_MACHINE): Clock {
  const { wall, monotonic, uptime } = times;
  const origin = wall() - monotonic();
  const awake = uptime() - monotonic();
  let seen = origin;
  let slept = 0;

  function look(): void {
    const beyond = uptime() - monotonic() - awake - slept;
    if (beyond < SLEPT_MS_MIN) return;
    slept += beyond;
    if (onSlept !== undefined) setImmediate(onSlept, beyond);
  }

  return clockOf(() => {
    const counted = monotonic();
    const offset = wall() - counted;
    if (Math.abs(offset - seen) >= MOVED_MS) {
      seen = offset;
      look();
    }
    return origin + counted + slept;
  }, 1);
}

/** A market clock that runs `speed` times as fast as the machine's, from `start` on. */
export function createScaledClock(start: Millis, machine: Clock, speed: number): Clock {
  const began = machine.now();
  return clockOf(() => start + (machine.now() - began) * speed, speed);
}

/** A clock that reads its time, in milliseconds, and runs `speed` times as fast as the machine's. */
function clockOf(read: () => number, speed: number): Clock {
  const now = (): Millis => millis(Math.floor(read()));
  return {
    now,
    at(at: Millis, _phase: Phase, action: () => void): Cancel {
      let handle: NodeJS.Timeout;
      const arm = (): void => {
        const wait = Math.max(0, (at - read()) / speed);
        handle = setTimeout(() => (read() < at ? arm() : action()), Math.min(Math.ceil(wait), WAIT_MS_MAX));
      };
      arm();
      return () => clearTimeout(handle);
    },
  };
}
