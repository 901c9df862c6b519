import { lstatSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { decodeEvent } from '../events/codec.ts';
import { withArchivedRows } from './archived-records.ts';
import { chained, link, type Row } from './chain.ts';
import { JournalError } from './journal-error.ts';
import type { JournalRecord } from './read-sqlite.ts';
import { readableVersion } from './read-version.ts';

/** Reads a journal while its bot writes: each call of `next` continues where the last one ended. */
export interface JournalTail {
  /** Returns the following records, at most `max`; empty if there are none. Checks their chain. */
  next(max: number): readonly JournalRecord[];
  /** Returns records of this file with a number above `after`, at most `max`; their chain is not checked again. */
  after(after: number, max: number): readonly JournalRecord[];
  /** Returns the records with these numbers that this file has, in their order. */
  at(numbers: readonly number[]): readonly JournalRecord[];
  /** Yields every record from the beginning, with the snapshot of archived ones. */
  fromStart(): Iterable<JournalRecord>;
  /** Number of the newest record of this file; 0 if it has none. */
  newest(): number;
  /** True once another file has taken the place of this one: open it again. */
  isReplaced(): boolean;
  close(): void;
}

/**
 * Opens a journal file for reading only. Throws JournalError when it is missing, unreadable, of a newer version, or no file but a
 * link, which may lead to the journal of another project, or a pipe, which would be waited for without end.
 */
export function tailSqliteJournal(path: string): JournalTail {
  const { database, version, inode } = opened(path);
  const rows = (): Iterable<Row> =>
    withArchivedRows({ rows: chained(database, path, version), path, version }, 'carried');
  let initial: Iterator<Row> | undefined = rows()[Symbol.iterator]();
  let last: Pick<Row, 'seq' | 'chain'> | undefined;
  let damage: JournalError | undefined;
  const afterStatement = database.prepare(
    'SELECT seq, at, kind, intent, body, chain FROM records WHERE seq > ? ORDER BY seq LIMIT ?',
  );
  const oneStatement = database.prepare(
    'SELECT seq, at, kind, intent, body, chain FROM records WHERE seq = ?',
  );

  const newestStatement = database.prepare('SELECT max(seq) AS seq FROM records');

  /** Hands on what comes before the damage; every later call throws it. */
  function take(max: number): readonly Row[] {
    if (damage !== undefined) throw damage;
    const taken: Row[] = [];
    try {
      takeInto(taken, max);
    } catch (error) {
      if (!(error instanceof JournalError) || error.code !== 'journal-damaged') throw error;
      damage = error;
      if (taken.length === 0) throw error;
    }
    last = taken.at(-1) ?? last;
    return taken;
  }

  function takeInto(taken: Row[], max: number): void {
    while (initial !== undefined && taken.length < max) {
      const { done, value } = initial.next();
      if (done === true) initial = undefined;
      else taken.push(value);
    }
    if (initial === undefined && taken.length < max) {
      const from = (taken.at(-1) ?? last)?.seq ?? 0;
      let before = taken.at(-1) ?? last;
      for (const row of afterStatement.iterate(from, max - taken.length) as unknown as Iterable<Row>) {
        if (
          before !== undefined &&
          (row.seq !== before.seq + 1 || row.chain !== link(before.chain, row, version))
        )
          throw new JournalError(
            'journal-damaged',
            `Journal "${path}" is damaged at record ${before.seq + 1}: its chain does not fit`,
          );
        before = row;
        taken.push(row);
      }
    }
  }

  return {
    next: (max) => take(max).map(recordOf),
    after: (after, max) => (afterStatement.all(after, max) as unknown as readonly Row[]).map(recordOf),
    at: (numbers) =>
      numbers
        .toSorted((one, other) => one - other)
        .flatMap((seq) => {
          const row = oneStatement.get(seq) as unknown as Row | undefined;
          return row === undefined ? [] : [recordOf(row)];
        }),
    *fromStart() {
      for (const row of rows()) yield recordOf(row);
    },
    newest: () => Number((newestStatement.get() as { readonly seq: number | null } | undefined)?.seq ?? 0),
    isReplaced: () => inodeOf(path) !== inode,
    close: () => database.close(),
  };
}

function opened(path: string) {
  let database: DatabaseSync | undefined;
  try {
    const inode = inodeOf(path);
    if (inode !== undefined && !lstatSync(path).isFile())
      throw new JournalError(
        'journal-open',
        `Cannot read journal "${path}": it is no file but a link or a device; put the file itself there`,
      );
    database = new DatabaseSync(path, { readOnly: true });
    const version = readableVersion(database, path);
    database.prepare('SELECT 1 FROM records LIMIT 1').get();
    return { database, version, inode };
  } catch (cause) {
    database?.close();
    if (cause instanceof JournalError) throw cause;
    throw new JournalError('journal-open', `Cannot read journal "${path}": ${String(cause)}`, { cause });
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function recordOf({ seq, body }: Row): JournalRecord {
  return { seq, event: decodeEvent(body) };
}
