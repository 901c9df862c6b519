import { DatabaseSync } from 'node:sqlite';
import { decodeEvent } from '../events/codec.ts';
import type { SluiceEvent } from '../events/event.ts';
import { chained, READABLE_VERSIONS, SCHEMA_VERSION } from './chain.ts';
import { JournalError } from './journal-error.ts';

/** A journal as somebody else reads it, while its bot may be writing. */
export interface ReadableJournal {
  /** Every record in order. Throws JournalError (`journal-damaged`) naming the first that does not fit its chain. */
  records(): Iterable<JournalRecord>;
  close(): void;
}

/** One record and its number, from 1. */
export interface JournalRecord {
  readonly seq: number;
  readonly event: SluiceEvent;
}

/** Opens a journal file to read it, and changes nothing. Throws JournalError when there is none, or a newer one. */
export function readSqliteJournal(path: string): ReadableJournal {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const version = readableVersion(database, path);
    database.prepare('SELECT 1 FROM records LIMIT 1').get();
    const opened = database;
    return { records: () => recordsOf(opened, path, version), close: () => opened.close() };
  } catch (cause) {
    database?.close();
    if (cause instanceof JournalError) throw cause;
    throw new JournalError('journal-open', `Cannot read journal "${path}": ${String(cause)}`, { cause });
  }
}

function* recordsOf(database: DatabaseSync, path: string, version: number): Iterable<JournalRecord> {
  for (const { seq, body } of chained(database, path, version)) yield { seq, event: decodeEvent(body) };
}

/** The file's version, 0 for a new one; throws for one that a newer program wrote. */
export function readableVersion(database: DatabaseSync, path: string): number {
  const version = Number(pragma(database, 'user_version'));
  if (version !== 0 && !READABLE_VERSIONS.includes(version)) {
    throw new JournalError(
      'journal-version',
      `Journal "${path}" has version ${version}, this program reads version ${SCHEMA_VERSION}: use the program that wrote it`,
    );
  }
  return version;
}

/** The first value that a pragma answers. */
export function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}
