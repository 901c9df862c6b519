import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { decodeEvent } from '../events/codec.ts';
import type { JournalSnapshot } from '../events/event.ts';
import { SNAPSHOT_FORM } from '../events/snapshot/state-snapshot.ts';
import { chained, type Row, SNAPSHOT_VERSION } from './chain.ts';
import { JournalError } from './journal-error.ts';
import { readableVersion } from './read-version.ts';

/** Which archived records are read as well: none, those whose file exists, or all. */
export type ArchiveReads = 'carried' | 'if-there' | 'all';

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
export function* withArchivedRows(
  { rows, path, version }: JournalRows,
  archiveReads: ArchiveReads,
): Iterable<Row> {
  let isFirst = version === SNAPSHOT_VERSION;
  for (const row of rows) {
    const snapshot = isFirst ? decodeEvent(row.body) : undefined;
    isFirst = false;
    if (snapshot?.kind !== 'journal-carried') {
      yield row;
      continue;
    }
    const isOtherForm = snapshot.form !== SNAPSHOT_FORM;
    const archive = archiveOf(path, snapshot);
    const readsArchive =
      archiveReads === 'carried' ? isOtherForm : archiveReads === 'all' || existsSync(archive);
    if (readsArchive) yield* archivedRows(archive, snapshot, archiveReads);
    if (archiveReads !== 'carried' || !isOtherForm) yield row;
  }
}

/** True for a file whose snapshot has the form of another version of this program. */
export function isInAnotherForm({ rows, version }: Omit<JournalRows, 'path'>): boolean {
  if (version !== SNAPSHOT_VERSION) return false;
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

function* archivedRows(path: string, snapshot: JournalSnapshot, archiveReads: ArchiveReads): Iterable<Row> {
  if (!existsSync(path))
    throw new JournalError(
      'journal-open',
      `Cannot read records 1 to ${snapshot.records}: they were archived in "${path}", which is missing; restore that file`,
    );
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const version = readableVersion(database, path);
    let last: Row | undefined;
    for (const row of withArchivedRows(
      { rows: chained(database, path, version), path, version },
      archiveReads,
    )) {
      last = row;
      yield row;
    }
    if (last?.seq !== snapshot.records || last.chain !== snapshot.chain)
      throw new JournalError(
        'journal-damaged',
        `Journal "${path}" is damaged: it ends with record ${last?.seq ?? 0}, but the next file expects record ${snapshot.records} and another chain`,
      );
  } finally {
    database.close();
  }
}
