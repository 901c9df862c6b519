import { millis } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';

/** A deadline, its checks, and what happens then. */
export interface DeadlineOptions {
  /** Machine time. */
  readonly clock: Clock;
  /** The deadline, in milliseconds from now. */
  readonly msMax: number;
  /** Milliseconds to add to the deadline; a check may increase them. */
  readonly extraMs: () => number;
  /** Interval of the checks, in milliseconds. */
  readonly everyMs: number;
  readonly onCheck: () => void;
  readonly onLate: () => void;
}

/** Calls `onCheck` at each interval and `onLate` at the deadline. Returns a function that ends the watch. */
export function watchDeadline({ clock, msMax, extraMs, everyMs, onCheck, onLate }: DeadlineOptions): Cancel {
  const began = clock.now();
  const due = (): number => began + msMax + extraMs();
  let cancel: Cancel | undefined;
  const arm = (): void => {
    cancel = clock.at(millis(Math.min(due(), clock.now() + everyMs)), 'timer', () => {
      onCheck();
      if (clock.now() >= due()) onLate();
      else arm();
    });
  };
  arm();
  return () => cancel?.();
}
