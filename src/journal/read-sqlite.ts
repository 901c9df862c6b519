import { DatabaseSync } from 'node:sqlite';
import { decodeEvent } from '../events/codec.ts';
import type { SluiceEvent } from '../events/event.ts';
import { type ArchiveReads, withArchivedRows } from './archived-records.ts';
import { chained } from './chain.ts';
import { JournalError } from './journal-error.ts';
import { readableVersion } from './read-version.ts';

/** A journal opened for reading, while its bot may be writing. */
export interface ReadableJournal {
  /**
   * Yields every record in order, with archived ones according to `past` (by default their snapshot, which is
   * sufficient for a fold). Throws JournalError (`journal-damaged`) that names the first that does not fit its chain.
   */
  records(past?: ArchiveReads): Iterable<JournalRecord>;
  close(): void;
}

/** One record and its number, from 1. */
export interface JournalRecord {
  readonly seq: number;
  readonly event: SluiceEvent;
}

/** Opens a journal file read-only. Throws JournalError if there is none, or a newer one. */
export function readSqliteJournal(path: string): ReadableJournal {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const version = readableVersion(database, path);
    database.prepare('SELECT 1 FROM records LIMIT 1').get();
    const opened = database;
    return { records: (past) => recordsOf(opened, path, version, past), close: () => opened.close() };
  } catch (cause) {
    database?.close();
    if (cause instanceof JournalError) throw cause;
    throw new JournalError('journal-open', `Cannot read journal "${path}": ${String(cause)}`, { cause });
  }
}

function* recordsOf(
  database: DatabaseSync,
  path: string,
  version: number,
  past: ArchiveReads = 'carried',
): Iterable<JournalRecord> {
  for (const { seq, body } of withArchivedRows(
    { rows: chained(database, path, version), path, version },
    past,
  ))
    yield { seq, event: decodeEvent(body) };
}
