import type { Task, Turn } from '../ports/task.ts';
import type { MarketEvent } from '../strategy/strategy-event.ts';

/** Makes the queue entries of a market event; none where an entry that waits already will deliver it. */
export type TurnsOf = (event: MarketEvent) => readonly Turn<MarketEvent>[];

/** Where the quotes of a symbol wait for one turn. */
interface Place {
  newest: MarketEvent;
}

/** Each event takes a separate turn. */
export const everyEvent: TurnsOf = (event) => [() => emit(event)];

function* emit(event: MarketEvent): Task<MarketEvent> {
  yield event;
}

/**
 * The same, but a quote takes the place of one of its symbol, for the same strategy, that still waits: so at most one of each
 * waits, however fast they come and however long an answer takes. The place is that of the first: were it the end of the queue,
 * a symbol whose quotes come faster than turns would never be delivered. None overtakes a bar, a signal or a timer before it.
 * @see docs/reliability.md, F-D08
 */
export function newestQuotes(): TurnsOf {
  let waiting = new Map<string, Place>();
  return (event) => {
    if (event.kind !== 'quote') {
      waiting = new Map();
      return everyEvent(event);
    }
    const together = waiting;
    const turnKey = `${event.symbol} ${event.strategy ?? ''}`;
    const known = together.get(turnKey);
    if (known !== undefined) {
      known.newest = event;
      return [];
    }
    const place: Place = { newest: event };
    together.set(turnKey, place);
    return [
      () => {
        together.delete(turnKey);
        return emit(place.newest);
      },
    ];
  };
}
