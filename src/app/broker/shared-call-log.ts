import { randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SharedCall, SharedCalls } from '../../ports/call-budget.ts';
import { makeStateFolder, userStateFolder } from '../storage/user-state.ts';

/** The calls of all processes of the user on one account, in a file of the user's state. */
export interface SharedCallLog extends SharedCalls {
  close(): void;
}

/** The account whose calls are counted, and the callback if they cannot be. */
export interface SharedCallLogParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** See `accountKey`; absent if only the credentials are known. */
  readonly account?: string | undefined;
  /** See `credentialsKey`. */
  readonly credentials: string;
  /** Wall time in milliseconds, which the file uses. */
  readonly now: () => number;
  /** Called once if calls of other processes are not counted. */
  readonly warn: (text: string) => void;
}

interface Call {
  at: number;
  id: number | undefined;
  isRemoved: boolean;
}

const NAME = 'calls.db';
const OWNER_ONLY = 0o600;
/** Older rows are outside every window. */
const RETENTION_MS = 120_000;
/** A row further in the future was written before the clock was set back. */
const FUTURE_TOLERANCE_MS = 1_000;
const OPEN_WAIT_MS = 1_000;
/** How long a call waits for another process's write; then it is sent, and recorded with the next one. */
const WRITE_WAIT_MS = 2;
/** Delay before a file that failed is opened again. */
const REOPEN_DELAY_MS = 30_000;
const BUSY = /database is locked|busy/i;
const BROKEN = /not a database|malformed|corrupt/i;

const SCHEMA = `CREATE TABLE IF NOT EXISTS calls (
  id INTEGER PRIMARY KEY, at REAL NOT NULL, owner TEXT NOT NULL, account TEXT NOT NULL, credentials TEXT NOT NULL
) STRICT`;

/**
 * Opens or creates the file. Two processes use one account if they share the account or the credentials. No call
 * waits for the file for more than some milliseconds. If it cannot be read or written, that is reported once, and the
 * process counts only its own calls. Never throws. @see docs/reliability.md, F-M07
 */
export function openSharedCallLog(parts: SharedCallLogParts): SharedCallLog {
  const { environment, account = '', credentials, now } = parts;
  const owner = randomUUID();
  const unwritten = new Set<Call>();
  let file: ReturnType<typeof openFile> | undefined;
  let isReported = false;
  let openAgainAt = Number.NEGATIVE_INFINITY;
  let seen: { readonly version: unknown; readonly times: readonly number[] } | undefined;

  function failed(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    // Another process is writing: the new rows wait for the next call.
    if (file !== undefined && BUSY.test(why)) return;
    closeFile();
    openAgainAt = now() + REOPEN_DELAY_MS;
    if (isReported) return;
    isReported = true;
    parts.warn(
      `Calls of other processes on the account are not counted, so the broker may refuse some: ${why}\n  at ${join(userStateFolder(environment), NAME)}\n  Check its owner, its permissions and the free disk space, or name another folder in SLUICE_STATE_DIR`,
    );
  }

  function closeFile(): void {
    try {
      file?.database.close();
    } catch {
      // Nothing is lost: its rows expire within the minute.
    }
    file = undefined;
    seen = undefined;
  }

  function attempt(work: (opened: NonNullable<typeof file>) => void): void {
    try {
      if (file === undefined) {
        if (now() < openAgainAt) return;
        file = openFile(makeStateFolder(environment));
      }
      work(file);
    } catch (error) {
      failed(error);
    }
  }

  function write(opened: NonNullable<typeof file>): void {
    for (const call of unwritten) {
      if (call.isRemoved || call.at < now() - RETENTION_MS) {
        if (call.id !== undefined) opened.remove.run(call.id);
      } else if (call.id === undefined) {
        opened.prune.run(now() - RETENTION_MS);
        call.id = Number(opened.insert.run(call.at, owner, account, credentials).lastInsertRowid);
      } else opened.move.run(call.at, call.id);
      unwritten.delete(call);
    }
  }

  function changed(call: Call): void {
    unwritten.add(call);
    attempt(write);
  }

  function commit(): void {
    try {
      file?.database.exec('COMMIT');
    } catch (error) {
      closeFile();
      failed(error);
    }
  }

  return {
    withLock(work) {
      let isLocked = false;
      attempt(({ database }) => {
        database.exec('BEGIN IMMEDIATE');
        isLocked = true;
      });
      if (!isLocked && file !== undefined) return undefined;
      try {
        return { result: work() };
      } finally {
        if (isLocked) commit();
      }
    },
    others(since) {
      if (unwritten.size > 0) attempt(write);
      attempt((opened) => {
        const version = opened.version.get()?.['data_version'];
        if (seen?.version === version) return;
        const rows = opened.select.all(owner, account, credentials, now() - RETENTION_MS);
        seen = { version, times: rows.map((row) => Number(row['at'])) };
      });
      const latest = now() + FUTURE_TOLERANCE_MS;
      return (seen?.times ?? []).filter((at) => at > since && at <= latest);
    },
    add(at): SharedCall {
      const call: Call = { at, id: undefined, isRemoved: false };
      changed(call);
      return {
        moveTo(moved) {
          call.at = moved;
          changed(call);
        },
        remove() {
          call.isRemoved = true;
          changed(call);
        },
      };
    },
    close: closeFile,
  };
}

/** An invalid file is replaced: it has only the calls of the last minute. */
function openFile(folder: string) {
  const path = join(folder, NAME);
  try {
    return opened(path);
  } catch (error) {
    if (!(error instanceof Error) || !BROKEN.test(error.message)) throw error;
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    return opened(path);
  }
}

function opened(path: string) {
  closeSync(openSync(path, 'a', OWNER_ONLY));
  const database = new DatabaseSync(path, { timeout: OPEN_WAIT_MS });
  try {
    // A power cut can only lose calls that have expired by the next start.
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${SCHEMA}`);
    database.exec(`PRAGMA busy_timeout = ${WRITE_WAIT_MS}`);
    return {
      database,
      version: database.prepare('PRAGMA data_version'),
      insert: database.prepare('INSERT INTO calls (at, owner, account, credentials) VALUES (?, ?, ?, ?)'),
      move: database.prepare('UPDATE calls SET at = ? WHERE id = ?'),
      remove: database.prepare('DELETE FROM calls WHERE id = ?'),
      prune: database.prepare('DELETE FROM calls WHERE at < ?'),
      select: database.prepare(
        "SELECT at FROM calls WHERE owner <> ? AND ((account <> '' AND account = ?) OR credentials = ?) AND at > ? ORDER BY at",
      ),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
