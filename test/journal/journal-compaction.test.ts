import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { SNAPSHOT_FORM } from '#src/events/snapshot/state-snapshot.ts';
import type { ArchiveReads } from '#src/journal/archived-records.ts';
import { GENESIS, link, rowsOf } from '#src/journal/chain.ts';
import { JournalError } from '#src/journal/journal-error.ts';
import { readSqliteJournal } from '#src/journal/read-sqlite.ts';
import { type JournalOptions, openSqliteJournal } from '#src/journal/sqlite.ts';
import type { Journal } from '#src/ports/journal.ts';
import { acked, filled, fillOf, intentOf } from '../fixtures/orders.ts';
import { appendAll } from './describe-journal.ts';

let folder = '';
let path = '';
const open: Journal[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-long-'));
  path = join(folder, 'journal.db');
});
afterEach(() => {
  for (const journal of open.splice(0)) journal.close();
  rmSync(folder, { recursive: true });
});

const life = [...acked(intentOf()), filled(fillOf('e1', 'buy', '60', '10'))];
const next = acked(intentOf('INTENT2'));
const third = acked(intentOf('INTENT3'));
const ARCHIVE = 'journal-000000000005.db';

function opened(options: JournalOptions = { compactAfter: 4 }): Journal {
  const journal = openSqliteJournal(path, options);
  open.push(journal);
  return journal;
}

/** Writes records as one run of a bot would, and ends it. */
function run(events: readonly SluiceEvent[], options?: JournalOptions): readonly number[] {
  const journal = openSqliteJournal(path, options ?? { compactAfter: 4 });
  const numbers = appendAll(journal, events);
  journal.close();
  return numbers;
}

function known(events: Iterable<SluiceEvent>) {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return fold.known();
}

function read(past?: ArchiveReads): readonly SluiceEvent[] {
  const journal = readSqliteJournal(path);
  try {
    return [...journal.records(past)].map(({ event }) => event);
  } finally {
    journal.close();
  }
}

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof JournalError) return `${error.code}: ${error.message.replaceAll(`${folder}/`, '')}`;
    throw error;
  }
  return 'none';
}

/** Changes a file over another connection, as a bad disk would. */
function tamper(file: string, sql: string): void {
  const database = new DatabaseSync(join(folder, file));
  database.exec(sql);
  database.close();
}

describe('a long journal', () => {
  it('continues in a new file at the next start, from the state of the old one (F-K10, I-21, I-12)', () => {
    run(life);
    const journal = opened();
    expect([...journal.replay()].map(({ kind }) => kind)).toEqual(['journal-carried']);
    expect(known(journal.replay())).toEqual(known(life));
    expect(appendAll(journal, next)).toEqual([7, 8, 9, 10]);
    expect(known(journal.replay())).toEqual(known([...life, ...next]));
    expect(known(read())).toEqual(known([...life, ...next]));
  });

  it('keeps the old file next to it, accessible to its owner only, and reads through both (F-K10, S-24)', () => {
    run(life);
    run(next);
    expect(readdirSync(folder).toSorted()).toEqual([ARCHIVE, 'journal.db', 'journal.db.reserve']);
    expect((statSync(join(folder, ARCHIVE)).mode & 0o777).toString(8)).toBe('600');
    expect(read('all').filter(({ kind }) => kind !== 'journal-carried')).toEqual([...life, ...next]);
    expect(read('if-there')).toEqual(read('all'));
  });

  it('is archived repeatedly, and is complete over all of its files (F-K10)', () => {
    const lives = [1, 2, 3, 4].map((each) => acked(intentOf(`INTENT${each}`)));
    for (const each of lives) run(each, { compactAfter: 3 });
    opened({ compactAfter: 3 });
    expect(readdirSync(folder).filter((name) => name.startsWith('journal-'))).toHaveLength(4);
    expect(known(read())).toEqual(known(lives.flat()));
    expect(read('all').filter(({ kind }) => kind !== 'journal-carried')).toEqual(lives.flat());
  });

  it('is left unchanged below the limit of records, and while another process reads it (F-K10)', () => {
    run(life);
    expect([...opened({ compactAfter: 5 }).replay()]).toEqual(life);
    open.pop()?.close();
    const reader = readSqliteJournal(path);
    const records = reader.records()[Symbol.iterator]();
    records.next();
    expect([...opened().replay()]).toEqual(life);
    open.pop()?.close();
    reader.close();
    expect([...opened().replay()]).toHaveLength(1);
  });

  it('is archived again if a crash left it half archived (F-K10, I-21)', () => {
    run(life);
    writeFileSync(`${path}.carrying`, 'half a file');
    linkSync(path, join(folder, ARCHIVE));
    const journal = opened();
    expect(known(journal.replay())).toEqual(known(life));
    expect(existsSync(`${path}.carrying`)).toBe(false);
    expect(read('all').slice(0, -1)).toEqual(life);
  });

  it('is read completely by a start that can begin no new file, with the reason (F-K10)', () => {
    run(life);
    mkdirSync(`${path}.carrying`);
    const said: string[] = [];
    const journal = opened({ compactAfter: 4, warn: (message) => said.push(message) });
    expect([...journal.replay()]).toEqual(life);
    expect(appendAll(journal, next)).toEqual([6, 7, 8, 9]);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^Cannot begin a new file for journal .*; this start reads all of it$/);
  });
});

describe('a journal that continues from another file', () => {
  beforeEach(() => {
    run(life);
    run(next);
  });

  it.each([
    ['a figure in the snapshot', "UPDATE records SET body = replace(body, '60', '61') WHERE seq = 6", 6],
    [
      'the number of records in the snapshot',
      `UPDATE records SET body = replace(body, '"records":5', '"records":4') WHERE seq = 6`,
      5,
    ],
    [
      'the chain in the snapshot',
      `UPDATE records SET body = replace(body, '"chain":"', '"chain":"f') WHERE seq = 6`,
      6,
    ],
    ['the snapshot record', 'DELETE FROM records WHERE seq = 6', 1],
    ['a record after it', "UPDATE records SET intent = 'INTENT9' WHERE seq = 8", 8],
    ['an unreadable snapshot', "UPDATE records SET body = '{' WHERE seq = 6", 1],
  ])('does not start if %s is not what was written (F-K10, F-K07)', (_what, sql, seq) => {
    tamper('journal.db', sql);
    expect(problemOf(opened)).toBe(
      `journal-damaged: Journal "journal.db" is damaged at record ${seq}: its chain does not fit`,
    );
  });

  it('does not start if all of its records are gone (F-K10, F-K07)', () => {
    tamper('journal.db', 'DELETE FROM records');
    expect(problemOf(opened)).toBe(
      'journal-damaged: Journal "journal.db" is damaged: its first record is gone',
    );
  });

  it('starts without the old file, whose absence is reported by name when the whole journal is read (F-K10)', () => {
    rmSync(join(folder, ARCHIVE));
    expect(known(opened({}).replay())).toEqual(known([...life, ...next]));
    expect(read('if-there').map(({ kind }) => kind)).toEqual([
      'journal-carried',
      ...next.map(({ kind }) => kind),
    ]);
    expect(problemOf(() => read('all'))).toBe(
      `journal-open: Cannot read records 1 to 5: they were archived in "${ARCHIVE}", which is missing; restore that file`,
    );
  });

  it('detects that the old file is damaged, truncated, or another one (F-K10, F-K07)', () => {
    tamper(ARCHIVE, "UPDATE records SET intent = 'INTENT9' WHERE seq = 2");
    expect(problemOf(() => read('all'))).toContain(`Journal "${ARCHIVE}" is damaged at record 2`);
    tamper(ARCHIVE, "UPDATE records SET intent = 'INTENT1' WHERE seq = 2; DELETE FROM records WHERE seq = 5");
    expect(problemOf(() => read('all'))).toContain(`Journal "${ARCHIVE}" is damaged: it ends with record 4`);
    renameSync(path, join(folder, 'kept.db'));
    path = join(folder, 'other.db');
    run([...life.slice(0, 4), filled(fillOf('e1', 'buy', '61', '10'))], {});
    renameSync(path, join(folder, ARCHIVE));
    renameSync(join(folder, 'kept.db'), join(folder, 'journal.db'));
    path = join(folder, 'journal.db');
    expect(problemOf(() => read('all'))).toContain(`Journal "${ARCHIVE}" is damaged: it ends with record 5`);
  });

  it('reads the old file instead if another program version wrote the snapshot in another form, once (F-K10, F-K09)', () => {
    inAnotherForm();
    const journal = opened({});
    expect(known(journal.replay())).toEqual(known([...life, ...next]));
    expect(appendAll(journal, third)).toEqual([12, 13, 14, 15]);
    journal.close();
    open.pop();
    rmSync(join(folder, ARCHIVE));
    expect(known(opened({}).replay())).toEqual(known([...life, ...next, ...third]));
  });

  it('reads all old files of another form completely (F-K10, F-K09)', () => {
    inAnotherForm();
    run(third);
    inAnotherForm();
    expect(read().map(({ kind }) => kind)).not.toContain('journal-carried');
    expect(known(read())).toEqual(known([...life, ...next, ...third]));
    expect(known(opened({}).replay())).toEqual(known([...life, ...next, ...third]));
  });

  it('does not start on a snapshot of another version if the old file is gone, and changes nothing (F-K10, F-K09)', () => {
    inAnotherForm();
    rmSync(join(folder, ARCHIVE));
    const before = readdirSync(folder).toSorted();
    expect(problemOf(() => [...opened({}).replay()])).toBe(
      `journal-open: Cannot read records 1 to 5: they were archived in "${ARCHIVE}", which is missing; restore that file`,
    );
    open.pop()?.close();
    expect(readdirSync(folder).toSorted()).toEqual(before);
    expect(read('if-there')).toHaveLength(1 + next.length);
  });

  /** Writes the file's first record as a later version of the program would. */
  function inAnotherForm(): void {
    const database = new DatabaseSync(path);
    const rows = [...rowsOf(database, path)];
    let chain = GENESIS;
    for (const row of rows) {
      const isFirst = row.kind === 'journal-carried';
      if (isFirst) chain = String(JSON.parse(row.body).chain);
      const body = isFirst
        ? JSON.stringify({ ...JSON.parse(row.body), form: SNAPSHOT_FORM + 1, state: 'whatever' })
        : row.body;
      chain = link(chain, { ...row, body });
      database.prepare('UPDATE records SET body = ?, chain = ? WHERE seq = ?').run(body, chain, row.seq);
    }
    database.close();
  }
});
