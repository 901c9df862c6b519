import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteJournal } from '#src/journal/sqlite.ts';

const JOURNAL = new URL('../../src/journal/sqlite.ts', import.meta.url).href;
/** Appends, prints a line, and keeps another megabyte each time, until the heap is full. */
const SCRIPT = `
const { openSqliteJournal } = await import(process.argv[1]);
const journal = openSqliteJournal(process.argv[2]);
const kept = [];
for (let at = 1; ; at += 1) {
  kept.push(Array.from({ length: 131_072 }, () => at + Math.random()));
  const number = journal.append({ kind: 'run-ended', at, reason: 'finished', message: '' });
  process.stdout.write('appended ' + number + '\\n');
}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-heap-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a process whose heap is full', () => {
  it('leaves a complete journal with all records that it reported as appended (F-P04, I-21)', () => {
    const path = join(folder, 'journal.db');
    const args = ['--max-old-space-size=64', '--input-type=module', '--eval', SCRIPT, JOURNAL, path];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('heap out of memory');
    const said = stdout.split('\n').filter((line) => line.startsWith('appended')).length;
    expect(said).toBeGreaterThan(5);
    const journal = openSqliteJournal(path);
    const whole = [...journal.replay()].length;
    journal.close();
    expect(whole).toBeGreaterThanOrEqual(said);
    expect(whole).toBeLessThanOrEqual(said + 1);
  });
});
