import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, '..', 'fixtures', 'priorities.ts');

/** Priorities of the threads of a sandbox that is lowered by this much below this process. */
async function priorities(behind: number): Promise<ReadonlySet<number>> {
  const { stdout } = await run('nice', ['-n', String(behind), process.execPath, PROGRAM]);
  return new Set(JSON.parse(stdout));
}

describe('the globals of a sandbox', () => {
  it("load nothing of Node's HTTP client when they are replaced, which would take 50 ms of each start", async () => {
    const globals = new URL('../../src/hosts/sandbox/deterministic-globals.ts', import.meta.url).href;
    const { stdout } = await run(process.execPath, [
      ...['--input-type=module', '--eval'],
      `import { installDeterministicGlobals } from '${globals}';
      const { log } = console;
      installDeterministicGlobals({ now: () => 0, startsAt: 0, random: () => 0 }, 'strategy');
      const refused = ['fetch', 'WebSocket', 'EventSource', 'setTimeout'].filter((name) => {
        try { globalThis[name](); } catch (error) { return error.message.startsWith('A strategy cannot use ' + name); }
      });
      log(JSON.stringify({ refused, loaded: process.moduleLoadList.filter((name) => name.includes('undici')) }));`,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      refused: ['fetch', 'WebSocket', 'EventSource', 'setTimeout'],
      loaded: [],
    });
  });
});

describe.runIf(process.platform === 'linux')('the thread of a strategy', () => {
  const own = getPriority();

  it('lowers its priority by 5', async () => {
    expect(await priorities(0)).toEqual(new Set([own, Math.max(own, 5)]));
  });

  it('never gets a higher priority than its process, which would need privileges', async () => {
    expect(await priorities(12)).toEqual(new Set([Math.min(own + 12, 19)]));
  });
});
