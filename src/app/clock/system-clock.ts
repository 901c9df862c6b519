import type { Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { schedulerOn } from '../../ports/clock-scheduler.ts';
import { createSystemTimers, createTimers, type Timers } from './system-timers.ts';

/** The machine's clock: `createSystemTimers`, for RxJS operators, too. */
export function createSystemClock(...told: Parameters<typeof createSystemTimers>): Clock {
  return withScheduler(createSystemTimers(...told));
}

/** A market clock that runs `speed` times as fast as the machine's, from `start` on. */
export function createScaledClock(start: Millis, machine: Clock, speed: number): Clock {
  const began = machine.now();
  return withScheduler(createTimers(() => start + (machine.now() - began) * speed, speed));
}

function withScheduler(timers: Timers): Clock {
  return { ...timers, scheduler: schedulerOn(timers) };
}
