import { DatabaseSync } from 'node:sqlite';
import { defer, of } from 'rxjs';
import { decodeEvent, encodeEvent } from '../events/codec.ts';
import type { SluiceEvent } from '../events/event.ts';
import type { Journal } from '../ports/journal.ts';
import { endOfChain, link, rowsOf, SCHEMA_VERSION } from './chain.ts';
import { JournalError } from './journal-error.ts';
import { assertInPlace, ownFile } from './journal-file.ts';
import { migrate } from './migrate.ts';
import { pragma, readableVersion } from './read-sqlite.ts';
import { keepReserve } from './reserve.ts';

/** SQLite's own number for `synchronous = FULL`: every commit waits for the disk. */
const SYNCHRONOUS_FULL = 2;

/** SQLite's result codes after which a write may be tried again: somebody else has the file, or there is no space. */
const BUSY = 5;
const LOCKED = 6;
const FULL = 13;

const TABLE = `CREATE TABLE IF NOT EXISTS records (
  seq INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  kind TEXT NOT NULL,
  intent TEXT,
  body TEXT NOT NULL,
  chain TEXT NOT NULL
) STRICT`;

/**
 * Opens the journal file, or makes a new one, for its owner alone. Each append is one transaction in WAL mode with
 * `synchronous = FULL`, set and read back at every open; each record carries the SHA-256 of itself and of all before it. A
 * file of an earlier version is migrated first. After a write that failed for another reason than a lack of space or
 * somebody else's lock, nothing is written any more: what a disk says after a failed sync is not to be trusted (F-K04).
 * Throws JournalError when the file is damaged, newer than this program, not ours, or cannot be made durable.
 */
export function openSqliteJournal(path: string): Journal {
  const database = openDurable(path);
  const place = path === ':memory:' ? undefined : ownFile(path);
  let { seq, chain } = checked(database, path);
  const reserve = closedOnError(database, () => keepReserve(path));
  let broken: unknown;
  const insert = database.prepare(
    'INSERT INTO records (seq, at, kind, intent, body, chain) VALUES (?, ?, ?, ?, ?, ?)',
  );

  function write(event: SluiceEvent): number {
    if (broken !== undefined) throw stopped(broken);
    if (place !== undefined) assertInPlace(path, place);
    const { at, kind } = event;
    const intent = 'intentId' in event ? event.intentId : null;
    const row = { seq: seq + 1, at, kind, intent, body: encodeEvent(event) };
    const next = link(chain, row);
    insert.run(row.seq, at, kind, intent, row.body, next);
    chain = next;
    seq = row.seq;
    return seq;
  }

  function append(event: SluiceEvent): number {
    try {
      return write(event);
    } catch (cause) {
      if (cause instanceof JournalError) throw cause;
      const code = resultCode(cause);
      if (code === FULL && reserve.free(event.kind)) return append(event);
      if (code !== BUSY && code !== LOCKED && code !== FULL) broken = cause;
      const why = code === FULL ? ': the disk is full' : '';
      const problem = `Cannot write record ${seq + 1} of journal "${path}"${why}`;
      throw new JournalError('journal-append', problem, { cause });
    }
  }

  function stopped(cause: unknown): JournalError {
    const problem = `Cannot write record ${seq + 1} of journal "${path}": an earlier write failed, so what the disk holds is not known; start again to recover`;
    return new JournalError('journal-append', problem, { cause });
  }

  return {
    append: (event) => defer(() => of(append(event))),
    replay: () => readEvents(database),
    close: () => database.close(),
  };
}

/** Opens the file as it has to be written to, in this version. */
function openDurable(path: string): DatabaseSync {
  const database = openDatabase(path);
  const version = versionOrClose(database, path);
  if (version === 0 || version === SCHEMA_VERSION) return database;
  database.close();
  migrate(path, version);
  return openDatabase(path);
}

function versionOrClose(database: DatabaseSync, path: string): number {
  try {
    assertDurable(database, path);
    return readableVersion(database, path);
  } catch (cause) {
    database.close();
    throw cause instanceof JournalError ? cause : damaged(path, cause);
  }
}

function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (path !== ':memory:') ownFile(path);
    database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    return database;
  } catch (cause) {
    database?.close();
    if (cause instanceof JournalError) throw cause;
    throw new JournalError('journal-open', `Cannot open journal "${path}": ${String(cause)}`, { cause });
  }
}

/** Makes sure that the file is whole, and tells where its chain ends; closes it if not. */
function checked(database: DatabaseSync, path: string): { seq: number; chain: string } {
  try {
    database.exec(`${TABLE}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    return endOfChain(database, path, SCHEMA_VERSION);
  } catch (cause) {
    database.close();
    throw cause instanceof JournalError ? cause : damaged(path, cause);
  }
}

function closedOnError<T>(database: DatabaseSync, work: () => T): T {
  try {
    return work();
  } catch (error) {
    database.close();
    throw error;
  }
}

function damaged(path: string, cause: unknown): JournalError {
  return new JournalError('journal-damaged', `Journal "${path}" is damaged: ${String(cause)}`, { cause });
}

function assertDurable(database: DatabaseSync, path: string): void {
  const mode = pragma(database, 'journal_mode');
  const level = pragma(database, 'synchronous');
  if (mode !== 'wal' || level !== SYNCHRONOUS_FULL) {
    throw new JournalError(
      'journal-open',
      `Journal "${path}" would not survive a power cut: wanted journal_mode wal and synchronous ${SYNCHRONOUS_FULL}, got ${mode} and ${level}`,
    );
  }
}

function* readEvents(database: DatabaseSync): Iterable<SluiceEvent> {
  for (const row of rowsOf(database)) yield decodeEvent(row.body);
}

/** SQLite's primary result code behind an error; undefined for errors of another kind. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return Number(error.errcode) & 0xff;
}
