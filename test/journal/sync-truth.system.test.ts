import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const strace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const script = fileURLToPath(new URL('append-and-print.ts', import.meta.url));

/** System calls of a journal that is written ten times, such as "sync" and "printed 3". */
function traced(what: 'ends' | 'orders'): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-sync-'));
  try {
    const trace = join(folder, 'trace');
    const watch = ['-f', '-e', 'trace=fsync,fdatasync,write', '-o', trace];
    spawnSync('strace', [...watch, process.execPath, script, join(folder, 'journal.db'), what]);
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

/** Number of syncs of each of the ten writes; the first also opens the file. */
function syncsEach(what: 'ends' | 'orders'): readonly number[] {
  const calls = traced(what);
  const printed = calls.flatMap((call, index) => (call.startsWith('printed') ? [index] : []));
  return printed.map((index, count) => {
    const since = calls.slice(count === 0 ? 0 : (printed[count - 1] ?? 0) + 1, index);
    return since.filter((call) => call === 'sync').length;
  });
}

describe.skipIf(!strace)('the system calls of a journal', () => {
  it('include a sync before an append returns (I-1, F-K06)', () => {
    const syncs = syncsEach('ends');
    expect(syncs).toHaveLength(10);
    for (const count of syncs) expect(count).toBeGreaterThanOrEqual(1);
  });

  it('are one sync for an attempt and the decision before it (I-1)', () => {
    const [first, ...others] = syncsEach('orders');
    expect(first).toBeGreaterThanOrEqual(1);
    expect(others).toEqual(Array(9).fill(1));
  });
});
