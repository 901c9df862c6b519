import type { SluiceEvent } from '#src/events/event.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { DEFERRED_SYNC_KINDS } from '#src/ports/journal.ts';
import { acked, filled, fillOf, intentOf } from '../fixtures/orders.ts';

/** More than a page of the file, so that its write-ahead log holds some of its pages and not all. */
const reason = 'x'.repeat(20_000);

/**
 * Writes an order's events to the journal named first on the command line, and dies before it closes it. With `go-on`
 * second it archives the old records, appends the next order's, prints a line after each record that survives a power
 * cut, and dies as well.
 */
const [path = '', what] = process.argv.slice(2);
if (what === 'go-on') {
  const journal = openSqliteJournal(path, { compactAfter: 4 });
  process.stdout.write('appended 0\n');
  for (const [index, event] of acked(intentOf('INTENT2')).entries())
    if (journal.append(event) > 0 && !DEFERRED_SYNC_KINDS.has(event.kind))
      process.stdout.write(`appended ${index + 1}\n`);
} else {
  write(acked({ ...intentOf(), reason })).close();
  write([filled(fillOf('e1', 'buy', '60', '10'))]);
}
process.kill(process.pid, 'SIGKILL');

function write(events: Iterable<SluiceEvent>) {
  const journal = openSqliteJournal(path);
  for (const event of events) journal.append(event);
  return journal;
}
