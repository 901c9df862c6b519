import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, '..', 'fixtures', 'priorities.ts');

/** Priorities of the threads of a process that is this much below this one. */
async function priorities(behind: number): Promise<ReadonlySet<number>> {
  const { stdout } = await run('nice', ['-n', String(behind), process.execPath, PROGRAM]);
  return new Set(JSON.parse(stdout));
}

describe.runIf(process.platform === 'linux')('the thread of a strategy', () => {
  const own = getPriority();

  it('lowers its priority by 5', async () => {
    expect(await priorities(0)).toEqual(new Set([own, Math.max(own, 5)]));
  });

  it('never gets a higher priority than its process, which would need privileges', async () => {
    expect(await priorities(12)).toEqual(new Set([Math.min(own + 12, 19)]));
  });
});
