import { millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Question } from '../../ports/task.ts';

/** Waits for so many milliseconds of the clock. */
export function after(clock: Clock, ms: number): Question<void> {
  return {
    subscribe: (listener) => {
      const cancel = clock.at(millis(clock.now() + ms), 'timer', () => {
        listener.next();
        listener.complete();
      });
      return { unsubscribe: cancel };
    },
  };
}
