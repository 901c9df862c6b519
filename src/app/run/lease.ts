import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeStateFolder, userStateFolder } from '../storage/user-state.ts';

/** The right to trade an account, held by one process of this machine at a time (I-25). */
export interface Lease {
  /** Number of this holder, counted from 1. */
  readonly epoch: number;
  /** Releases the lease; the end of the process releases it as well. */
  release(): void;
}

/** Another process trades the account, or this cannot be determined. */
export class LeaseError extends Error {
  readonly code: 'account-taken' | 'lease-unusable';
  override readonly name = 'LeaseError';

  constructor(code: LeaseError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const OWNER_ONLY = 0o600;
const BUSY = /database is locked/;

/**
 * Takes the lease in an account's folder. The operating system releases the lock when the process ends, even after
 * `kill -9`, so no cleanup is needed. `holder` describes the process, for the error of the next one. Throws
 * LeaseError (`account-taken`) if another process holds it.
 * @see docs/reliability.md, F-P07
 */
export function takeLease(folder: string, holder: string): Lease {
  const path = join(folder, 'lease.db');
  let database: DatabaseSync | undefined;
  try {
    closeSync(openSync(path, 'a', OWNER_ONLY));
    database = new DatabaseSync(path, { timeout: 0 });
    const epoch = lockAndCount(database);
    writeFileSync(holderPath(folder), holder, { mode: OWNER_ONLY });
    const held = database;
    return { epoch, release: () => held.close() };
  } catch (cause) {
    database?.close();
    if (cause instanceof Error && BUSY.test(cause.message)) throw taken(folder);
    throw unusable(path, cause);
  }
}

function unusable(path: string, cause: unknown): LeaseError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new LeaseError(
    'lease-unusable',
    `Cannot make sure that no other process trades this account: ${why}\n  at ${path}\n  Check the folder's owner, its permissions and the free disk space; SLUICE_STATE_DIR names another folder for what all bots of a user share`,
    { cause },
  );
}

/**
 * Takes the lease of an account among all processes of the user, across projects and addresses of the account; `key`
 * is its `accountKey`. Throws the errors of `takeLease`.
 */
export function takeUserLease(
  environment: Readonly<Record<string, string | undefined>>,
  key: string,
  holder: string,
): Lease {
  let folder: string;
  try {
    folder = makeStateFolder(environment, 'accounts', key);
  } catch (cause) {
    throw unusable(join(userStateFolder(environment), 'accounts', key), cause);
  }
  return takeLease(folder, holder);
}

/** Locks the database: in exclusive locking mode the lock of the first write is held until the file is closed. */
function lockAndCount(database: DatabaseSync): number {
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  database.exec('CREATE TABLE IF NOT EXISTS holders (epoch INTEGER PRIMARY KEY)');
  const row = database.prepare('SELECT coalesce(max(epoch), 0) AS epoch FROM holders').get();
  const epoch = Number(row?.['epoch']) + 1;
  database.prepare('DELETE FROM holders').run();
  database.prepare('INSERT INTO holders (epoch) VALUES (?)').run(epoch);
  database.exec('COMMIT');
  return epoch;
}

function holderPath(folder: string): string {
  return join(folder, 'holder.txt');
}

function taken(folder: string): LeaseError {
  let holder = 'another process';
  try {
    holder = readFileSync(holderPath(folder), 'utf8').trim();
  } catch {
    // The holder has the lock but has not written its description yet.
  }
  return new LeaseError(
    'account-taken',
    `Cannot trade this account: ${holder} does so already, and two bots on one account would spend the same money\n  Stop that one first, or name another account under "broker.account"`,
  );
}
