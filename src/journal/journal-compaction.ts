import { rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { decodeEvent, encodeEvent } from '../events/codec.ts';
import type { JournalSnapshot } from '../events/event.ts';
import { createSnapshotBuilder, type SnapshotBuilder } from '../events/snapshot/snapshot-builder.ts';
import { FINISHED_ORDERS_KEPT_MS, SNAPSHOT_FORM } from '../events/snapshot/state-snapshot.ts';
import { DAY_MS } from '../model/time.ts';
import { withArchivedRows } from './archived-records.ts';
import { replaceAtomically } from './atomic-replace.ts';
import { type ChainEnd, chained, link, type Row, SNAPSHOT_VERSION, TABLE } from './chain.ts';
import { JournalError } from './journal-error.ts';
import { ownFile } from './journal-file.ts';
import { pragma, readableVersion } from './read-version.ts';

/** Number of records after which a start begins a new file: reading them takes two seconds. */
export const COMPACT_AFTER = 100_000;

/** Maximum number of recent orders in a new file: each takes about 20 KB of memory while it is created. */
export const SNAPSHOT_ORDERS_MAX = 20_000;

const DIGITS = 12;

/**
 * Begins a new file with a snapshot of the old one's records, and keeps the old file next to it. The new file
 * takes the old one's place only once it was read back and gave the same state; a crash leaves either of the two. Nothing happens
 * while another process has the file open: the next start repeats it. Throws JournalError, and then the old file is in its place.
 * @see docs/reliability.md, F-K10
 */
export function compactJournal(path: string, ordersMax = SNAPSHOT_ORDERS_MAX): void {
  const copy = `${path}.carrying`;
  let isMade = false;
  try {
    rmSync(copy, { force: true });
    const snapshot = withExclusiveAccess(path, ordersMax, (database) => snapshotOf(database, path));
    if (snapshot === undefined) return;
    const archivePath = archiveOf(path, snapshot.records);
    assertFree(archivePath, path);
    ownFile(copy);
    isMade = true;
    write(copy, snapshot);
    verifyCopy(copy, snapshot);
    replaceAtomically(path, copy, archivePath);
  } catch (cause) {
    // A full disk needs the space.
    if (isMade) rmSync(copy, { force: true });
    if (cause instanceof JournalError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    const problem = `Cannot begin a new file for journal "${path}": ${why}`;
    throw new JournalError('journal-open', problem, { cause });
  }
}

/** Runs work on the file exclusively; undefined while another process has it open. */
function withExclusiveAccess<T>(
  path: string,
  ordersMax: number,
  work: (database: DatabaseSync) => T,
): T | undefined {
  const database = new DatabaseSync(path);
  try {
    const orders = snapshotOrders(database);
    if (orders > ordersMax)
      throw new Error(
        `it would carry ${orders} orders of the last ${FINISHED_ORDERS_KEPT_MS / DAY_MS} days, more than ${ordersMax}`,
      );
    return hasExclusiveAccess(database) ? work(database) : undefined;
  } finally {
    database.close();
  }
}

/**
 * Estimates the number of orders in a new file without a fold, because a start that archives nothing must not pay for
 * one.
 */
function snapshotOrders(database: DatabaseSync): number {
  const count = database.prepare(
    `SELECT count(*) AS orders FROM records
      WHERE kind = 'intent-drafted' AND at > (SELECT at FROM records ORDER BY seq DESC LIMIT 1) - ?`,
  );
  // Orders in the snapshot; after as many days only open ones of them are left.
  const snapshot = database.prepare(
    `SELECT (length(body) - length(replace(body, '"decidedAt', ''))) / length('"decidedAt') AS orders FROM records
      WHERE kind = 'journal-carried' AND at > (SELECT at FROM records ORDER BY seq DESC LIMIT 1) - ?`,
  );
  return (
    Number(count.get(FINISHED_ORDERS_KEPT_MS)?.['orders']) +
    Number(snapshot.get(FINISHED_ORDERS_KEPT_MS)?.['orders'] ?? 0)
  );
}

/**
 * A start that crashed may have linked the file under this name already; any other file there may be an only copy.
 */
function assertFree(archivePath: string, path: string): void {
  const existing = statSync(archivePath, { throwIfNoEntry: false });
  if (existing === undefined) return;
  const { dev, ino } = statSync(path);
  if (existing.dev !== dev || existing.ino !== ino)
    throw new Error(`"${archivePath}" is there, and is another file; move it away`);
}

/** Without its log, which cannot be removed while others read, the file is complete by itself. */
function hasExclusiveAccess(database: DatabaseSync): boolean {
  try {
    return pragma(database, 'journal_mode = DELETE') === 'delete';
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && Number(error.errcode) === BUSY) return false;
    throw error;
  }
}

const BUSY = 5;

function snapshotOf(database: DatabaseSync, path: string): JournalSnapshot {
  const builder = createSnapshotBuilder();
  const version = readableVersion(database, path);
  let end: ChainEnd | undefined;
  for (const row of withArchivedRows({ rows: chained(database, path, version), path, version }, 'carried')) {
    builder.apply(decodeEvent(row.body));
    end = row;
  }
  if (end === undefined) throw new JournalError('journal-damaged', `Journal "${path}" has no records`);
  return snapshotAt(path, builder, end);
}

function snapshotAt(
  path: string,
  builder: SnapshotBuilder,
  { seq: records, chain }: ChainEnd,
): JournalSnapshot {
  const archive = basename(archiveOf(path, records));
  return { kind: 'journal-carried', ...builder.result(), records, chain, archive, form: SNAPSHOT_FORM };
}

function archiveOf(path: string, records: number): string {
  return `${path.replace(/\.db$/, '')}-${String(records).padStart(DIGITS, '0')}.db`;
}

function write(copy: string, event: JournalSnapshot): void {
  const { at, kind, records, chain } = event;
  const row: Omit<Row, 'chain'> = { seq: records + 1, at, kind, intent: null, body: encodeEvent(event) };
  const database = new DatabaseSync(copy);
  try {
    database.exec(`PRAGMA synchronous = FULL; ${TABLE}; PRAGMA user_version = ${SNAPSHOT_VERSION}`);
    database
      .prepare('INSERT INTO records (seq, at, kind, intent, body, chain) VALUES (?, ?, ?, ?, ?, ?)')
      .run(row.seq, at, kind, row.intent, row.body, link(chain, row));
  } finally {
    database.close();
  }
}

/** Checks that the new file fits the old one's chain and gives the same state. */
function verifyCopy(copy: string, snapshot: JournalSnapshot): void {
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    const builder = createSnapshotBuilder();
    for (const { body } of chained(database, copy, SNAPSHOT_VERSION)) builder.apply(decodeEvent(body));
    const { state, at } = builder.result();
    if (state !== snapshot.state || at !== snapshot.at)
      throw new JournalError('journal-damaged', `Journal "${copy}" does not come to what it was made from`);
  } finally {
    database.close();
  }
}
