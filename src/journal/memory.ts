import type { SluiceEvent } from '../events/event.ts';
import type { Journal } from '../ports/journal.ts';

/** Creates a journal in memory, for backtests. */
export function createMemoryJournal(): Journal {
  const records: SluiceEvent[] = [];
  return {
    append: (event) => records.push(event),
    replay: () => records.values(),
    close: () => {
      records.length = 0;
    },
  };
}
