import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { decodeEvent } from '../events/codec.ts';
import type { JournalSnapshot } from '../events/event.ts';
import { SNAPSHOT_FORM } from '../events/snapshot/state-snapshot.ts';
import { CARRIED_VERSION, chained, type Row } from './chain.ts';
import { JournalError } from './journal-error.ts';
import { readableVersion } from './read-version.ts';

/** Which archived records are read as well: none, those whose file exists, or all. */
export type Past = 'carried' | 'if-there' | 'all';

/** A journal file: its records, its path and its version. */
export interface JournalRows {
  readonly rows: Iterable<Row>;
  readonly path: string;
  readonly version: number;
}

/**
 * Yields the records of a file, preceded by archived ones if `past` requests them. A snapshot that another version of
 * this program wrote in another form is not used; then records are read from the first one on. Throws JournalError if
 * required archived records are missing, or are not the ones that were archived.
 */
export function* withArchivedRows({ rows, path, version }: JournalRows, past: Past): Iterable<Row> {
  let isFirst = version === CARRIED_VERSION;
  for (const row of rows) {
    const carried = isFirst ? decodeEvent(row.body) : undefined;
    isFirst = false;
    if (carried?.kind !== 'journal-carried') {
      yield row;
      continue;
    }
    const isStrange = carried.form !== SNAPSHOT_FORM;
    const archive = archiveOf(path, carried);
    const isWanted = past === 'carried' ? isStrange : past === 'all' || existsSync(archive);
    if (isWanted) yield* archivedRows(archive, carried, past);
    if (past !== 'carried' || !isStrange) yield row;
  }
}

/** True for a file whose snapshot has the form of another version of this program. */
export function isInAnotherForm({ rows, version }: Omit<JournalRows, 'path'>): boolean {
  if (version !== CARRIED_VERSION) return false;
  for (const { body } of rows) {
    const first = decodeEvent(body);
    return first.kind === 'journal-carried' && first.form !== SNAPSHOT_FORM;
  }
  return false;
}

/** Path of the archive of a file: in the same folder, regardless of any folder in the name. */
function archiveOf(path: string, { archive }: JournalSnapshot): string {
  return join(dirname(path), basename(archive));
}

function* archivedRows(path: string, carried: JournalSnapshot, past: Past): Iterable<Row> {
  if (!existsSync(path))
    throw new JournalError(
      'journal-open',
      `Cannot read records 1 to ${carried.records}: they were archived in "${path}", which is missing; restore that file`,
    );
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const version = readableVersion(database, path);
    let last: Row | undefined;
    for (const row of withArchivedRows({ rows: chained(database, path, version), path, version }, past)) {
      last = row;
      yield row;
    }
    if (last?.seq !== carried.records || last.chain !== carried.chain)
      throw new JournalError(
        'journal-damaged',
        `Journal "${path}" is damaged: it ends with record ${last?.seq ?? 0}, but the next file expects record ${carried.records} and another chain`,
      );
  } finally {
    database.close();
  }
}
