import { type Millis, millis } from '#src/model/time.ts';
import type { Clock } from '#src/ports/clock.ts';

/** A clock that a test moves by hand; timers fire in order of time while it moves. */
export interface HandClock extends Clock {
  advance(byMs: number): void;
  /** Number of timers that have not fired. */
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
