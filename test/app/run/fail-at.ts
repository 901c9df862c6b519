import { join } from 'node:path';
import { failStop } from '#src/app/run/fail-stop.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { millis } from '#src/model/time.ts';

/** Fails in the way named on the command line, with a journal in the folder named there. */
const [folder = '', how] = process.argv.slice(2);
const journal = openSqliteJournal(join(folder, 'journal.db'));
failStop({ journal, now: () => millis(5), report: (message) => process.stderr.write(`${message}\n`) });
setTimeout(() => {
  if (how === 'rejects') void Promise.reject(new Error('not awaited'));
  else throw new Error('not caught');
}, 1);
setTimeout(() => process.stdout.write('went on\n'), 200);
