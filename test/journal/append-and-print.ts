import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { millis } from '#src/model/time.ts';

/** Appends ten records to the journal named on the command line, and prints its number after each. */
const journal = openSqliteJournal(process.argv[2] ?? '');
for (let count = 1; count <= 10; count += 1) {
  const number = journal.append({ kind: 'run-ended', at: millis(count), reason: 'finished', message: '' });
  process.stdout.write(`appended ${number}\n`);
}
journal.close();
