import { Observable } from 'rxjs';
import type { Millis } from '../model/time.ts';
import type { Clock } from '../ports/clock.ts';

/** Emits once at an instant, before bars close and timers fire at it: what the venue does by itself comes first. */
export function whenDue(at: Millis, clock: Clock): Observable<void> {
  return new Observable((subscriber) =>
    clock.at(at, 'venue', () => {
      subscriber.next();
      subscriber.complete();
    }),
  );
}
