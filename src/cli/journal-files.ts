import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { WORK_DIR } from '../app/load-run.ts';
import { JournalError } from '../journal/journal-error.ts';

/** The journal that a command means: the path given, else the newest run or account of this project. Throws JournalError without one. */
export function journalPath(project: string, given: string | undefined): string {
  if (given !== undefined) return given;
  const runs = join(project, WORK_DIR, 'runs');
  const journals = [runs, join(project, WORK_DIR, 'accounts')].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((each) => join(folder, each, 'journal.db')) : [],
  );
  const newest = journals
    .filter((path) => existsSync(path))
    .toSorted((a, b) => lastWritten(b) - lastWritten(a))[0];
  if (newest === undefined) {
    throw new JournalError(
      'journal-open',
      `No journal under "${relative(project, runs)}": run "sluice run CONFIG" first, or name one`,
    );
  }
  return relative(project, newest);
}

/** The file itself is only written when its log is folded in, so the log counts too. */
function lastWritten(path: string): number {
  const log = `${path}-wal`;
  return Math.max(statSync(path).mtimeMs, existsSync(log) ? statSync(log).mtimeMs : 0);
}
