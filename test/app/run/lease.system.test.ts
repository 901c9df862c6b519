import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseError, takeLease } from '#src/app/run/lease.ts';
import { accountFolder, deploymentFor } from '#src/app/storage/account-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-lease-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function refusal(): string {
  try {
    takeLease(folder, 'the second').release();
  } catch (error) {
    if (error instanceof LeaseError) return error.message;
    throw error;
  }
  throw new Error('Took a lease that is already held');
}

/** A process that holds the lease until it is killed. */
async function elsewhere() {
  const script = fileURLToPath(new URL('hold-lease.ts', import.meta.url));
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(child.stdout, 'data');
  return { child, said: String(said).trim() };
}

describe('the lease of an account', () => {
  it('counts its holders (I-25)', () => {
    for (const epoch of [1, 2, 3]) {
      const lease = takeLease(folder, 'a test');
      expect(lease.epoch).toBe(epoch);
      lease.release();
    }
  });

  it('is refused to a second process with a message that names the first (F-P07, I-25)', async () => {
    const { child, said } = await elsewhere();
    expect(said).toBe('holds 1');
    expect(refusal()).toBe(
      'Cannot trade this account: process 7 (a.yaml) does so already, and two bots on one account would spend the same money\n  Stop that one first, or name another account under "broker.account"',
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('is free again once its holder was killed, with nothing to clean up (F-P01, I-25)', async () => {
    const { child } = await elsewhere();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lease = takeLease(folder, 'the next');
    expect(lease.epoch).toBe(2);
    lease.release();
  });

  it('reports what is wrong with an invalid file', () => {
    writeFileSync(join(folder, 'lease.db'), 'no database at all'.repeat(100));
    expect(() => takeLease(folder, 'a test')).toThrow(/Cannot make sure that no other process trades/);
  });

  it('is in files that only their owner can read (S-24)', () => {
    takeLease(folder, 'a test').release();
    const modes = ['lease.db', 'holder.txt'].map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
  });
});

describe('the folder of an account', () => {
  it('is the same at every start, and only its owner can read it (S-24)', () => {
    const origin = new URL('http://127.0.0.1:7070');
    const made = accountFolder(folder, origin, 'paper');
    expect(made.shown).toBe(join('.sluice', 'accounts', '127.0.0.1-7070-paper'));
    expect(accountFolder(folder, origin, 'paper').path).toBe(made.path);
    expect(statSync(made.path).mode & 0o777).toBe(0o700);
  });

  it('tags the orders of a venue and account always in the same way (F-K11)', () => {
    const origin = new URL('https://broker.example');
    expect(deploymentFor(origin, 'a')).toMatch(/^[A-Z2-7]{4}$/);
    expect(deploymentFor(origin, 'a')).toBe(deploymentFor(new URL('https://broker.example/'), 'a'));
    expect(deploymentFor(origin, 'a')).not.toBe(deploymentFor(origin, 'b'));
  });
});
