import { DatabaseSync } from 'node:sqlite';
import { decodeEvent, encodeEvent } from '../events/codec.ts';
import type { SluiceEvent } from '../events/event.ts';
import { DEFERRED_SYNC_KINDS, type Journal } from '../ports/journal.ts';
import { isInAnotherForm, withArchivedRows } from './archived-records.ts';
import { type ChainEnd, endOfChain, link, rowsOf, SCHEMA_VERSION, TABLE } from './chain.ts';
import { COMPACT_AFTER, compactJournal } from './journal-compaction.ts';
import { JournalError } from './journal-error.ts';
import { assertInPlace, ownFile } from './journal-file.ts';
import { migrate } from './migrate.ts';
import { pragma, readableVersion } from './read-version.ts';
import { reserveSpace } from './reserve.ts';

/** SQLite's value of `synchronous = FULL`: every commit waits for the disk. */
const SYNCHRONOUS_FULL = 2;
/** A commit goes into the log, whose next sync makes it durable together with all before it. */
const SYNCHRONOUS_NORMAL = 1;

/**
 * SQLite's result codes after which a write may be repeated: another process has locked the file, or there is no
 * space.
 */
const BUSY = 5;
const LOCKED = 6;
const FULL = 13;

/** How a journal is opened. */
export interface JournalOptions {
  /** Number of records after which a start begins a new file; default `COMPACT_AFTER`. */
  readonly compactAfter?: number;
  /** Called if no new file could be created, so that this start and the next read all of a long one. */
  readonly warn?: (message: string) => void;
}

/**
 * Opens the journal file, or makes a new one, for its owner alone. Each append is one transaction in WAL mode with
 * `synchronous = FULL`, set and read back at every open, except for `DEFERRED_SYNC_KINDS`, which the sync of the next record
 * makes durable; each record carries the SHA-256 of itself and of all before it. A
 * file of an earlier version is migrated first, and a long one is compacted: a new file continues it (F-K10).
 * After a write that failed for another reason than a lack of space or a lock of another process, nothing is written any more: the
 * state of a disk after a failed sync cannot be trusted (F-K04). Throws JournalError when the file is damaged, newer than this
 * program, not ours, or cannot be made durable.
 */
export function openSqliteJournal(path: string, options: JournalOptions = {}): Journal {
  const { database, end } = openChecked(path, options);
  const identity = path === ':memory:' ? undefined : ownFile(path);
  let { seq, chain } = end;
  const reserve = closeOnError(database, () => reserveSpace(path));
  let writeFailure: unknown;
  let level = SYNCHRONOUS_FULL;
  const insert = database.prepare(
    'INSERT INTO records (seq, at, kind, intent, body, chain) VALUES (?, ?, ?, ?, ?, ?)',
  );

  function write(event: SluiceEvent): number {
    if (writeFailure !== undefined) throw stoppedError(writeFailure);
    if (identity !== undefined) assertInPlace(path, identity);
    const { at, kind } = event;
    setLevel(DEFERRED_SYNC_KINDS.has(kind) ? SYNCHRONOUS_NORMAL : SYNCHRONOUS_FULL);
    const intent = 'intentId' in event ? event.intentId : null;
    const row = { seq: seq + 1, at, kind, intent, body: encodeEvent(event) };
    const next = link(chain, row);
    insert.run(row.seq, at, kind, intent, row.body, next);
    chain = next;
    seq = row.seq;
    return seq;
  }

  function setLevel(wanted: number): void {
    if (level === wanted) return;
    database.exec(`PRAGMA synchronous = ${wanted}`);
    level = wanted;
  }

  function append(event: SluiceEvent): number {
    try {
      return write(event);
    } catch (cause) {
      if (cause instanceof JournalError) throw cause;
      const code = resultCode(cause);
      if (code === FULL && reserve.free(event.kind)) return append(event);
      if (code !== BUSY && code !== LOCKED && code !== FULL) writeFailure = cause;
      const why = code === FULL ? ': the disk is full' : '';
      const problem = `Cannot write record ${seq + 1} of journal "${path}"${why}`;
      throw new JournalError('journal-append', problem, { cause });
    }
  }

  function stoppedError(cause: unknown): JournalError {
    const problem = `Cannot write record ${seq + 1} of journal "${path}": an earlier write failed, so what the disk holds is not known; start again to recover`;
    return new JournalError('journal-append', problem, { cause });
  }

  return {
    append,
    replay: () => readEvents(database, path),
    close: () => database.close(),
  };
}

/**
 * Opens the file, or its continuation, verified from the first record to the last. A new file continues one that is
 * long, or that this version cannot read quickly.
 */
function openChecked(path: string, { compactAfter = COMPACT_AFTER, warn }: JournalOptions): VerifiedFile {
  const opened = verify(openDurable(path), path);
  if (opened.records <= compactAfter && !opened.isInAnotherForm) return opened;
  opened.database.close();
  try {
    compactJournal(path);
  } catch (error) {
    // The long file is complete and in its place: a slow start is better than none.
    warn?.(`${error instanceof Error ? error.message : String(error)}; this start reads all of it`);
  }
  return verify(openDurable(path), path);
}

interface VerifiedFile {
  readonly database: DatabaseSync;
  /** The end of its chain. */
  readonly end: ChainEnd;
  /** Number of records in the file itself. */
  readonly records: number;
  /** True if this version cannot use its snapshot, so that every start reads earlier files as well. */
  readonly isInAnotherForm: boolean;
}

/** Opens the file for writing, in a version that this program writes. */
function openDurable(path: string): DatabaseSync {
  const database = openDatabase(path);
  const version = versionOrClose(database, path);
  if (version === 0 || version >= SCHEMA_VERSION) return database;
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
    throw cause instanceof JournalError ? cause : damagedError(path, cause);
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

/** Verifies the file and returns the end of its chain; closes it if it is damaged. */
function verify(database: DatabaseSync, path: string): VerifiedFile {
  try {
    const version = readableVersion(database, path) || SCHEMA_VERSION;
    database.exec(`${TABLE}; PRAGMA user_version = ${version}`);
    const { records, ...end } = endOfChain(database, path, version);
    return {
      database,
      end,
      records,
      isInAnotherForm: isInAnotherForm({ rows: rowsOf(database, path), version }),
    };
  } catch (cause) {
    database.close();
    throw cause instanceof JournalError ? cause : damagedError(path, cause);
  }
}

function closeOnError<T>(database: DatabaseSync, work: () => T): T {
  try {
    return work();
  } catch (error) {
    database.close();
    throw error;
  }
}

function damagedError(path: string, cause: unknown): JournalError {
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

function* readEvents(database: DatabaseSync, path: string): Iterable<SluiceEvent> {
  const version = readableVersion(database, path);
  for (const { body } of withArchivedRows({ rows: rowsOf(database, path), path, version }, 'carried'))
    yield decodeEvent(body);
}

/** SQLite's primary result code of an error; undefined for other errors. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return Number(error.errcode) & 0xff;
}
