import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { defer, of } from 'rxjs';
import { decodeEvent, encodeEvent } from '../events/codec.ts';
import type { SluiceEvent } from '../events/event.ts';
import type { Journal } from '../ports/journal.ts';
import { JournalError } from './journal-error.ts';

/** Version of the table below, kept in the file's `user_version`. */
const SCHEMA_VERSION = 1;
/** SQLite's own number for `synchronous = FULL`: every commit waits for the disk. */
const SYNCHRONOUS_FULL = 2;
/** What the first record is chained to. */
const GENESIS = '0'.repeat(64);

const TABLE = `CREATE TABLE IF NOT EXISTS records (
  seq INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  kind TEXT NOT NULL,
  intent TEXT,
  body TEXT NOT NULL,
  chain TEXT NOT NULL
) STRICT`;

interface Row {
  readonly seq: number;
  readonly body: string;
  readonly chain: string;
}

/**
 * Opens the journal file, or makes a new one. Each append is one transaction in WAL mode with `synchronous = FULL`, set
 * and read back at every open; each record carries the SHA-256 of itself and of all before it.
 * Throws JournalError when the file is damaged, newer than this program, or cannot be made durable.
 */
export function openSqliteJournal(path: string): Journal {
  const database = openDatabase(path);
  let { seq, chain } = checked(database, path);
  const insert = database.prepare(
    'INSERT INTO records (seq, at, kind, intent, body, chain) VALUES (?, ?, ?, ?, ?, ?)',
  );

  function append(event: SluiceEvent): number {
    const body = encodeEvent(event);
    const next = link(chain, body);
    const intent = 'intentId' in event ? event.intentId : null;
    try {
      insert.run(seq + 1, event.at, event.kind, intent, body, next);
    } catch (cause) {
      throw new JournalError('journal-append', `Cannot write record ${seq + 1} of journal "${path}"`, {
        cause,
      });
    }
    chain = next;
    seq += 1;
    return seq;
  }

  return {
    append: (event) => defer(() => of(append(event))),
    replay: () => readEvents(database),
    close: () => database.close(),
  };
}

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
    assertVersion(database, path);
    database.prepare('SELECT 1 FROM records LIMIT 1').get();
  } catch (cause) {
    database?.close();
    if (cause instanceof JournalError) throw cause;
    throw new JournalError('journal-open', `Cannot read journal "${path}": ${String(cause)}`, { cause });
  }
  const opened = database;
  return { records: () => chained(opened, path), close: () => opened.close() };
}

function* chained(database: DatabaseSync, path: string): Iterable<JournalRecord> {
  let chain = GENESIS;
  let seq = 0;
  for (const row of rowsOf(database)) {
    chain = checkedLink(row, { seq: seq + 1, chain, path });
    seq = row.seq;
    yield { seq, event: decodeEvent(row.body) };
  }
}

function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    return database;
  } catch (cause) {
    database?.close();
    throw new JournalError('journal-open', `Cannot open journal "${path}": ${String(cause)}`, { cause });
  }
}

/** Makes sure that the file is durable, of this version and whole, and tells where its chain ends; closes it if not. */
function checked(database: DatabaseSync, path: string): { seq: number; chain: string } {
  try {
    assertDurable(database, path);
    assertVersion(database, path);
    database.exec(`${TABLE}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    return verify(database, path);
  } catch (cause) {
    database.close();
    if (cause instanceof JournalError) throw cause;
    const problem = `Journal "${path}" is damaged: ${String(cause)}`;
    throw new JournalError('journal-damaged', problem, { cause });
  }
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

function assertVersion(database: DatabaseSync, path: string): void {
  const version = pragma(database, 'user_version');
  if (version !== 0 && version !== SCHEMA_VERSION) {
    throw new JournalError(
      'journal-version',
      `Journal "${path}" has version ${version}, this program reads version ${SCHEMA_VERSION}: use the program that wrote it`,
    );
  }
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

/** Walks the whole chain; a record that does not fit is named. */
function verify(database: DatabaseSync, path: string): { seq: number; chain: string } {
  let chain = GENESIS;
  let seq = 0;
  for (const row of rowsOf(database)) {
    chain = checkedLink(row, { seq: seq + 1, chain, path });
    seq = row.seq;
  }
  return { seq, chain };
}

/** The chain after a record that fits; throws naming the record that does not. */
function checkedLink(
  row: Row,
  due: { readonly seq: number; readonly chain: string; readonly path: string },
): string {
  const expected = link(due.chain, row.body);
  if (row.seq === due.seq && row.chain === expected) return expected;
  throw new JournalError(
    'journal-damaged',
    `Journal "${due.path}" is damaged at record ${due.seq}: its chain does not fit`,
  );
}

function* readEvents(database: DatabaseSync): Iterable<SluiceEvent> {
  for (const row of rowsOf(database)) yield decodeEvent(row.body);
}

function rowsOf(database: DatabaseSync): Iterable<Row> {
  return database
    .prepare('SELECT seq, body, chain FROM records ORDER BY seq')
    .iterate() as unknown as Iterable<Row>;
}

function link(chain: string, body: string): string {
  return hash('sha256', `${chain}\n${body}`);
}
