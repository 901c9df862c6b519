import { millis } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';

/** What somebody is watched for, and what happens then. */
export interface DeadlineOptions {
  /** Machine time. */
  readonly clock: Pick<Clock, 'now' | 'at'>;
  /** When patience ends, in milliseconds from now. */
  readonly msMax: number;
  /** Milliseconds that are not held against whoever is watched; a look may tell of more. */
  readonly extraMs: () => number;
  /** How often to look until then, in milliseconds. */
  readonly everyMs: number;
  readonly onCheck: () => void;
  readonly onLate: () => void;
}

/** Looks from time to time, and when time is up; the result ends the watch. */
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
