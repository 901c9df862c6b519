import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type DescriptorLimit,
  denyDescriptors,
  descriptorLimit,
} from '#src/hosts/sandbox/descriptor-limit.ts';
import { spawnSandbox } from '#src/hosts/workers/plugin-process.ts';
import { countedListener } from '../fixtures/counted-listener.ts';

const PROGRAM = join(import.meta.dirname, 'beyond-the-realm.ts');
/** The ways in which this system can prevent a process from opening anything. */
const LIMITS: readonly DescriptorLimit[] = [
  ...new Set([descriptorLimit(), process.platform === 'win32' ? ('none' as const) : ('shell' as const)]),
];

/** A folder with a secret, and a server that must receive nothing. */
async function target(): Promise<{
  readonly dir: string;
  readonly port: string;
  readonly connections: () => number;
}> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-boundary-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'secret'), 'canary');
  const { port, connections } = await countedListener();
  return { dir, port: String(port), connections };
}

describe('a process that is closed off', () => {
  it.each(LIMITS)(
    "gives no access to code that has Node's modules, limit by %s (I-16, S-06)",
    async (limit) => {
      const { dir, port, connections } = await target();
      const child = spawnSandbox({ file: PROGRAM, flags: [], args: [dir, port], limit });
      onTestFinished(() => void child.kill('SIGKILL'));
      let said = '';
      child.stderr?.on('data', (text) => {
        said += text;
      });
      expect((await once(child, 'message'))[0], said).toEqual({ kind: 'closed-off' });
      await denyDescriptors(child.pid, limit);
      child.send('go');
      const [found] = await once(child, 'message');
      await once(child, 'close');
      expect(found.got).toEqual([]);
      expect(found.tried).toBeGreaterThan(25);
      if (limit === 'none') return;
      expect(found.gotOnLinux).toEqual([]);
      expect(connections()).toBe(0);
      // If the shell set the limit, V8 can still write a file while the process ends.
      if (limit === 'prlimit') expect(readdirSync(dir)).toEqual(['secret']);
    },
  );

  it.each(LIMITS)(
    "gives no access to code in one of its threads that has Node's modules, limit by %s (I-16, S-06)",
    async (limit) => {
      const { dir, port, connections } = await target();
      const file = join(import.meta.dirname, 'threads-beyond-the-realm.ts');
      const child = spawnSandbox({ file, flags: [], limit });
      onTestFinished(() => void child.kill('SIGKILL'));
      const messages: Record<string, unknown>[] = [];
      child.on('message', (message: Record<string, unknown>) => messages.push(message));
      child.send({ threads: 2, threadProgram: PROGRAM, callMsMax: 60_000, args: [dir, port] });
      await expect.poll(() => messages[0], { timeout: 20_000 }).toEqual({ kind: 'closed-off' });
      await denyDescriptors(child.pid, limit);
      child.send({ kind: 'go' });
      const tried = () => messages.filter(({ kind }) => kind === 'tried');
      await expect.poll(() => tried().length, { timeout: 30_000 }).toBe(2);
      child.send({ kind: 'end' });
      await once(child, 'close');
      const found = tried();
      expect(found.map(({ thread }) => thread).toSorted()).toEqual([0, 1]);
      expect(found.map(({ got }) => got)).toEqual([[], []]);
      if (limit === 'none') return;
      expect(found.map(({ gotOnLinux }) => gotOnLinux)).toEqual([[], []]);
      expect(connections()).toBe(0);
      if (limit === 'prlimit') expect(readdirSync(dir)).toEqual(['secret']);
    },
    60_000,
  );

  it('passes on what a thread sent right before it ended, and accepts no message in the name of another', async () => {
    const file = join(import.meta.dirname, 'threads-beyond-the-realm.ts');
    const child = spawnSandbox({ file, flags: [], limit: 'none' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const messages: unknown[] = [];
    child.on('message', (message) => messages.push(message));
    const threadProgram = join(import.meta.dirname, 'ends-at-once.ts');
    child.send({ threads: 1, threadProgram, callMsMax: 60_000 });
    await expect.poll(() => messages.length, { timeout: 20_000 }).toBe(1);
    child.send({ kind: 'go' });
    await expect.poll(() => messages.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    child.send({ kind: 'end' });
    await once(child, 'close');
    expect(messages).toEqual([
      { kind: 'closed-off' },
      { kind: 'trial', thread: 0, trial: 1 },
      { kind: 'trial', thread: 0, trial: 2 },
      { kind: 'thread-ended', thread: 0, end: { kind: 'ended', code: 3 } },
    ]);
  });

  it('ends when the process that started it is gone', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'sluice-orphan-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const file = join(import.meta.dirname, 'parent-of-a-loop.ts');
    const parent = spawnSandbox({ file, flags: ['--allow-child-process'], limit: 'none' });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [{ pid }] = await once(parent, 'message');
    parent.kill('SIGKILL');
    await once(parent, 'close');
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
