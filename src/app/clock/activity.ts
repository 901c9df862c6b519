import { Observable } from 'rxjs';
import type { Question } from '../../ports/task.ts';

/** Counts work in progress, so that a stepped run knows when the bot has finished at the current time. */
export interface Activity {
  /** The same question as an Observable, counted from subscription to its end. */
  counted<T>(work: Question<T>): Observable<T>;
  /** Resolves when no work is in progress, including work that was started by work that has just finished. */
  idle(): Promise<void>;
  /**
   * Resolves when no other work is in progress, and keeps it so: while it is held, `idle` does not resolve, so a
   * stepped market takes no step. Call the result to release it.
   */
  hold(): Promise<() => void>;
}

/** Starts with no work in progress. */
export function createActivity(): Activity {
  let underWay = 0;
  let held = 0;
  const waiting = new Set<() => void>();

  function done(): void {
    underWay -= 1;
    if (underWay > held) return;
    for (const wake of waiting) wake();
    waiting.clear();
  }

  async function settled(rest: () => number): Promise<void> {
    for (;;) {
      if (underWay > rest()) await new Promise<void>((resolve) => waiting.add(resolve));
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (underWay <= rest()) return;
    }
  }

  return {
    counted: (work) =>
      new Observable((subscriber) => {
        underWay += 1;
        subscriber.add(done);
        return work.subscribe(subscriber);
      }),
    idle: () => settled(() => 0),
    async hold() {
      underWay += 1;
      held += 1;
      await settled(() => held);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        held -= 1;
        done();
      };
    },
  };
}
