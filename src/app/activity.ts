import { defer, finalize, type Observable } from 'rxjs';

/** Counts work under way, so that a stepped run knows when the bot is done with an instant. */
export interface Activity {
  /** The same Observable, counted from subscription to its end. */
  counted<T>(work: Observable<T>): Observable<T>;
  /** Resolves once nothing is under way and nothing that was just finished began something new. */
  idle(): Promise<void>;
}

/** Starts with nothing under way. */
export function createActivity(): Activity {
  let underWay = 0;
  let wake: (() => void) | undefined;

  return {
    counted: (work) =>
      defer(() => {
        underWay += 1;
        return work.pipe(
          finalize(() => {
            underWay -= 1;
            if (underWay === 0) wake?.();
          }),
        );
      }),
    async idle() {
      for (;;) {
        if (underWay > 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (underWay === 0) return;
      }
    },
  };
}
