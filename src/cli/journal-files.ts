import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { WORK_DIR } from '../app/load-run.ts';
import { JournalError } from '../journal/journal-error.ts';

/** The journal that a command means: the path given, else the newest run of this project. Throws JournalError without one. */
export function journalPath(project: string, given: string | undefined): string {
  if (given !== undefined) return given;
  const runs = join(project, WORK_DIR, 'runs');
  const journals = existsSync(runs) ? readdirSync(runs).map((run) => join(runs, run, 'journal.db')) : [];
  const newest = journals
    .filter((path) => existsSync(path))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
  if (newest === undefined) {
    throw new JournalError(
      'journal-open',
      `No journal under "${relative(project, runs)}": run "sluice run CONFIG" first, or name one`,
    );
  }
  return relative(project, newest);
}
