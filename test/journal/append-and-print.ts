import type { SluiceEvent } from '#src/events/event.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { millis } from '#src/model/time.ts';
import { drafted, intentOf } from '../fixtures/orders.ts';

/**
 * Appends to the journal named on the command line ten times what the second argument names: `ends`, one record, or
 * `orders`, the three records up to an attempt. Prints the number of the newest record each time.
 */
const [path = '', what] = process.argv.slice(2);
const at = millis(1);
const { id } = intentOf();
const events: readonly SluiceEvent[] =
  what === 'orders'
    ? [
        drafted(intentOf()),
        { kind: 'intent-armed', at, intentId: id, numbers: [] },
        { kind: 'submit-sending', at, intentId: id, attempt: 1 },
      ]
    : [{ kind: 'run-ended', at, reason: 'finished', message: '' }];
const journal = openSqliteJournal(path);
for (let count = 1; count <= 10; count += 1) {
  const numbers = events.map((event) => journal.append(event));
  process.stdout.write(`appended ${numbers.at(-1)}\n`);
}
journal.close();
