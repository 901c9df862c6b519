import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectSchema } from '#src/app/load/project-schema.ts';
import { strategyNames } from '#src/config/plugins/plugin-files.ts';
import { loadStrategy, usualRoots } from '#src/config/plugins/plugin-loader.ts';
import { sluice } from '../../cli/run-sluice.ts';
import { PACKAGE } from '../../fixtures/built-package.ts';
import { linkPackage } from '../../fixtures/link-package.ts';

let project = '';
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-plugin-'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
};

const DIPS = `import { defineStrategy, param } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'dips',
  params: { depth: param.ratio({ default: 0.02, doc: 'How deep a dip is bought' }) },
  onBar: ({ symbol, bar }, { params, orders, position }) =>
    bar.close < bar.open * (1 - params.depth) && position(symbol).quantity === 0
      ? orders.targetWeight(symbol, 0.1)
      : undefined,
});
`;

/** A package as npm would have installed it. */
function install(name = 'sluice-plugin-dips', said: unknown = { api: 1 }, files = { 'dips.js': DIPS }): void {
  const manifest = { name, version: '1.0.0', type: 'module', sluice: said };
  write(`node_modules/${name}/package.json`, JSON.stringify(manifest));
  for (const [file, text] of Object.entries(files)) write(`node_modules/${name}/strategies/${file}`, text);
}

const load = (name: string) => loadStrategy(name, usualRoots(project));
const messageOf = async (name: string): Promise<string> => {
  const loaded = await load(name);
  return loaded.kind === 'ok' ? 'ok' : loaded.message;
};

const YAML = `strategy: sluice-plugin-dips/dips
symbols: [SPX.US]
period: 1d
params: { depth: 1% }
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2008-01-02, to: 2008-12-31 }
`;

describe('a plugin package', () => {
  it('provides its strategies by package and name, to lists and schemas too', async () => {
    install();
    install('@us/sluice-plugin-dips');
    expect(await load('sluice-plugin-dips/dips')).toMatchObject({ kind: 'ok', strategy: { name: 'dips' } });
    expect(await messageOf('@us/sluice-plugin-dips/dips')).toBe('ok');
    expect(strategyNames(usualRoots(project)).slice(-2)).toEqual([
      '@us/sluice-plugin-dips/dips',
      'sluice-plugin-dips/dips',
    ]);
    const { text } = await projectSchema(project);
    expect(text).toContain('"const": "sluice-plugin-dips/dips"');
    expect(text).toContain('How deep a dip is bought: a share from 0 to 1');
  });

  it('is checked, backtested and traded on paper like one of the project', async () => {
    install();
    linkPackage(PACKAGE, project);
    write('dips.yaml', YAML);
    const checked = await sluice(['check', 'dips.yaml'], { cwd: project });
    expect(checked).toMatchObject({ code: 0, out: 'dips.yaml: ok\n' });
    const tested = JSON.parse((await sluice(['backtest', 'dips.yaml', '--json'], { cwd: project })).out);
    const paper = JSON.parse((await sluice(['run', 'dips.yaml', '--json'], { cwd: project })).out);
    expect(tested.flow.fills).toBeGreaterThan(0);
    expect(paper.figures).toEqual(tested.figures);
  });

  it.each([
    [{ api: 2 }, 'is made for plugin API 2, this Sluice has 1: update @sluice-trading/sluice'],
    [{ api: 0 }, 'is made for plugin API 0, this Sluice has 1: update the package'],
    [{}, 'is made for no plugin API that it names, this Sluice has 1: update the package'],
    [null, 'has no plugin manifest, want "sluice": { "api": 1 } in its package.json'],
    [{ api: 1, strategies: '../../strategies' }, 'has no folder inside the package for strategies'],
  ])('with the declaration %o is refused', async (said, words) => {
    install('sluice-plugin-dips', said);
    expect(await messageOf('sluice-plugin-dips/dips')).toContain(words);
  });

  it('that is not installed, or has no such strategy, is named with what to do', async () => {
    expect(await messageOf('sluice-plugin-dips/dips')).toBe(
      'Package "sluice-plugin-dips" is not installed, run "npm install sluice-plugin-dips"',
    );
    install();
    expect(await messageOf('sluice-plugin-dips/dip')).toBe(
      'Package "sluice-plugin-dips" has no strategy "dip", did you mean "sluice-plugin-dips/dips"?',
    );
    expect(await messageOf('sluice-plugin-dips/../../x')).toContain('is not a known strategy');
  });

  it('that ships TypeScript is refused with the advice to ship JavaScript', async () => {
    install('sluice-plugin-dips', { api: 1 }, { 'dips.js': DIPS, 'typed.ts': DIPS } as never);
    expect(await messageOf('sluice-plugin-dips/typed')).toContain('it has to ship JavaScript');
  });
});

describe('a strategy in plain JavaScript', () => {
  it('works in a project as one in TypeScript does', async () => {
    write('strategies/dips.js', DIPS);
    write('package.json', '{ "type": "module" }');
    expect(await load('dips')).toMatchObject({ kind: 'ok' });
  });
});
