import { concatMap, defer, EMPTY, from, ignoreElements, type Observable, timer } from 'rxjs';
import type { BotState } from '../events/fold.ts';
import type { Broker } from '../ports/broker.ts';
import type { Clock } from '../ports/clock.ts';
import type { OrderTracker } from './order-tracker.ts';

/**
 * Waits between looks for orders in doubt before a run ends, in milliseconds: ten seconds in all.
 * @see docs/reliability.md, F-P02
 */
const WAITS_MS = [0, 500, 500, 1_000, 2_000, 3_000, 3_000] as const;
/** Where pushes are complete nobody's time goes on any more when a run ends, so there is one look. */
const ONE_LOOK_MS = [0] as const;

/** How many orders a run leaves behind, and of how many of them nobody knows whether they exist. */
export interface LeftBehind {
  readonly live: number;
  readonly inDoubt: number;
}

/** Counts what a run leaves behind at the venue; the next start recovers it. */
export function leftBehind({ live }: BotState): LeftBehind {
  const orders = [...live.values()];
  return {
    live: orders.length,
    inDoubt: orders.filter(({ facets }) => isInDoubt(facets.submission.kind)).length,
  };
}

/** Before a run ends the venue is asked what became of orders in doubt, until none is left or ten seconds are over. */
export function lastLook({
  broker,
  clock,
  tracker,
  state,
}: {
  readonly broker: Broker;
  readonly clock: Clock;
  readonly tracker: Pick<OrderTracker, 'heed'>;
  readonly state: BotState;
}): Observable<never> {
  const look = (waitMs: number): Observable<unknown> => {
    // Where no orders are listed no reading finds one whose id never came.
    if (leftBehind(state).inDoubt === 0 || broker.facts.listsOrders === false) return EMPTY;
    const asked$ = defer(() => broker.ordersToday()).pipe(
      concatMap((answer) => (answer.kind === 'ok' ? tracker.heed(answer.value) : EMPTY)),
    );
    return waitMs === 0 ? asked$ : timer(waitMs, clock.scheduler).pipe(concatMap(() => asked$));
  };
  return from(broker.facts.pushComplete ? ONE_LOOK_MS : WAITS_MS).pipe(
    concatMap((waitMs) => defer(() => look(waitMs))),
    ignoreElements(),
  );
}

function isInDoubt(submission: string): boolean {
  return submission === 'unknown' || submission === 'sending';
}
