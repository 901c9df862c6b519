import { Observable } from 'rxjs';
import { type Millis, NEVER } from '../model/time.ts';
import type { Cancel, Clock } from '../ports/clock.ts';

/**
 * Emits each instant at which bars close, in phase `close` of the clock: `nextAfter` gives the next one after an instant.
 * Completes when that is NEVER.
 */
export function barCloses(clock: Clock, nextAfter: (after: Millis) => Millis): Observable<Millis> {
  return new Observable((subscriber) => {
    let cancel: Cancel | undefined;
    const arm = (after: Millis): void => {
      const next = nextAfter(after);
      if (next === NEVER) {
        subscriber.complete();
        return;
      }
      cancel = clock.at(next, 'close', () => {
        subscriber.next(next);
        if (!subscriber.closed) arm(next);
      });
    };
    arm(clock.now());
    return () => cancel?.();
  });
}
