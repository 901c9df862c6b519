import type { SluiceEvent } from '#src/events/event.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { intentId } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import { drafted, intentOf } from '../fixtures/orders.ts';

/** Appends twenty records of a kind to the journal named on the command line, and prints the result of each. */
const [path = '', kind = ''] = process.argv.slice(2);
const event: SluiceEvent =
  kind === 'cancel-sending' ? { kind, at: millis(1), intentId: intentId('INTENT1') } : drafted(intentOf());
const journal = openSqliteJournal(path);
process.stdout.write('open\n');
for (let count = 0; count < 20; count += 1) {
  try {
    process.stdout.write(`record ${journal.append(event)}\n`);
  } catch (error) {
    process.stdout.write(`${String(error).replace(path, 'PATH')}\n`);
  }
}
