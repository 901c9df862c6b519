import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { decodeEvent } from '../events/codec.ts';
import { JournalError } from './journal-error.ts';

/** Version of the table and of the chain over it, stored in the file's `user_version`. */
export const SCHEMA_VERSION = 2;
/** Version of a file that starts with a snapshot of records in another file; its chain continues theirs. */
export const SNAPSHOT_VERSION = 3;
/** Versions that this program can read. */
export const READABLE_VERSIONS: readonly number[] = [1, SCHEMA_VERSION, SNAPSHOT_VERSION];
/** Chain value before the first record. */
export const GENESIS = '0'.repeat(64);

/** A record as stored in the file. */
export interface Row {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly intent: string | null;
  readonly body: string;
  readonly chain: string;
}

/** Number and chain value of a record, from which the next one continues. */
export interface ChainEnd {
  readonly seq: number;
  readonly chain: string;
}

const BEGINNING: ChainEnd = { seq: 0, chain: GENESIS };

/** Computes the SHA-256 of a record and all before it; the first version covered only the body. */
export function link(chain: string, row: Omit<Row, 'chain'>, version: number = SCHEMA_VERSION): string {
  const { seq, at, kind, intent, body } = row;
  if (version === 1) return hash('sha256', `${chain}\n${body}`);
  return hash('sha256', `${chain}\n${seq} ${at} ${kind} ${intent ?? ''}\n${body}`);
}

/**
 * Yields every record of an open file, in order. Throws JournalError (`journal-damaged`) if SQLite cannot read a
 * page.
 */
export function* rowsOf(database: DatabaseSync, path: string): Iterable<Row> {
  try {
    yield* database
      .prepare('SELECT seq, at, kind, intent, body, chain FROM records ORDER BY seq')
      .iterate() as unknown as Iterable<Row>;
  } catch (cause) {
    if (!isOfSqlite(cause)) throw cause;
    throw new JournalError('journal-damaged', `Journal "${path}" is damaged: ${cause.message}`, { cause });
  }
}

/** True for errors of SQLite; errors of the consumer of the rows are not included. */
function isOfSqlite(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}

/** Yields each record that fits its chain; throws and names the first that does not. */
export function* chained(database: DatabaseSync, path: string, version: number): Iterable<Row> {
  let { seq, chain } = BEGINNING;
  for (const row of rowsOf(database, path)) {
    if (version === SNAPSHOT_VERSION && seq === 0) ({ seq, chain } = chainBefore(row));
    seq += 1;
    chain = link(chain, row, version);
    if (row.seq !== seq || row.chain !== chain) {
      throw new JournalError(
        'journal-damaged',
        `Journal "${path}" is damaged at record ${seq}: its chain does not fit`,
      );
    }
    yield row;
  }
  if (version === SNAPSHOT_VERSION && seq === 0)
    throw new JournalError('journal-damaged', `Journal "${path}" is damaged: its first record is gone`);
}

/** The chain before the first record of a file: that of its snapshot, or the start. */
function chainBefore({ kind, body }: Row): ChainEnd {
  if (kind !== 'journal-carried') return BEGINNING;
  try {
    const event = decodeEvent(body);
    return event.kind === 'journal-carried' ? { seq: event.records, chain: event.chain } : BEGINNING;
  } catch {
    // What cannot be read does not fit the chain either, and is reported for that.
    return BEGINNING;
  }
}

/** Returns the end of a file's chain; throws and names the first record that does not fit. */
export function endOfChain(
  database: DatabaseSync,
  path: string,
  version: number,
): ChainEnd & { readonly records: number } {
  let end: ChainEnd = BEGINNING;
  let records = 0;
  for (const { seq, chain } of chained(database, path, version)) {
    end = { seq, chain };
    records += 1;
  }
  return { ...end, records };
}

/** The one table of a journal. */
export const TABLE = `CREATE TABLE IF NOT EXISTS records (
  seq INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  kind TEXT NOT NULL,
  intent TEXT,
  body TEXT NOT NULL,
  chain TEXT NOT NULL
) STRICT`;
