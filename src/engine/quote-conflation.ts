import type { Task, TaskFactory } from '../ports/task.ts';
import type { MarketEvent } from '../strategy/strategy-event.ts';

/** Returns the queue entries of a market event; none if a waiting entry will deliver it. */
type QueueEntries = (event: MarketEvent) => readonly TaskFactory<MarketEvent>[];

/** Where the quotes of a symbol wait for one turn. */
interface WaitingQuote {
  newest: MarketEvent;
}

/** Each event takes a separate turn. */
export const separateEntries: QueueEntries = (event) => [() => emit(event)];

function* emit(event: MarketEvent): Task<MarketEvent> {
  yield event;
}

/**
 * The same, but a quote replaces a waiting one of its symbol for the same strategy: at most one of each waits,
 * however fast they come and however long an answer takes. It keeps the position of the first; at the end of the
 * queue, a symbol whose quotes come faster than turns would never be delivered. No quote overtakes an earlier bar,
 * signal or timer. @see docs/reliability.md, F-D08
 */
export function conflatedQuotes(): QueueEntries {
  let waiting = new Map<string, WaitingQuote>();
  return (event) => {
    if (event.kind !== 'quote') {
      waiting = new Map();
      return separateEntries(event);
    }
    const waitingQuotes = waiting;
    const key = `${event.symbol} ${event.strategy ?? ''}`;
    const known = waitingQuotes.get(key);
    if (known !== undefined) {
      known.newest = event;
      return [];
    }
    const entry: WaitingQuote = { newest: event };
    waitingQuotes.set(key, entry);
    return [
      () => {
        waitingQuotes.delete(key);
        return emit(entry.newest);
      },
    ];
  };
}
