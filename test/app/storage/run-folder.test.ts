import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRunFolder } from '#src/app/storage/run-folder.ts';

const now = Date.parse('2024-03-05T06:07:08.999Z');
let project = '';
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-run-'));
});
afterEach(() => rmSync(project, { recursive: true }));

describe('the folder of a run', () => {
  it('is named after its config and the time, and only its owner can read it', () => {
    const folder = makeRunFolder(project, 'config/sma-cross.yaml', now);
    expect(folder.shown).toBe(join('.sluice', 'runs', 'sma-cross-20240305-060708'));
    expect(folder.path).toBe(join(project, folder.shown));
    expect(statSync(folder.path).isDirectory()).toBe(true);
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
  });

  it('is never one that was used before', () => {
    const names = Array.from({ length: 4 }, () => makeRunFolder(project, 'a.b.yml', now).shown);
    const name = join('.sluice', 'runs', 'a.b-20240305-060708');
    expect(names).toEqual([name, `${name}-2`, `${name}-3`, `${name}-4`]);
  });

  it('cannot be created if a file has its name', () => {
    writeFileSync(join(project, '.sluice'), 'a file');
    expect(() => makeRunFolder(project, 'a.yaml', now)).toThrow(/EEXIST|ENOTDIR/);
  });
});
