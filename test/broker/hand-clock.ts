import { type Millis, millis } from '#src/model/time.ts';
import type { Clock } from '#src/ports/clock.ts';
import { schedulerOn } from '#src/ports/clock-scheduler.ts';

/** A clock that a test moves by hand; timers fire in order of their time while it moves. */
export interface HandClock extends Clock {
  advance(byMs: number): void;
  /** Timers that have not fired. */
  pending(): number;
}

export function createHandClock(start = 1_700_000_000_000): HandClock {
  let now = start;
  let timers: { readonly at: number; readonly action: () => void }[] = [];
  const clock = {
    now: (): Millis => millis(now),
    at(at: Millis, _phase: unknown, action: () => void) {
      const timer = { at, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
  };
  return {
    ...clock,
    scheduler: schedulerOn(clock),
    pending: () => timers.length,
    advance(byMs) {
      const end = now + byMs;
      for (;;) {
        const [next] = timers.filter((each) => each.at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((each) => each !== next);
        now = Math.max(now, next.at);
        next.action();
      }
      now = end;
    },
  };
}

/** Turns of the event loop before a wait leaves the processor to others between two looks. */
const TURNS = 100;

/** Waits until something holds, turn by turn of the event loop; throws when it does not within a minute. */
export async function until(holds: () => boolean, what = 'the condition'): Promise<void> {
  const began = performance.now();
  for (let turn = 0; !holds(); turn += 1) {
    if (performance.now() - began > 60_000) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => (turn < TURNS ? setImmediate(resolve) : setTimeout(resolve, 1)));
  }
}
