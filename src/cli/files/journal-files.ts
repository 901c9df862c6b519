import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { namedBot } from '../../app/control/running-bots.ts';
import { WORK_DIR } from '../../app/storage/open-store.ts';
import { JournalError } from '../../journal/journal-error.ts';
import { UsageError } from '../usage-error.ts';

/**
 * Returns the journal that a command uses: the given path, that of the named bot, or the newest run or account of the
 * project. Throws JournalError without one, EnvironmentError for an unknown bot, UsageError if both are given.
 */
export function journalPath(project: string, givenPath: string | undefined, bot?: string): string {
  if (givenPath !== undefined && bot !== undefined)
    throw new UsageError(
      `Cannot read two journals: "${givenPath}" and that of bot "${bot}", want one of them`,
    );
  if (givenPath !== undefined) return givenPath;
  if (bot !== undefined) return relative(project, join(namedBot(project, bot).path, 'journal.db'));
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

/** The write-ahead log counts as well, because the database file is only written at checkpoints. */
function lastWritten(path: string): number {
  const log = `${path}-wal`;
  return Math.max(statSync(path).mtimeMs, existsSync(log) ? statSync(log).mtimeMs : 0);
}
