import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSqliteJournal } from '#src/journal/read-sqlite.ts';

const SCRIPT = fileURLToPath(new URL('fail-at.ts', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-fail-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('an uncaught error', () => {
  it.each([
    ['throws', 'not caught'],
    ['rejects', 'not awaited'],
  ])('ends the process at once, with its reason in the journal: %s (F-P05)', (how, what) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [SCRIPT, folder, how], {
      encoding: 'utf8',
    });
    expect([stdout, status]).toEqual(['', 1]);
    expect(stderr).toContain(`Stopped by an uncaught error: Error: ${what}`);
    const journal = readSqliteJournal(join(folder, 'journal.db'));
    const [last] = [...journal.records()].toReversed();
    journal.close();
    expect(last?.event).toMatchObject({
      kind: 'run-ended',
      reason: 'failed',
      message: `an uncaught error: Error: ${what}`,
    });
  });
});
