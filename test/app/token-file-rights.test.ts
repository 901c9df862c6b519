import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { tokenFile } from '#src/app/credentials/token-file.ts';

const CREDENTIALS = { appKey: 'ak', appSecret: 'as', accessToken: 'at' };
const project = mkdtempSync(join(tmpdir(), 'sluice-token-'));

afterEach(() => rmSync(project, { recursive: true, force: true }));

it('a file of secrets that its group or all users can read is refused (F-F04, S-12)', async () => {
  const file = tokenFile(project, new URL('https://broker.example'), CREDENTIALS);
  await file.withLock(async () => file.write({ accessToken: 'newer', expiresAt: '' }));
  expect(file.read()?.accessToken).toBe('newer');
  for (const mode of [0o644, 0o640, 0o604]) {
    chmodSync(file.path, mode);
    expect(() => file.read()).toThrow(/others can read its file \(mode 6[04][04]\), want 600/);
  }
  chmodSync(file.path, 0o600);
  expect(file.read()?.accessToken).toBe('newer');
});
