import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from './private-file.ts';
import { CatalogueStoreError } from './store-error.ts';

/** Version of the tables, stored in the file's `user_version`. */
const SCHEMA_VERSION = 1n;
/** How long a write waits for another program that writes the same file. */
const BUSY_WAIT_MS = 2_000;
const IN_MEMORY = ':memory:';
/** SQLite's value of `synchronous = FULL`: every commit waits for the disk. */
const SYNCHRONOUS_FULL = 2n;

/** `ids.next` is where the search for the next free id begins; a row appears with the first assigned id. */
const TABLES = `
CREATE TABLE IF NOT EXISTS artists (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT, image TEXT, band TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS albums (
  id INTEGER PRIMARY KEY, artist_id INTEGER NOT NULL REFERENCES artists (id),
  name TEXT NOT NULL, year INTEGER, image TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS albums_by_artist ON albums (artist_id);
CREATE TABLE IF NOT EXISTS ids (kind TEXT PRIMARY KEY, next INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS keys (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32), scheme TEXT NOT NULL, principal TEXT NOT NULL,
  may_write INTEGER NOT NULL, expires_at REAL, revoked INTEGER NOT NULL
) STRICT;
PRAGMA user_version = ${SCHEMA_VERSION};`;

/**
 * Opens the catalogue's file (`:memory:` for none), readable only by its owner because it contains key digests, and
 * creates missing tables; integers are read as bigint. Throws CatalogueStoreError if the file is not a database, is
 * newer than this program, or cannot be made durable.
 */
export function openCatalogueDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    if (path !== IN_MEMORY) makePrivate(path);
    database = new DatabaseSync(path, {
      enableForeignKeyConstraints: true,
      readBigInts: true,
      timeout: BUSY_WAIT_MS,
    });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    requireDurable(database, path);
    requireVersion(database, path);
    transact(database, (open) => open.exec(TABLES));
    return database;
  } catch (cause) {
    database?.close();
    if (cause instanceof CatalogueStoreError) throw cause;
    const message = `Cannot open the catalogue "${path}": ${String(cause)}; name a file that can be written`;
    throw new CatalogueStoreError('store-open', message, { cause });
  }
}

/** Runs `work` as one transaction that holds the write lock from its start. */
export function transact<T>(database: DatabaseSync, work: (database: DatabaseSync) => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work(database);
    database.exec('COMMIT');
    return result;
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw cause;
  }
}

function requireDurable(database: DatabaseSync, path: string): void {
  const [mode, level] = [pragma(database, 'journal_mode'), pragma(database, 'synchronous')];
  if ((mode === 'wal' || (mode === 'memory' && path === ':memory:')) && level === SYNCHRONOUS_FULL) return;
  throw new CatalogueStoreError(
    'store-open',
    `Cannot use the catalogue "${path}": it would not survive a power cut, wanted journal_mode wal and synchronous ${SYNCHRONOUS_FULL}, got ${mode} and ${level}`,
  );
}

function requireVersion(database: DatabaseSync, path: string): void {
  const version = pragma(database, 'user_version');
  if (version === 0n || version === SCHEMA_VERSION) return;
  throw new CatalogueStoreError(
    'store-version',
    `Cannot use the catalogue "${path}": it has version ${version}, this program reads version ${SCHEMA_VERSION}; use the program that wrote it`,
  );
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}
