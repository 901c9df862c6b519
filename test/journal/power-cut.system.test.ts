import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteJournal } from '#src/journal/sqlite.ts';

const strace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const script = fileURLToPath(new URL('append-and-print.ts', import.meta.url));
const TIMES = 10;
/** The kinds of writes, and their numbers of records. */
const WRITTEN = { ends: 1, orders: 3 } as const;
type Written = keyof typeof WRITTEN;

/**
 * A system call of a process: bytes written to a file, its truncation, a sync, or the message that a record is
 * written.
 */
type Call =
  | { readonly kind: 'write'; readonly file: string; readonly bytes: Buffer; readonly at: number }
  | { readonly kind: 'gone'; readonly file: string }
  /** Syncs a file, or the folder, which makes created and removed names permanent. */
  | { readonly kind: 'sync'; readonly file: string }
  | { readonly kind: 'printed'; readonly count: number };

let folder = '';
let calls: Readonly<Record<Written, readonly Call[]>> = { ends: [], orders: [] };

beforeAll(() => {
  if (!strace) return;
  folder = mkdtempSync(join(tmpdir(), 'sluice-power-'));
  calls = { ends: traced('ends'), orders: traced('orders') };
});

function traced(what: Written): readonly Call[] {
  const place = join(folder, what);
  mkdirSync(place);
  const trace = join(place, 'trace');
  const watch = [
    '-f',
    '-y',
    '-xx',
    '-s',
    '100000',
    '-e',
    'trace=pwrite64,fdatasync,fsync,write,unlink',
    '-o',
    trace,
  ];
  spawnSync('strace', [...watch, process.execPath, script, join(place, 'journal.db'), what]);
  return readFileSync(trace, 'latin1').split('\n').flatMap(read);
}
afterAll(() => {
  if (folder !== '') rmSync(folder, { recursive: true });
});

const bytesOf = (text: string) => Buffer.from(text.replaceAll('\\x', ''), 'hex');

function read(line: string): readonly Call[] {
  const wrote = /pwrite64\(\d+<([^>]*)>, "([^"]*)", \d+, (\d+)\) = \d+/.exec(line);
  if (wrote !== null) {
    const [, name = '', data = '', at] = wrote;
    const file = basename(bytesOf(name).toString());
    return file.startsWith('journal.db') && !file.endsWith('-shm')
      ? [{ kind: 'write', file, bytes: bytesOf(data), at: Number(at) }]
      : [];
  }
  const synced = /f(?:data)?sync\(\d+<([^>]*)>\) += 0/.exec(line);
  if (synced !== null) return [{ kind: 'sync', file: basename(bytesOf(synced[1] ?? '').toString()) }];
  const gone = /unlink\("([^"]*)"\) += 0/.exec(line);
  if (gone !== null) return [{ kind: 'gone', file: basename(bytesOf(gone[1] ?? '').toString()) }];
  const printed = /write\(1<[^>]*>, "([^"]*)"/.exec(line);
  const count = printed === null ? null : /appended (\d+)/.exec(bytesOf(printed[1] ?? '').toString());
  return count === null ? [] : [{ kind: 'printed', count: Number(count[1]) }];
}

/** A disk after a power cut: it has what was synced, and of the rest what `keeps` selects. */
function cutAfter(done: readonly Call[], keeps: (index: number) => boolean): ReadonlyMap<string, Buffer> {
  const disk = new Map<string, Buffer>();
  const waiting = new Map<string, Extract<Call, { kind: 'write' }>[]>();
  const leaving = new Set<string>();
  const put = ({ file, bytes, at }: Extract<Call, { kind: 'write' }>): void => {
    const before = disk.get(file) ?? Buffer.alloc(0);
    const after = Buffer.alloc(Math.max(before.length, at + bytes.length));
    before.copy(after);
    bytes.copy(after, at);
    disk.set(file, after);
  };
  for (const call of done) {
    if (call.kind === 'write') waiting.set(call.file, [...(waiting.get(call.file) ?? []), call]);
    if (call.kind === 'gone') leaving.add(call.file);
    if (call.kind !== 'sync') continue;
    if (call.file in WRITTEN) for (const file of leaving) disk.delete(file);
    for (const write of waiting.get(call.file) ?? []) put(write);
    waiting.delete(call.file);
  }
  [...waiting.values()]
    .flat()
    .filter((_, index) => keeps(index))
    .forEach(put);
  return disk;
}

/** How many records a bot finds on such a disk. */
function recordsOn(disk: ReadonlyMap<string, Buffer>, name: string): number {
  const place = join(folder, name);
  mkdirSync(place);
  for (const [file, bytes] of disk) writeFileSync(join(place, file), bytes, { mode: 0o600 });
  const journal = openSqliteJournal(join(place, 'journal.db'));
  const count = [...journal.replay()].length;
  journal.close();
  rmSync(place, { recursive: true });
  return count;
}

const KEPT = [
  ['nothing that was not synced', () => false],
  ['every other write that was not synced', (index: number) => index % 2 === 1],
  ['all of it', () => true],
] as const;
const CASES = (['ends', 'orders'] as const).flatMap((what) =>
  KEPT.map(([kept, keeps]) => ({ what, kept, keeps })),
);

describe.skipIf(!strace)('a power cut at any system call', () => {
  it.each(CASES)(
    'leaves every record up to the newest that ends a run or sends an order: $what, with $kept (F-K01, I-1, I-21)',
    ({ what, keeps }) => {
      const done = calls[what];
      expect(done.filter(({ kind }) => kind === 'printed')).toHaveLength(TIMES);
      let [printed, cuts] = [0, 0];
      for (const [index, call] of done.entries()) {
        if (call.kind === 'printed') printed = call.count;
        if (printed === 0) continue;
        const found = recordsOn(cutAfter(done.slice(0, index + 1), keeps), `cut-${what}-${index}`);
        expect(found).toBeGreaterThanOrEqual(printed);
        expect(found).toBeLessThanOrEqual(printed + WRITTEN[what]);
        cuts += 1;
      }
      expect(cuts).toBeGreaterThan(3 * TIMES);
    },
  );

  it('would lose records without the syncs, so the test can fail', () => {
    const unsynced = calls.ends.filter(({ kind }) => kind !== 'sync');
    expect(cutAfter(unsynced, () => false).size).toBe(0);
  });
});
