import { type Observable, of } from 'rxjs';
import { atOnce } from '../ports/steps.ts';
import type { MarketEvent } from '../strategy/strategy-event.ts';

/** Makes the turns that an event of the market takes in the lane; none where one that waits already will bring it. */
export type TurnsOf = (event: MarketEvent) => readonly Observable<MarketEvent>[];

/** Each event takes a turn of its own. */
export const everyEvent: TurnsOf = (event) => [of(event)];

/**
 * The same, but a quote takes the place of one of its symbol, for the same strategy, that still waits: so at most one of each
 * waits, however fast they come and however long an answer takes. Quotes are heard in the order in which the newest came, and
 * none goes past a bar, a signal or a timer that came before it.
 * @see reliability.md, F-D08
 */
export function newestQuotes(): TurnsOf {
  let waiting = new Map<string, MarketEvent>();
  return (event) => {
    if (event.kind !== 'quote') {
      waiting = new Map();
      return [of(event)];
    }
    const together = waiting;
    const whose = `${event.symbol} ${event.strategy ?? ''}`;
    const isAwaited = together.delete(whose);
    together.set(whose, event);
    return isAwaited ? [] : [atOnce(() => oldestOf(together))];
  };
}

/** Takes out what has waited longest; there are as many turns as there are quotes that wait. */
function oldestOf(waiting: Map<string, MarketEvent>): MarketEvent {
  for (const [whose, event] of waiting) {
    waiting.delete(whose);
    return event;
  }
  throw new Error('A turn was taken for a quote, and none waits');
}
