import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const bin = join(root, 'node_modules/.bin');
const fresh = mkdtempSync(join(tmpdir(), 'sluice-gen-'));

afterAll(() => rmSync(fresh, { recursive: true, force: true }));

const filesUnder = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted();

describe('generated messages', () => {
  it('equal what the .proto files generate today', { timeout: 60_000 }, () => {
    const path = `${bin}${delimiter}${process.env['PATH'] ?? ''}`;
    execFileSync(join(bin, 'buf'), ['generate', '--output', fresh], {
      cwd: root,
      env: { ...process.env, PATH: path, BUF_CACHE_DIR: fresh },
      stdio: 'pipe',
    });
    const committed = join(root, 'src/wire/gen');
    const made = join(fresh, 'src/wire/gen');
    expect(filesUnder(made)).toEqual(filesUnder(committed));
    for (const name of filesUnder(committed)) {
      expect(readFileSync(join(committed, name), 'utf8'), `run "npx buf generate" for ${name}`).toBe(
        readFileSync(join(made, name), 'utf8'),
      );
    }
  });
});
