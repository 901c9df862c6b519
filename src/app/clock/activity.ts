import { Observable } from 'rxjs';
import type { Request } from '../../ports/task.ts';

/** Counts work in progress, so that a stepped run knows when the bot has finished at the current time. */
export interface Activity {
  /** The same request as an Observable, counted from subscription to its end. */
  track<T>(work: Request<T>): Observable<T>;
  /** Resolves when no work is in progress, including work that was started by work that has just finished. */
  idle(): Promise<void>;
  /** Counts as work until the result is called, so a stepped market takes no step. */
  hold(): () => void;
}

/** Starts with no work in progress. */
export function createActivity(): Activity {
  let inProgress = 0;
  const waiting = new Set<() => void>();

  function done(): void {
    inProgress -= 1;
    if (inProgress > 0) return;
    for (const wake of waiting) wake();
    waiting.clear();
  }

  return {
    track: (work) =>
      new Observable((subscriber) => {
        inProgress += 1;
        subscriber.add(done);
        return work.subscribe(subscriber);
      }),
    async idle() {
      for (;;) {
        if (inProgress > 0) await new Promise<void>((resolve) => waiting.add(resolve));
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (inProgress === 0) return;
      }
    },
    hold() {
      inProgress += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        done();
      };
    },
  };
}
