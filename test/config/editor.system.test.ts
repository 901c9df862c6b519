import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeProjectSchema } from '#src/app/load/project-schema.ts';
import { writeProject } from '#src/cli/init/write-project.ts';
import { linkPackage } from '../fixtures/link-package.ts';
import { EditorClient } from './editor-client.ts';

const place = mkdtempSync(join(tmpdir(), 'sluice-editor-'));
const project = join(place, 'bot');
const editor = new EditorClient();
beforeAll(async () => {
  await writeProject({ folder: 'bot', template: 'pairs', sluice: '0.1.0' }, place);
  mkdirSync(join(project, 'rules'));
  mkdirSync(join(project, 'node_modules'));
  linkPackage(join(import.meta.dirname, '../..'), project);
  writeFileSync(join(project, 'rules/quiet-open.js'), RULE);
  await writeProjectSchema(project);
  await editor.open(project);
});
afterAll(async () => {
  await editor.close();
  rmSync(place, { recursive: true, force: true });
});

const RULE = `import { defineRiskRule, param } from '@sluice-trading/sluice';
export default defineRiskRule({
  name: 'quiet-open',
  params: { minutes: param.int({ min: 1, max: 60, default: 5, doc: 'Minutes after the open' }) },
  judge: () => undefined,
});
`;

const HEAD = '# yaml-language-server: $schema=../schema/bot.json\n';
const SOUND = `strategy: pairs
symbols: [ALPHA.US, BETA.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2023-03-01, to: 2024-12-31 }
`;
let files = 0;

/** Opens a text below the line that names the schema; lines of the text are counted from 1. */
async function open(text: string): Promise<{ path: string; problems: readonly string[] }> {
  files += 1;
  const path = join(project, `config/${files}.yaml`);
  const found = await editor.diagnose(path, HEAD + text);
  return { path, problems: found.map(({ message, range }) => `${range.start.line}: ${message}`) };
}

describe('an editor with the YAML language server', () => {
  it('finds nothing wrong with a valid config', async () => {
    expect((await open(SOUND)).problems).toEqual([]);
  });

  it('offers the keys, the limits and the parameters of the project itself', async () => {
    const { path } = await open(`${SOUND}risk:\n  \nparams:\n  \nexecution:\n  \n`);
    expect(await editor.completions(path, 7, 2)).toEqual(
      expect.arrayContaining(['maxOrderNotional', 'maxDailyLoss', 'allowShort']),
    );
    expect(await editor.completions(path, 9, 2)).toEqual(
      expect.arrayContaining(['length', 'entry', 'exit', 'weight']),
    );
    expect(await editor.completions(path, 11, 2)).toEqual(expect.arrayContaining(['orderType', 'offset']));
  });

  it('offers the values of a key', async () => {
    const { path } = await open(`${SOUND}charges: \n`);
    expect(await editor.completions(path, 6, 9)).toEqual(expect.arrayContaining(['standard', 'none']));
  });

  it('explains a key on hover, with default and bounds', async () => {
    const { path } = await open(`${SOUND}risk: { maxDailyLoss: 3% }\nparams:\n  entry: 2\n`);
    expect(await editor.hover(path, 6, 12)).toMatch(/default 2%/);
    expect(await editor.hover(path, 8, 4)).toMatch(/Buys when one lags.*a number from 0\.5 to 5/);
  });

  it('underlines an unknown key, a wrong unit and a parameter out of bounds', async () => {
    const { problems } = await open(
      `${SOUND}risk:\n  maxOrderNotion: 1 USD\n  maxDailyLoss: 3\nparams:\n  entry: 9\n`,
    );
    expect(problems.map((text) => Number(text.split(':')[0])).toSorted((a, b) => a - b)).toEqual([7, 8, 10]);
    expect(problems.join('\n')).toMatch(/maxOrderNotion/);
  });

  it('knows the plugins of the project: names, parameters, bounds, and underlines unknown ones', async () => {
    const { path, problems } = await open(
      `${SOUND}risk:\n  rules:\n    - use: \n    - use: quiet-open\n      params:\n        minutes: 90\n        mints: 4\nsimulation:\n  \n`,
    );
    expect(await editor.completions(path, 8, 11)).toContain('quiet-open');
    expect(await editor.hover(path, 11, 10)).toMatch(/Minutes after the open: a whole number from 1 to 60/);
    expect(problems.join('\n')).toMatch(/11: .*maximum/i);
    expect(problems.join('\n')).toMatch(/12: .*mints/);
    expect(await editor.completions(path, 14, 2)).toEqual(expect.arrayContaining(['fills', 'slippage']));
    const open2 = await open(
      `${SOUND}risk:\n  rules:\n    - use: quiet-open\n      params:\n        \nnotify:\n  - \n`,
    );
    expect(await editor.completions(open2.path, 10, 8)).toContain('minutes');
    expect(await editor.completions(open2.path, 12, 4)).toEqual(expect.arrayContaining(['use', 'secrets']));
  });

  it('lets a file that extends another leave out the inherited keys', async () => {
    expect((await open('extends: ./pairs.yaml\nperiod: 1d\n')).problems).toEqual([]);
    expect((await open('period: 1d\n')).problems).not.toEqual([]);
  });
});
