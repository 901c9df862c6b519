import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { decodeEvent } from '../events/codec.ts';
import { replaceAtomically } from './atomic-replace.ts';
import { chained, GENESIS, link, SCHEMA_VERSION } from './chain.ts';
import { JournalError } from './journal-error.ts';

/**
 * Converts a journal of an earlier version: on a copy, which replaces the journal only after it was read back
 * completely. The old file remains next to it as `<path>.v<version>`. Throws JournalError, and then nothing has
 * changed. @see docs/reliability.md, F-K09
 */
export function migrate(path: string, version: number): void {
  const copy = `${path}.migrating`;
  rmSync(copy, { force: true });
  const old = new DatabaseSync(path);
  try {
    old.prepare('VACUUM INTO ?').run(copy);
    const records = rebuildChain(copy, path, version);
    if (records !== old.prepare('SELECT count(*) AS count FROM records').get()?.['count'])
      throw new JournalError('journal-version', `Cannot migrate journal "${path}": the copy lacks records`);
  } catch (cause) {
    rmSync(copy, { force: true });
    if (cause instanceof JournalError) throw cause;
    const problem = `Cannot migrate journal "${path}" from version ${version} to ${SCHEMA_VERSION}: ${String(cause)}`;
    throw new JournalError('journal-version', problem, { cause });
  } finally {
    old.close();
  }
  replaceOld(path, copy, version);
}

/** Computes the chain of the copy again and reads it back by the new rule; returns its number of records. */
function rebuildChain(copy: string, path: string, version: number): number {
  const database = new DatabaseSync(copy);
  try {
    const update = database.prepare('UPDATE records SET chain = ? WHERE seq = ?');
    const rows = [...chained(database, path, version)];
    let chain = GENESIS;
    database.exec('BEGIN IMMEDIATE');
    for (const row of rows) {
      chain = link(chain, row);
      update.run(chain, row.seq);
    }
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
    let read = 0;
    for (const { body } of chained(database, path, SCHEMA_VERSION)) {
      decodeEvent(body);
      read += 1;
    }
    return rows.length === read ? read : Number.NaN;
  } finally {
    database.close();
  }
}

/** A reader of the old file keeps its log open, which must not be used for the new one. */
function replaceOld(path: string, copy: string, version: number): void {
  if (existsSync(`${path}-wal`))
    throw new JournalError(
      'journal-version',
      `Cannot migrate journal "${path}": another process has it open; close that process, and start again`,
    );
  replaceAtomically(path, copy, `${path}.v${version}`);
}
