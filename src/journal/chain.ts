import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { JournalError } from './journal-error.ts';

/** Version of the table and of the chain over it, kept in the file's `user_version`. */
export const SCHEMA_VERSION = 2;
/** Versions that this program can read. */
export const READABLE_VERSIONS: readonly number[] = [1, SCHEMA_VERSION];
/** What the first record is chained to. */
export const GENESIS = '0'.repeat(64);

/** A record as it lies in the file. */
export interface Row {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly intent: string | null;
  readonly body: string;
  readonly chain: string;
}

/** The SHA-256 of a record and of all before it; the first version covered the body alone. */
export function link(chain: string, row: Omit<Row, 'chain'>, version: number = SCHEMA_VERSION): string {
  const { seq, at, kind, intent, body } = row;
  if (version === 1) return hash('sha256', `${chain}\n${body}`);
  return hash('sha256', `${chain}\n${seq} ${at} ${kind} ${intent ?? ''}\n${body}`);
}

/** Every record of an open file, in order. */
export function rowsOf(database: DatabaseSync): Iterable<Row> {
  return database
    .prepare('SELECT seq, at, kind, intent, body, chain FROM records ORDER BY seq')
    .iterate() as unknown as Iterable<Row>;
}

/** Walks the records and hands on each that fits its chain; throws naming the first that does not. */
export function* chained(database: DatabaseSync, path: string, version: number): Iterable<Row> {
  let chain = GENESIS;
  let seq = 0;
  for (const row of rowsOf(database)) {
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
}

/** Where the chain of a file ends; throws naming the first record that does not fit. */
export function endOfChain(
  database: DatabaseSync,
  path: string,
  version: number,
): { seq: number; chain: string } {
  let end = { seq: 0, chain: GENESIS };
  for (const { seq, chain } of chained(database, path, version)) end = { seq, chain };
  return end;
}
