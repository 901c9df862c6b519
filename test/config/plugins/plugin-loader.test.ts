import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/config/plugins/package-root.ts';
import { strategyNames } from '../../../src/config/plugins/plugin-files.ts';
import { loadStrategy, usualRoots } from '../../../src/config/plugins/plugin-loader.ts';

const define = pathToFileURL(join(packageRoot(), 'src/strategy/define-strategy.ts')).href;
const source = (name: string): string =>
  `import { defineStrategy } from '${define}';\n` +
  `export default defineStrategy({ name: '${name}', params: {}, onBar: () => undefined });\n`;

let folder = '';
let project = '';
const put = (path: string, text: string): void => writeFileSync(join(folder, path), text);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-plugins-'));
  project = join(folder, 'project');
  mkdirSync(join(project, 'strategies'), { recursive: true });
  mkdirSync(join(project, 'my'));
  put('project/strategies/mine.ts', source('mine'));
  put('project/strategies/plain.mjs', source('plain'));
  put('project/strategies/buy-and-hold.ts', source('buy-and-hold'));
  put(
    'project/strategies/throws.ts',
    'const level: number = 5;\nthrow new RangeError("bad level " + level);\n',
  );
  put('project/strategies/wrong-syntax.mjs', 'export default {{;\n');
  put('project/strategies/needs-more.mjs', "import './nothing-here.ts';\n");
  put('project/strategies/no-default.ts', 'export const strategy = 1;\n');
  put('project/strategies/plain-object.ts', "export default { name: 'plain-object' };\n");
  put('project/strategies/other-name.ts', source('mine'));
  put('project/strategies/notes.txt', 'not a strategy');
  put('project/my/own.ts', source('own'));
  put('outside.ts', source('outside'));
  symlinkSync(join(folder, 'outside.ts'), join(project, 'strategies', 'linked.ts'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = (name: string) => loadStrategy(name, usualRoots(project));

describe('loadStrategy', () => {
  it('loads a strategy from the project, in TypeScript or JavaScript', async () => {
    expect(await load('mine')).toMatchObject({ kind: 'ok', strategy: { name: 'mine' } });
    expect(await load('plain')).toMatchObject({ kind: 'ok', strategy: { name: 'plain' } });
  });

  it('prefers the project to shipped strategies, and falls back on those', async () => {
    const own = await load('buy-and-hold');
    expect(own.kind === 'ok' && own.file.startsWith(project)).toBe(true);
    const shipped = await load('sma-cross');
    expect(shipped.kind === 'ok' && shipped.file).toBe(join(packageRoot(), 'strategies/sma-cross.ts'));
  });

  it('accepts a path from the project folder', async () => {
    expect(await load('./my/own.ts')).toMatchObject({ kind: 'ok', strategy: { name: 'own' } });
  });

  it('names the nearest strategy and the available ones', async () => {
    expect(await load('sma-corss')).toMatchObject({
      kind: 'problem',
      code: 'not-found',
      nearest: 'sma-cross',
      message: '"sma-corss" is not a known strategy, did you mean "sma-cross"?',
    });
    const far = await load('wibble');
    expect(far.kind === 'problem' && far.message).toMatch(
      /want one of buy-and-hold, cross-momentum, .* \(\d+ in all\)$/,
    );
  });

  it.each(['', '.', '__proto__', 'a/b', 'strategies/mine', 'MINE', 'mine.ts', 'x'.repeat(65), 'mi\u0000ne'])(
    'finds no strategy by the name "%s"',
    async (name) => {
      expect(await load(name)).toMatchObject({ kind: 'problem', code: 'not-found' });
    },
  );

  it.each([
    ['./my/none.ts', 'not-found', /There is no file/],
    ['./my', 'not-found', /not a strategy file/],
    ['./strategies/notes.txt', 'not-found', /ends in .ts, .js or .mjs/],
    ['../outside.ts', 'outside-project', /outside the project/],
    ['./my/../../outside.ts', 'outside-project', /outside the project/],
    ['./strategies/linked.ts', 'outside-project', /outside the project/],
  ])('does not load the path %s', async (path, code, message) => {
    const loaded = await load(path);
    expect(loaded).toMatchObject({ kind: 'problem', code });
    expect(loaded.kind === 'problem' && loaded.message).toMatch(message);
  });

  it('does not follow a link out of the strategies folder (S-15)', async () => {
    expect(await load('linked')).toMatchObject({
      kind: 'problem',
      code: 'outside-project',
      message: expect.stringContaining('"linked" is a link out of the project'),
    });
  });

  it('reports the error of a file with its line', async () => {
    const loaded = await load('throws');
    expect(loaded).toMatchObject({ kind: 'problem', code: 'import-failed' });
    expect(loaded.kind === 'problem' && loaded.message).toMatch(
      /^"strategies\/throws.ts" failed while it was loaded: RangeError: bad level 5 at strategies\/throws.ts:2/,
    );
  });

  it('reports what is wrong with a file that is no program, or imports a missing one', async () => {
    expect(await load('wrong-syntax')).toMatchObject({ kind: 'problem', code: 'import-failed' });
    expect(await load('needs-more')).toMatchObject({ kind: 'problem', code: 'import-failed' });
  });

  it.each([
    ['no-default', 'no-default-export', /"strategies\/no-default.ts" has no default export/],
    ['plain-object', 'not-a-strategy', /did not come from defineStrategy/],
    [
      'other-name',
      'other-name',
      /defines the strategy "mine", want its name to be "other-name" like its file/,
    ],
  ])('refuses the file %s', async (name, code, message) => {
    const loaded = await load(name);
    expect(loaded).toMatchObject({ kind: 'problem', code });
    expect(loaded.kind === 'problem' && loaded.message).toMatch(message);
  });
});

describe('strategyNames', () => {
  it('lists shipped strategies and those of the project, each once', () => {
    const names = strategyNames(usualRoots(project));
    expect(names).toEqual([...new Set(names)].sort());
    expect(names).toEqual(
      expect.arrayContaining(['mine', 'plain', 'sma-cross', 'rsi-reversion', 'buy-and-hold']),
    );
    expect(names).not.toContain('notes');
  });

  it('lists shipped strategies if a project has no strategies folder', () => {
    expect(strategyNames(usualRoots(join(folder, 'nowhere')))).toContain('sma-cross');
  });
});
