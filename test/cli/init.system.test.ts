import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { chosenTemplate } from '#src/cli/init/ask-template.ts';
import { DEV_DEPENDENCIES } from '#src/cli/init/project-files.ts';
import { TEMPLATE_NAMES, TEMPLATES } from '#src/cli/init/templates.ts';
import { generatedSeries } from '#src/market-data/generate-templates.ts';
import { PACKAGE } from '../fixtures/built-package.ts';
import { linkPackage } from '../fixtures/link-package.ts';
import { sluice } from './run-sluice.ts';

const ROOT = join(import.meta.dirname, '../..');
const place = mkdtempSync(join(tmpdir(), 'sluice-init-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** What `npm install` would install, as links to the repository's packages. */
function install(folder: string): void {
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  linkPackage(PACKAGE, folder);
  for (const name of ['@types/node', 'undici-types', 'typescript']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
}

const node = (args: readonly string[], cwd: string) => promisify(execFile)(process.execPath, args, { cwd });

describe.each(TEMPLATE_NAMES)('a project from the template "%s"', (template) => {
  const folder = join(place, template);
  const config = `config/${TEMPLATES[template].strategy}.yaml`;

  it('is created without a terminal, and checks without a warning', async () => {
    const made = await sluice(['init', template, '--template', template], { cwd: place });
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain(`npx sluice backtest ${config}`);
    const checked = await sluice(['check', config, '--json'], { cwd: folder });
    expect(JSON.parse(checked.out)).toEqual({ ok: [config], problems: [], warnings: [], strategies: [] });
    expect(readFileSync(join(folder, 'schema/bot.json'), 'utf8')).toContain(
      `"const": "${TEMPLATES[template].strategy}"`,
    );
  });

  it('type-checks, and its own tests pass', async () => {
    install(folder);
    await node([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'], folder);
    const { stdout } = await node(['--test', '--test-reporter', 'tap'], folder);
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(stdout).not.toMatch(/^# pass 0$/m);
  });

  it('backtests and trades on paper equally, without a warning', async () => {
    const path = join(folder, config);
    writeFileSync(
      path,
      readFileSync(path, 'utf8')
        .replace('from: 2015-01-02', 'from: 2019-06-03')
        .replace('from: 2023-03-01', 'from: 2024-09-03')
        .replace('from: 2025-09-02', 'from: 2025-09-24'),
    );
    const tested = await sluice(['backtest', config, '--json'], { cwd: folder });
    const paper = await sluice(['run', config, '--json'], { cwd: folder });
    expect(tested).toMatchObject({ code: 0, err: '' });
    expect(paper.code).toBe(0);
    expect(paper.err).not.toMatch(/warn|alarm/i);
    const [one, other] = [JSON.parse(tested.out), JSON.parse(paper.out)];
    expect(other.figures).toEqual(one.figures);
    expect(one.flow.denied).toBe(0);
    expect(one.flow.orders > 0).toBe(template !== 'empty');
  });
});

describe('sluice init', () => {
  it('refuses a folder that is not empty, by name, and writes nothing', async () => {
    const folder = join(place, 'taken');
    mkdirSync(folder);
    writeFileSync(join(folder, 'thesis.txt'), '');
    const { code, err } = await sluice(['init', 'taken'], { cwd: place });
    expect(code).toBe(2);
    expect(err).toBe(
      'Cannot make a project in "taken": the folder is not empty (thesis.txt), name a new one; nothing was written\n',
    );
    expect(existsSync(join(folder, 'package.json'))).toBe(false);
  });

  it('initialises a directory that contains only .git', async () => {
    mkdirSync(join(place, 'cloned/.git'), { recursive: true });
    const { code, out } = await sluice(['init', 'cloned', '--json', '--sluice', '1.2.3'], { cwd: place });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ template: 'momentum', folder: 'cloned', sluice: '1.2.3' });
    const manifest = JSON.parse(readFileSync(join(place, 'cloned/package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'cloned', dependencies: { '@sluice-trading/sluice': '1.2.3' } });
  });

  it('refuses an empty name, which may be an unset variable', async () => {
    const { code, err } = await sluice(['init', ''], { cwd: place });
    expect({ code, err }).toEqual({
      code: 2,
      err: 'Cannot make a project in "": name a folder, or "." for this one\n',
    });
  });

  it('refuses if a file has the name, and for an unknown template', async () => {
    writeFileSync(join(place, 'file'), '');
    expect((await sluice(['init', 'file'], { cwd: place })).err).toContain('there is a file of that name');
    expect((await sluice(['init', 'file/below'], { cwd: place })).err).toContain(
      'no folder can be made there',
    );
    const { code, err } = await sluice(['init', 'other', '--template', 'moment'], { cwd: place });
    expect(code).toBe(2);
    expect(err).toContain('momentum, mean-reversion, pairs, rebalance, hk-intraday, empty');
  });

  it('accepts numbers, names and an empty answer', () => {
    expect(['', '3', 'empty', '7', 'x'].map(chosenTemplate)).toEqual([
      ...['momentum', 'pairs', 'empty', undefined, undefined],
    ]);
  });

  it('requires the versions with which the repository itself was tested', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(devDependencies).toMatchObject(DEV_DEPENDENCIES);
  });

  it('ships generated prices that can be generated again, byte for byte', () => {
    const files = generatedSeries();
    expect(files.size).toBe(45);
    for (const [path, text] of files)
      expect(readFileSync(join(ROOT, 'backtest-data', path), 'utf8')).toBe(text);
  });
});
