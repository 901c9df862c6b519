import type { Cancel, Clock } from '../ports/clock.ts';

/** The clock of one run. */
interface RunClock extends Clock {
  /** Cancels all timers, and sets none from then on: a remaining timer would keep the process alive. */
  end(): void;
}

/** Sets its timers on a clock. */
export function createRunClock(clock: Clock): RunClock {
  const timers = new Set<Cancel>();
  let isOver = false;
  return {
    now: () => clock.now(),
    at(at, phase, action) {
      if (isOver) return () => undefined;
      const cancel = clock.at(at, phase, () => {
        timers.delete(cancel);
        action();
      });
      timers.add(cancel);
      return () => {
        timers.delete(cancel);
        cancel();
      };
    },
    end() {
      isOver = true;
      for (const cancel of timers) cancel();
      timers.clear();
    },
  };
}
