import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { createFold } from '#src/events/fold.ts';
import { JournalError } from '#src/journal/journal-error.ts';
import { readSqliteJournal } from '#src/journal/read-sqlite.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { acked, filled, fillOf, intentOf } from '../fixtures/orders.ts';
import { appendAll, describeJournal } from './describe-journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-journal-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const freshPath = (): string => {
  files += 1;
  return join(folder, `journal-${files}.db`);
};
const life = [...acked(intentOf()), filled(fillOf('e1', 'buy', '100', '10'))];

/** A closed journal file of five records. */
function written(): string {
  const path = freshPath();
  const journal = openSqliteJournal(path);
  appendAll(journal, life);
  journal.close();
  return path;
}

/** Changes the file over another connection, as a repair tool or a bad disk would. */
function tamper(path: string, change: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path);
  try {
    change(database);
  } finally {
    database.close();
  }
}

function errorAt(path: string): JournalError {
  try {
    openSqliteJournal(path).close();
  } catch (error) {
    if (error instanceof JournalError) return error;
    throw error;
  }
  throw new Error(`Opened "${path}" although it should not`);
}

describeJournal(() => openSqliteJournal(freshPath()));

describe('a journal file', () => {
  it('continues at its last record when it is opened again (I-21)', () => {
    const path = freshPath();
    const first = openSqliteJournal(path);
    appendAll(first, life.slice(0, 3));
    first.close();
    const second = openSqliteJournal(path);
    expect(appendAll(second, life.slice(3))).toEqual([4, 5]);
    expect([...second.replay()]).toEqual(life);
    second.close();
    const third = openSqliteJournal(path);
    expect([...third.replay()]).toEqual(life);
    third.close();
  });

  it('restores the state of the run (I-12, I-21)', () => {
    const path = written();
    const [run, replayed] = [createFold(), createFold()];
    for (const event of life) run.apply(event);
    const journal = openSqliteJournal(path);
    for (const event of journal.replay()) replayed.apply(event);
    journal.close();
    expect(replayed.state.portfolio).toEqual(run.state.portfolio);
    expect(replayed.state.live).toEqual(run.state.live);
  });

  it('has a record on disk, readable for other processes, as soon as the append returned (I-1)', () => {
    const path = freshPath();
    const journal = openSqliteJournal(path);
    tamper(path, (reader) => {
      for (const [index, event] of life.entries()) {
        appendAll(journal, [event]);
        const row = reader.prepare('SELECT max(seq) AS seq FROM records').get();
        expect(row).toMatchObject({ seq: index + 1 });
      }
    });
    journal.close();
  });

  it('stores kind, time and intent with each record, for queries', () => {
    tamper(written(), (database) => {
      expect(database.prepare('SELECT seq, kind, intent FROM records WHERE seq = 5').get()).toEqual({
        seq: 5,
        kind: 'order-filled',
        intent: 'INTENT1',
      });
    });
  });

  it('is in WAL mode, which the file remembers (F-K06)', () => {
    tamper(written(), (database) => {
      expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    });
  });

  it('is set back to WAL when it was changed (F-K06)', () => {
    const path = written();
    tamper(path, (database) => database.exec('PRAGMA journal_mode = DELETE'));
    openSqliteJournal(path).close();
    tamper(path, (database) => {
      expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    });
  });

  it('refuses a file system on which it could not be durable (F-K06)', () => {
    const error = errorAt(':memory:');
    expect(error.code).toBe('journal-open');
    expect(error.message).toBe(
      'Journal ":memory:" would not survive a power cut: wanted journal_mode wal and synchronous 2, got memory and 2',
    );
  });
});

describe('a damaged journal', () => {
  it.each([1, 3, 5])('names record %i, in whose body one byte was changed (F-K07, I-12)', (seq) => {
    const path = written();
    tamper(path, (database) => {
      const row = database.prepare('SELECT body FROM records WHERE seq = ?').get(seq);
      const body = Buffer.from(String(row?.['body']));
      body[10] = (body[10] as number) ^ 1;
      database.prepare('UPDATE records SET body = ? WHERE seq = ?').run(body.toString(), seq);
    });
    const error = errorAt(path);
    expect(error.code).toBe('journal-damaged');
    expect(error.message).toBe(`Journal "${path}" is damaged at record ${seq}: its chain does not fit`);
  });

  it.each([
    ['kind', "'intent-denied'"],
    ['at', 'at + 1'],
    ['intent', "'INTENT9'"],
  ])('names the record whose %s column was changed (F-K07)', (column, value) => {
    const path = written();
    tamper(path, (database) => database.exec(`UPDATE records SET ${column} = ${value} WHERE seq = 4`));
    expect(errorAt(path).message).toContain('damaged at record 4');
  });

  it('names the record whose chain was changed', () => {
    const path = written();
    tamper(path, (database) => database.exec("UPDATE records SET chain = 'f' || chain WHERE seq = 2"));
    expect(errorAt(path).message).toContain('damaged at record 2');
  });

  it.each([
    ['a record is missing', 'DELETE FROM records WHERE seq = 3', 3],
    ['the first is missing', 'DELETE FROM records WHERE seq = 1', 1],
    ['two were swapped', 'UPDATE records SET seq = -seq WHERE seq = 2', 1],
    [
      'one was inserted',
      'INSERT INTO records SELECT 9, at, kind, intent, body, chain FROM records WHERE seq = 5',
      6,
    ],
  ])('is detected when %s', (_what, sql, seq) => {
    const path = written();
    tamper(path, (database) => database.exec(sql));
    expect(errorAt(path).message).toContain(`damaged at record ${seq}`);
  });

  it('is refused, and left unchanged, when its pages are torn (F-K02)', () => {
    const path = written();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4_096);
    writeFileSync(path, bytes);
    expect(errorAt(path).code).toBe('journal-damaged');
    expect(
      readFileSync(path)
        .subarray(4_096)
        .every((byte) => byte === 0xff),
    ).toBe(true);
  });

  it('is refused if the table is another one', () => {
    const path = freshPath();
    tamper(path, (database) => database.exec('CREATE TABLE records (note TEXT); PRAGMA user_version = 2'));
    expect(errorAt(path).code).toBe('journal-damaged');
  });
});

describe('a journal that cannot be opened', () => {
  it('is newer than this program: refused by its version, and not touched (F-K09)', () => {
    const path = written();
    tamper(path, (database) => database.exec('PRAGMA user_version = 4'));
    const error = errorAt(path);
    expect(error.code).toBe('journal-version');
    expect(error.message).toBe(
      `Journal "${path}" has version 4, this program reads versions up to 3: use the program that wrote it`,
    );
    tamper(path, (database) => {
      expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 4 });
    });
  });

  it('is in a folder that does not exist', () => {
    const error = errorAt(join(folder, 'nowhere', 'journal.db'));
    expect(error.code).toBe('journal-open');
    expect(error.message).toMatch(/^Cannot open journal ".*nowhere.journal\.db": ENOENT/);
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('is not a database at all', () => {
    const path = freshPath();
    writeFileSync(path, 'a diary, not a journal'.repeat(100));
    expect(errorAt(path).code).toBe('journal-open');
    expect(readFileSync(path, 'utf8')).toContain('a diary');
  });

  it('is a folder', () => {
    expect(errorAt(folder).code).toBe('journal-open');
  });
});

describe('a journal that is not writable', () => {
  /** A path without write access. Modes do not restrict root, for whom another file system is used. */
  function unwritable(): string {
    if (process.getuid?.() === 0) return '/proc/journal.db';
    const path = written();
    chmodSync(path, 0o400);
    return path;
  }

  it('is refused at the start, not at the first order (F-K08)', () => {
    expect(errorAt(unwritable()).code).toMatch(/^journal-/);
  });
});

describe('an append that fails', () => {
  it('names the record, is not counted, and can be repeated (F-K08)', () => {
    const path = freshPath();
    const journal = openSqliteJournal(path);
    appendAll(journal, life.slice(0, 1));
    const locker = new DatabaseSync(path);
    locker.exec('BEGIN IMMEDIATE');
    const [, second] = life;
    if (second === undefined) throw new Error('Want a life of two events at least');
    expect(() => journal.append(second)).toThrow(
      expect.objectContaining({
        name: 'JournalError',
        code: 'journal-append',
        message: expect.stringContaining(`Cannot write record 2 of journal "${path}"`),
      }),
    );
    locker.exec('ROLLBACK');
    locker.close();
    expect(appendAll(journal, [second])).toEqual([2]);
    journal.close();
    const again = openSqliteJournal(path);
    expect([...again.replay()]).toHaveLength(2);
    again.close();
  });

  it('is an error once the journal was closed', () => {
    const path = freshPath();
    const journal = openSqliteJournal(path);
    journal.close();
    const [first] = life;
    if (first === undefined) throw new Error('Want a life of one event at least');
    expect(() => journal.append(first)).toThrow(expect.objectContaining({ code: 'journal-append' }));
    expect(existsSync(path)).toBe(true);
  });
});

describe('a journal with a malformed page', () => {
  /** A file of many pages, overwritten from one in the middle to its end. */
  function malformed(): string {
    const path = freshPath();
    const journal = openSqliteJournal(path);
    for (let count = 0; count < 200; count += 1) appendAll(journal, life);
    journal.close();
    const bytes = readFileSync(path);
    bytes.fill(0xa5, Math.floor(bytes.length / 2));
    writeFileSync(path, bytes);
    return path;
  }

  it('is reported as damaged on reading and on opening for writing', () => {
    const path = malformed();
    const reader = readSqliteJournal(path);
    expect(() => [...reader.records()]).toThrow(JournalError);
    expect(() => [...reader.records()]).toThrow(/is damaged/);
    reader.close();
    expect(errorAt(path).code).toBe('journal-damaged');
  });
});

describe('the reserved space of a journal', () => {
  it.each([
    ['a link to nothing', (path: string) => symlinkSync('nowhere', path)],
    ['a link to a file', (path: string) => symlinkSync('/etc/hostname', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('cannot be %s', (_name, put) => {
    const path = freshPath();
    put(`${path}.reserve`);
    const error = errorAt(path);
    expect(error.code).toBe('journal-open');
    expect(error.message).toContain(`${path}.reserve`);
  });
});
