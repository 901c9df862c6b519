import type { SluiceEvent } from '../events/event.ts';
import type { Journal } from '../ports/journal.ts';

/** A journal that lives as long as the process: for backtests, where nothing is at stake. */
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
