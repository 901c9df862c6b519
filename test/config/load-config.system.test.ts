import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBotConfig } from '../../src/config/load-config.ts';
import { usualRoots } from '../../src/config/plugins/plugin-loader.ts';
import { BYTES_MAX } from '../../src/config/yaml/yaml-limits.ts';
import { LINES, lookups, problemsOf } from './reading.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function pipe(name: string): string {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
}

const load = (path: string) =>
  loadBotConfig(path, { roots: usualRoots(folder), securities: lookups.securities });

describe('loadBotConfig', () => {
  it('returns the config, its strategy, its file and its text', async () => {
    const text = Object.values(LINES).join('\n');
    const loaded = await load(file('right.yaml', text));
    expect(loaded).toMatchObject({
      kind: 'ok',
      text,
      config: { path: join(folder, 'right.yaml'), params: { fast: 10, slow: 30, weight: 0.5 } },
      strategy: { name: 'sma-cross' },
    });
  });

  it('reads the securities of the folder that the config names', async () => {
    const asked: string[] = [];
    const text = Object.values({
      ...LINES,
      data: 'data: { from: 2024-01-02, to: 2024-01-03, dir: my/data }',
    });
    await loadBotConfig(file('dir.yaml', text.join('\n')), {
      roots: usualRoots(folder),
      securities: (dir) => {
        asked.push(dir);
        return lookups.securities(dir);
      },
    });
    expect(asked).toEqual(['my/data']);
  });

  it('reports an unknown strategy together with the other mistakes', async () => {
    const text = Object.values({ ...LINES, strategy: 'strategy: sma-corss', period: 'period: 1x' });
    const loaded = await load(file('wrong.yaml', text.join('\n')));
    expect(loaded.kind === 'problems' && loaded.problems.map((problem) => problem.code)).toEqual([
      'unknown-strategy',
      'bad-value',
    ]);
  });

  it.each([
    ['a missing file', () => join(folder, 'none.yaml'), 'unreadable', /there is no such file/],
    ['a folder', () => folder, 'unreadable', /it is a folder/],
    ['a device that never ends', () => '/dev/zero', 'unreadable', /it is a pipe or a device/],
    ['a pipe without a writer', () => pipe('pipe.yaml'), 'unreadable', /it is a pipe or a device/],
    [
      'bytes that are no UTF-8',
      () => file('latin.yaml', Uint8Array.of(0x61, 0x3a, 0x20, 0xe9)),
      'bad-yaml',
      /UTF-8/,
    ],
    [
      'a file that is too large',
      () => file('large.yaml', '#'.repeat(BYTES_MAX + 1)),
      'too-large',
      /at most 262144/,
    ],
    ['an empty file', () => file('empty.yaml', ''), 'missing', /the file is empty/],
  ])('reports what is wrong with %s (S-04)', async (_what, path, code, message) => {
    const loaded = await load(path());
    const problems = loaded.kind === 'problems' ? problemsOf(loaded) : [];
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code, line: 1, column: 1 });
    expect(problems[0]?.message).toMatch(message);
  });

  it('reads a file with a byte order mark like one without', async () => {
    const said = async (name: string, text: string) => {
      const loaded = await load(file(name, text));
      const problems = loaded.kind === 'problems' ? problemsOf(loaded) : [];
      return problems.map(({ code, line, column, path }) => ({ code, line, column, path }));
    };
    const text = 'strategy: sma-cross\nperiod: 1x\n';
    const marked = await said('bom.yaml', `\uFEFF${text}`);
    expect(marked.length).toBeGreaterThan(1);
    expect(marked).toEqual(await said('plain.yaml', text));
  });
});
