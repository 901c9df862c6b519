import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const strace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const script = fileURLToPath(new URL('append-and-print.ts', import.meta.url));

/** System calls of a journal: "sync" and "printed 3". */
function traced(): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sync-'));
  try {
    const trace = join(folder, 'trace');
    const watch = ['-f', '-e', 'trace=fsync,fdatasync,write', '-o', trace];
    spawnSync('strace', [...watch, process.execPath, script, join(folder, 'journal.db')]);
    return readFileSync(trace, 'utf8')
      .split('\n')
      .flatMap((line) => {
        if (/ f(data)?sync\(\d+\) += 0/.test(line)) return ['sync'];
        const printed = /write\(1, "appended (\d+)/.exec(line);
        return printed === null ? [] : [`printed ${printed[1]}`];
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(!strace)('the system calls of a journal', () => {
  it('is to sync at least once before each append returns (I-1, F-K06)', () => {
    const calls = traced();
    const appends = calls.flatMap((call, index) => (call.startsWith('printed') ? [index] : []));
    expect(appends).toHaveLength(10);
    for (const [count, index] of appends.entries()) {
      const since = calls.slice(count === 0 ? 0 : (appends[count - 1] ?? 0) + 1, index);
      expect(since.filter((call) => call === 'sync').length).toBeGreaterThanOrEqual(1);
    }
  });
});
