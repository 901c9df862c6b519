import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SluiceEvent } from '#src/events/event.ts';
import { createFold } from '#src/events/fold.ts';
import { readSqliteJournal } from '#src/journal/read-sqlite.ts';
import { openSqliteJournal } from '#src/journal/sqlite.ts';
import { DEFERRED_SYNC_KINDS } from '#src/ports/journal.ts';
import { acked, intentOf } from '../fixtures/orders.ts';

const strace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const script = fileURLToPath(new URL('compact-and-report.ts', import.meta.url));
const next = acked(intentOf('INTENT2'));
const WATCHED = 'openat,pwrite64,ftruncate,fdatasync,fsync,write,unlink,link,rename';

/** A system call of a process. Names are relative to the journal's folder, which itself is ''. */
type Call =
  | Naming
  | { readonly kind: 'sync'; readonly file: string }
  | { readonly kind: 'write'; readonly file: string; readonly bytes: Buffer; readonly at: number }
  | { readonly kind: 'cut'; readonly file: string; readonly length: number }
  | { readonly kind: 'printed'; readonly count: number };

/** A change of the folder itself. */
type Naming =
  | { readonly kind: 'made' | 'gone'; readonly file: string }
  | { readonly kind: 'link' | 'rename'; readonly file: string; readonly to: string };

interface File {
  bytes: Buffer;
  waiting: Extract<Call, { kind: 'write' | 'cut' }>[];
}

/** Names and files, as processes see them and as a power cut would leave them. */
interface Disk {
  readonly seen: Map<string, File>;
  readonly kept: Map<string, File>;
  readonly waiting: { readonly naming: Naming; readonly file: File }[];
}

let folder = '';
let place = '';
let life: readonly SluiceEvent[] = [];
let before: ReadonlyMap<string, Buffer> = new Map();
let calls: readonly Call[] = [];

beforeAll(() => {
  if (!strace) return;
  folder = mkdtempSync(join(tmpdir(), 'sluice-cut-'));
  place = join(folder, 'bot');
  mkdirSync(place);
  const path = join(place, 'journal.db');
  spawnSync(process.execPath, [script, path]);
  before = new Map(
    readdirSync(place)
      .filter((name) => !name.endsWith('-shm'))
      .map((name) => [name, readFileSync(join(place, name))]),
  );
  life = recordsIn(path);
  const trace = join(folder, 'trace');
  const options = ['-f', '-y', '-xx', '-s', '100000', '-e', `trace=${WATCHED}`, '-o', trace];
  spawnSync('strace', [...options, process.execPath, script, path, 'go-on']);
  calls = readFileSync(trace, 'latin1').split('\n').flatMap(read);
});
afterAll(() => {
  if (folder !== '') rmSync(folder, { recursive: true });
});

const bytesOf = (text: string | undefined) => Buffer.from((text ?? '').replaceAll('\\x', ''), 'hex');

/** A file's name in the folder; undefined for other files, and for memory that only looks like a file. */
function nameOf(hex: string | undefined): string | undefined {
  const path = bytesOf(hex).toString();
  if (path === place) return '';
  return path.startsWith(`${place}/`) && !path.endsWith('-shm') ? basename(path) : undefined;
}

function read(line: string): readonly Call[] {
  const printed = /write\(1<[^>]*>, "([^"]*)"/.exec(line);
  const count = printed === null ? null : /appended (\d+)/.exec(bytesOf(printed[1]).toString());
  if (count !== null) return [{ kind: 'printed', count: Number(count[1]) }];
  const [, name = '', rest = ''] = /\b(\w+)\((.*)\) += \d+/.exec(line) ?? [];
  const [first, second] = [...rest.matchAll(/["<]((?:\\x[0-9a-f]{2})+)[">]/g)].map(([, text]) => text);
  const file = nameOf(name === 'openat' ? second : first);
  if (file === undefined) return [];
  const last = Number(/(\d+)$/.exec(rest)?.[1]);
  switch (name) {
    case 'openat':
      return rest.includes('O_CREAT') ? [{ kind: 'made', file }] : [];
    case 'pwrite64':
      return [{ kind: 'write', file, bytes: bytesOf(second), at: last }];
    case 'ftruncate':
      return [{ kind: 'cut', file, length: last }];
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'sync', file }];
    case 'unlink':
      return [{ kind: 'gone', file }];
    case 'link':
    case 'rename':
      return [{ kind: name, file, to: nameOf(second) ?? '' }];
    default:
      throw new Error(`A call to the disk that this test does not know: ${line}`);
  }
}

function name(names: Map<string, File>, naming: Naming, file: File): void {
  if ('to' in naming) names.set(naming.to, file);
  if (naming.kind === 'made') names.set(naming.file, file);
  if (naming.kind === 'gone' || naming.kind === 'rename') names.delete(naming.file);
}

function put(file: File): void {
  for (const call of file.waiting) {
    const length =
      call.kind === 'cut' ? call.length : Math.max(file.bytes.length, call.at + call.bytes.length);
    const after = Buffer.alloc(length);
    file.bytes.copy(after);
    if (call.kind === 'write') call.bytes.copy(after, call.at);
    file.bytes = after;
  }
  file.waiting = [];
}

function apply(disk: Disk, call: Exclude<Call, { kind: 'printed' }>): void {
  if (call.kind === 'sync' && call.file === '') {
    for (const { naming, file } of disk.waiting.splice(0)) name(disk.kept, naming, file);
    return;
  }
  const known = disk.seen.get(call.file);
  if (call.kind === 'made' && known !== undefined) return;
  const file = known ?? { bytes: Buffer.alloc(0), waiting: [] };
  if (call.kind === 'sync') put(file);
  else if (call.kind === 'write' || call.kind === 'cut') file.waiting.push(call);
  else {
    name(disk.seen, call, file);
    disk.waiting.push({ naming: call, file });
  }
}

/** The disk before the call of this number. */
function diskBefore(done: readonly Call[]): Disk {
  const files = [...before].map(([file, bytes]) => [file, { bytes, waiting: [] } as File] as const);
  const disk: Disk = { seen: new Map(files), kept: new Map(files), waiting: [] };
  for (const call of done) if (call.kind !== 'printed') apply(disk, call);
  return disk;
}

/**
 * Every state in which a power cut may leave the folder: each unsynced name is there or not, and all bytes are there
 * or none.
 */
function* cutsOf(done: readonly Call[]): Iterable<ReadonlyMap<string, Buffer>> {
  const names = diskBefore(done).waiting.length;
  for (let chosen = 0; chosen < 2 ** names; chosen += 1)
    for (const writes of [false, true]) {
      const disk = diskBefore(done);
      for (const [index, { naming, file }] of disk.waiting.entries())
        if ((chosen & (1 << index)) !== 0) name(disk.kept, naming, file);
      if (writes) for (const file of disk.kept.values()) put(file);
      yield new Map([...disk.kept].map(([file, { bytes }]) => [file, bytes]));
    }
}

/** All records of all files. */
function recordsIn(path: string): readonly SluiceEvent[] {
  const reader = readSqliteJournal(path);
  try {
    const events = [...reader.records('all')].map(({ event }) => event);
    return events.filter(({ kind }) => kind !== 'journal-carried');
  } finally {
    reader.close();
  }
}

function known(events: Iterable<SluiceEvent>) {
  const fold = createFold();
  for (const event of events) fold.apply(event);
  return fold.known();
}

function digestOf(printed: number, disk: ReadonlyMap<string, Buffer>): string {
  const parts = [...disk]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([file, bytes]) => `${file} ${hash('sha256', bytes)}`);
  return `${printed} ${parts.join(' ')}`;
}

/** The result of a start on such a disk, and all records that it can still read. */
function foundOn(disk: ReadonlyMap<string, Buffer>, putAwayAfter: number) {
  const found = join(folder, 'found');
  mkdirSync(found);
  try {
    for (const [file, bytes] of disk) writeFileSync(join(found, file), bytes, { mode: 0o600 });
    expect(existsSync(join(found, 'journal.db'))).toBe(true);
    const journal = openSqliteJournal(join(found, 'journal.db'), { compactAfter: putAwayAfter });
    const state = known(journal.replay());
    journal.close();
    return { state, records: recordsIn(join(found, 'journal.db')) };
  } finally {
    rmSync(found, { recursive: true });
  }
}

describe.skipIf(!strace)('a power cut at any system call while a long journal is archived', () => {
  it.each([
    ['a start that does not archive the journal', 1_000],
    ['a start that archives it', 4],
  ])(
    'keeps the whole state, and every record, for %s (F-K10, F-K01, I-21)',
    (_what, putAwayAfter) => {
      expect(life).toHaveLength(5);
      expect(calls.filter(({ kind }) => kind === 'printed')).toHaveLength(
        1 + next.filter(({ kind }) => !DEFERRED_SYNC_KINDS.has(kind)).length,
      );
      expect(calls.filter(({ kind }) => kind === 'rename')).toHaveLength(1);
      let printed = 0;
      const tried = new Set<string>();
      for (const [index, call] of calls.entries()) {
        if (call.kind === 'printed') printed = call.count;
        for (const disk of cutsOf(calls.slice(0, index + 1))) {
          const digest = digestOf(printed, disk);
          if (tried.has(digest)) continue;
          tried.add(digest);
          const { state, records } = foundOn(disk, putAwayAfter);
          const all = [...life, ...next].slice(0, Math.max(records.length, life.length + printed));
          expect(records).toEqual(all);
          expect(state).toEqual(known(all));
        }
      }
      expect(tried.size).toBeGreaterThan(50);
    },
    60_000,
  );
});
