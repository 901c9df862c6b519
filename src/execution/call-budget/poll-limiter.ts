import type { Millis } from '../../model/time.ts';
import type { BrokerFacts } from '../../ports/broker.ts';
import type { Clock } from '../../ports/clock.ts';

/** Decides whether a single order may be read now, in addition to the list that covers all orders. */
export interface PollLimiter {
  /** Whether the venue limits calls; if not, every order is read singly. */
  readonly isLimited: boolean;
  /** Reserves spare calls if at least `left` remain; returns false otherwise. */
  take(calls: number, left?: number): boolean;
}

/**
 * Calls for single orders per window. The budget leaves 14 for reads in 31 s; the list needs 7 of them at its
 * interval of 4.5 s, and one more for the executions whenever it shows a change.
 */
const SPARE_CALLS = 5;
/** The same if the venue lists no orders: all 14 except two for the reconciliation. */
const SPARE_CALLS_UNLISTED = 12;
const WINDOW_MS = 31_000;

/**
 * Prevents single reads from using up the calls of the list. Without this limit, reading twenty orders that fill at
 * once blocked the calls for two minutes, although one list and one page of executions contain all of them.
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
