import { EMPTY, Observable } from 'rxjs';
import type { Clock } from '../../ports/clock.ts';
import type { Activity } from './activity.ts';

/** Longest time for which orders are processed without yielding, machine milliseconds. */
export const YIELD_INTERVAL_MS = 20;

/**
 * Lets the event loop run other work while a strategy's many orders are processed: an operator, a signal, an answer
 * to a cancel. Completes immediately unless a yield is due.
 */
export function createEventLoopYield(machine: Clock, { track }: Activity): () => Observable<never> {
  let since: number | undefined;

  function begin(): number {
    setImmediate(() => {
      since = undefined;
    });
    return machine.now();
  }

  return () => {
    since ??= begin();
    return machine.now() - since < YIELD_INTERVAL_MS ? EMPTY : track(nextTurn());
  };
}

/** Completes in the next turn of the event loop. */
function nextTurn(): Observable<never> {
  return new Observable((subscriber) => {
    const turn = setImmediate(() => subscriber.complete());
    return () => clearImmediate(turn);
  });
}
