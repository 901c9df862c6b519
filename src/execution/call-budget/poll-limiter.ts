import type { Millis } from '../../model/time.ts';
import type { BrokerFacts } from '../../ports/broker.ts';
import type { Clock } from '../../ports/clock.ts';

/** Decides whether a single order may be read now, in addition to the listing that covers all of them. */
export interface PollLimiter {
  /** Whether the venue counts calls at all; where it does not, every order is read by itself. */
  readonly isLimited: boolean;
  /** Takes so many calls out of what is spare, if so many are left then; false when there are not. */
  take(calls: number, left?: number): boolean;
}

/**
 * Calls for single orders in any window. The budget leaves 14 for reads in 31 s; the listing needs 7 of them at its beat of
 * 5 s, and one more for the executions whenever it shows something new.
 */
const SPARE_CALLS = 5;
/** The same where the venue lists no orders: all 14 but two, which the comparison of the books needs in between. */
const SPARE_CALLS_UNLISTED = 12;
const WINDOW_MS = 31_000;

/**
 * Keeps single reads from using up what the listing needs: without it, the details of twenty orders that fill at once blocked
 * line for two minutes while one listing and one page of executions tell all of them.
 * @see docs/reliability.md, I-3, I-17
 */
export function createPollLimiter(
  clock: Pick<Clock, 'now'>,
  { callsPer30s, listsOrders }: Pick<BrokerFacts, 'callsPer30s' | 'listsOrders'>,
): PollLimiter {
  const spare = listsOrders === false ? SPARE_CALLS_UNLISTED : SPARE_CALLS;
  const taken: Millis[] = [];
  return {
    isLimited: callsPer30s !== undefined,
    take(calls, left = 0) {
      if (callsPer30s === undefined) return true;
      const now = clock.now();
      while (taken[0] !== undefined && now - taken[0] >= WINDOW_MS) taken.shift();
      if (taken.length + calls + left > spare) return false;
      for (let each = 0; each < calls; each += 1) taken.push(now);
      return true;
    },
  };
}
