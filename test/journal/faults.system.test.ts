import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeEvent } from '#src/events/codec.ts';
import { GENESIS, link } from '#src/journal/chain.ts';
import { readSqliteJournal } from '#src/journal/read-sqlite.ts';
import { RESERVE_BYTES } from '#src/journal/reserve.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import type { Journal } from '#src/ports/journal.ts';
import { acked, drafted, filled, fillOf, intentOf } from '../fixtures/orders.ts';
import { appendAll } from './describe-journal.ts';

const life = [...acked(intentOf()), filled(fillOf('e1', 'buy', '100', '10'))];
const strace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const SCRIPT = fileURLToPath(new URL('append-kinds.ts', import.meta.url));

let folder: string;
let path: string;
let open: Journal[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-journal-'));
  path = join(folder, 'journal.db');
  open = [];
});
afterEach(() => {
  for (const journal of open) journal.close();
  rmSync(folder, { recursive: true });
});

function opened(at = path): Journal {
  const journal = openSqliteJournal(at);
  open.push(journal);
  return journal;
}

function errorOf(journal: Journal): string {
  let said = '';
  try {
    journal.append(drafted());
  } catch (error) {
    said = String(error);
  }
  return said;
}

/** The files as they are on the disk now, as a power cut would leave them. */
function image(name: string): string {
  const to = join(folder, name);
  for (const ending of ['', '-wal']) if (existsSync(path + ending)) copyFileSync(path + ending, to + ending);
  return to;
}

describe('a journal after a power failure of its process', () => {
  it('has every record whose append had returned (F-K01, I-1, I-21)', () => {
    const journal = opened();
    for (const [index, event] of life.entries()) {
      appendAll(journal, [event]);
      expect([...opened(image(`cut-${index}.db`)).replay()]).toEqual(life.slice(0, index + 1));
    }
  });

  it('is truncated to the last complete record if its log is torn anywhere (F-K02, I-21)', () => {
    appendAll(opened(), life);
    const bytes = statSync(`${path}-wal`).size;
    const counts = new Set<number>();
    for (let index = 0; index < 40; index += 1) {
      const torn = image(`torn-${index}.db`);
      truncateSync(`${torn}-wal`, Math.floor((bytes * index) / 40));
      const records = [...opened(torn).replay()];
      expect(records).toEqual(life.slice(0, records.length));
      counts.add(records.length);
    }
    expect(counts.size).toBe(life.length);
  });
});

describe.skipIf(!strace)('a journal whose disk fails', () => {
  /** Makes one system call fail. */
  function failing(kind: string, inject: string): readonly string[] {
    const args = ['-f', '-o', '/dev/null', '-e', `inject=${inject}`, process.execPath, SCRIPT, path, kind];
    return spawnSync('strace', args, { encoding: 'utf8' }).stdout.trim().split('\n');
  }

  const full = (line: string) => line.includes('the disk is full');

  it('refuses records that lead to an order when the disk is full (F-K03, I-1)', () => {
    const lines = failing('intent-drafted', 'pwrite64:error=ENOSPC:when=40');
    expect(lines.filter(full)).toHaveLength(1);
    expect(lines.find(full)).toMatch(
      /^JournalError: Cannot write record \d+ of journal "PATH": the disk is full$/,
    );
    expect(existsSync(`${path}.reserve`)).toBe(true);
  });

  it('still writes cancels, in its reserved space (F-K03, I-14)', () => {
    const lines = failing('cancel-sending', 'pwrite64:error=ENOSPC:when=40');
    expect(lines).toEqual(['open', ...Array.from({ length: 20 }, (_, index) => `record ${index + 1}`)]);
    expect(existsSync(`${path}.reserve`)).toBe(false);
    opened();
    expect(statSync(`${path}.reserve`).size).toBe(RESERVE_BYTES);
  });

  it('writes nothing more after one failed sync (F-K04, I-1)', () => {
    const lines = failing('cancel-sending', 'fsync,fdatasync:error=EIO:when=12');
    const first = lines.findIndex((line) => line.startsWith('JournalError'));
    expect(first).toBeGreaterThan(1);
    expect(lines[first]).toMatch(/^JournalError: Cannot write record \d+ of journal "PATH"$/);
    const after = lines.slice(first + 1);
    expect(after.length).toBeGreaterThan(0);
    expect(after.every((line) => line.includes('an earlier write failed'))).toBe(true);
    const kept = [...opened().replay()].length;
    expect(kept === first - 1 || kept === first).toBe(true);
  });
});

describe('a journal that another process changes', () => {
  it('notices that its file was deleted (F-K08)', () => {
    const journal = opened();
    rmSync(path);
    expect(errorOf(journal)).toContain('it was moved or deleted while it was open');
  });

  it('notices that another file replaced it (F-K08, S-24)', () => {
    const journal = opened();
    renameSync(path, join(folder, 'away.db'));
    openSqliteJournal(path).close();
    expect(errorOf(journal)).toContain('another file took its place while it was open');
  });

  it('refuses a writer of an earlier epoch once a later one has written (I-25)', () => {
    const [early, late] = [opened(), opened()];
    appendAll(early, life.slice(0, 1));
    expect(errorOf(late)).toContain('Cannot write record 1');
    expect([...early.replay()]).toHaveLength(1);
    expect(errorOf(late)).toContain('an earlier write failed');
  });

  it('is accessible to its owner only, also if it was not before (S-24)', () => {
    const modes = () =>
      ['', '-wal', '.reserve'].map((ending) => (statSync(path + ending).mode & 0o777).toString(8));
    const journal = opened();
    appendAll(journal, life);
    expect(modes()).toEqual(['600', '600', '600']);
    chmodSync(path, 0o644);
    opened();
    expect(modes()[0]).toBe('600');
  });
});

describe('a journal of the first version', () => {
  /** Writes the records as the first version did: its chain covers the bodies alone. */
  function firstVersion(): void {
    const database = new DatabaseSync(path);
    database.exec(
      'CREATE TABLE records (seq INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL, intent TEXT, body TEXT NOT NULL, chain TEXT NOT NULL) STRICT; PRAGMA user_version = 1; PRAGMA journal_mode = WAL',
    );
    const insert = database.prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)');
    let chain = GENESIS;
    for (const [index, event] of life.entries()) {
      const { at, kind } = event;
      const intent = 'intentId' in event ? event.intentId : null;
      const row = { seq: index + 1, at, kind, intent, body: encodeEvent(event) };
      chain = link(chain, row, 1);
      insert.run(row.seq, at, kind, intent, row.body, chain);
    }
    database.close();
  }

  it('can be read, and is not changed by that (F-K09)', () => {
    firstVersion();
    const before = readFileSync(path);
    const reader = readSqliteJournal(path);
    expect([...reader.records()].map(({ event }) => event)).toEqual(life);
    reader.close();
    expect(readFileSync(path)).toEqual(before);
  });

  it('is migrated on a copy when it is written to, and kept next to it (F-K09, I-21)', () => {
    firstVersion();
    const journal = opened();
    expect([...journal.replay()]).toEqual(life);
    expect(appendAll(journal, [drafted(intentOf('INTENT2'))])).toEqual([life.length + 1]);
    const old = readSqliteJournal(`${path}.v1`);
    expect([...old.records()]).toHaveLength(life.length);
    old.close();
  });

  it('is refused by its first wrong record, and left unchanged (F-K09, F-K07)', () => {
    firstVersion();
    const database = new DatabaseSync(path);
    database.exec("UPDATE records SET body = replace(body, 'INTENT1', 'INTENT9') WHERE seq = 3");
    database.close();
    expect(() => opened()).toThrow('is damaged at record 3');
    expect(existsSync(`${path}.v1`)).toBe(false);
    expect(existsSync(`${path}.migrating`)).toBe(false);
  });
});
