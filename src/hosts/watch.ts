import { millis } from '../model/time.ts';
import type { Cancel, Clock } from '../ports/clock.ts';

/** What somebody is watched for, and what happens then. */
export interface WatchOptions {
  /** Machine time. */
  readonly clock: Pick<Clock, 'now' | 'at'>;
  /** When patience ends, in milliseconds from now. */
  readonly msMax: number;
  /** How often to look until then, in milliseconds. */
  readonly everyMs: number;
  readonly onLook: () => void;
  readonly onLate: () => void;
}

/** Looks from time to time, and once more when time is up; the result ends the watch. */
export function watch({ clock, msMax, everyMs, onLook, onLate }: WatchOptions): Cancel {
  const due = clock.now() + msMax;
  let cancel: Cancel | undefined;
  const arm = (): void => {
    cancel = clock.at(millis(Math.min(due, clock.now() + everyMs)), 'timer', () => {
      if (clock.now() >= due) return onLate();
      arm();
      onLook();
    });
  };
  arm();
  return () => cancel?.();
}
