import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TokenFile, tokenFile } from '#src/app/credentials/token-file.ts';

const CREDENTIALS = { appKey: 'k', appSecret: 's', accessToken: 'old' };
const ORIGIN = new URL('http://127.0.0.1:1');

let project: string;
let tokens: TokenFile;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-cut-off-'));
  tokens = tokenFile(project, ORIGIN, CREDENTIALS);
});
afterEach(() => rmSync(project, { recursive: true }));

/** Renews the token in a process that dies by `kill -9` at the given call (by count) of a `node:fs` function. */
function renewalKilledAt(call: string, times = 1): void {
  const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const [call, times] = [fs[process.argv[4]], Number(process.argv[5])];
    let calls = 0;
    fs[process.argv[4]] = (...args) => {
      calls += 1;
      if (calls === times) process.kill(process.pid, 'SIGKILL');
      return call(...args);
    };
    syncBuiltinESMExports();
    const { tokenFile } = await import(process.argv[1]);
    const tokens = tokenFile(process.argv[2], new URL(process.argv[3]), ${JSON.stringify(CREDENTIALS)});
    await tokens.withLock(async () => tokens.write({ accessToken: 'new', expiresAt: '' }));`;
  const module = new URL('../../src/app/credentials/token-file.ts', import.meta.url).href;
  const args = ['--input-type=module', '--eval', script, module, project, ORIGIN.href, call, String(times)];
  expect(spawnSync(process.execPath, args).signal).toBe('SIGKILL');
}

const hasBrand = () => existsSync(`${tokens.path}.renewing`);

describe('a renewal that is killed after the venue answered', () => {
  it.each([
    ['once the new token is written', 'fsyncSync', 1],
    ['once it is on disk', 'renameSync', 1],
    ['once it is in its place', 'fsyncSync', 2],
  ])('%s continues with the new token (F-P10, I-19)', async (_when, call, times) => {
    renewalKilledAt(call, times);
    expect(hasBrand()).toBe(true);
    expect(tokens.read()).toEqual({ accessToken: 'new', expiresAt: '' });
    expect(tokens.read()?.accessToken).toBe('new');
  });

  it('and whose new token was saved lets the next renewal begin (F-P10)', async () => {
    renewalKilledAt('renameSync');
    tokens.read();
    await tokens.withLock(async () => tokens.write({ accessToken: 'newer', expiresAt: '' }));
    expect(tokens.read()?.accessToken).toBe('newer');
    expect(hasBrand()).toBe(false);
  });

  it('before the new token was written makes the next start try the old one, and leaves its mark for the operator (F-P10)', async () => {
    renewalKilledAt('writeFileSync');
    expect(tokens.read()).toBeUndefined();
    await expect(tokens.withLock(async () => undefined)).rejects.toThrow('or was interrupted');
  });
});
