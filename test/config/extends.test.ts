import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { problemText } from '../../src/config/config-error.ts';
import { type LoadedConfig, loadBotConfig } from '../../src/config/load-config.ts';
import { usualRoots } from '../../src/config/plugins/plugin-loader.ts';
import { decimal } from '../../src/model/decimal.ts';
import { LINES, lookups } from './reading.ts';

const project = mkdtempSync(join(tmpdir(), 'sluice-extends-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Writes files into the project and loads the first. */
async function load(files: Readonly<Record<string, string>>): Promise<LoadedConfig> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  const [first = ''] = Object.keys(files);
  return loadBotConfig(join(project, first), { roots: usualRoots(project), securities: lookups.securities });
}

const BASE = Object.values(LINES).join('\n');

async function textsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const loaded = await load(files);
  if (loaded.kind === 'ok') throw new Error('nothing was wrong');
  return loaded.problems.map((problem) => problemText(problem).replaceAll(`${project}/`, ''));
}

describe('extends', () => {
  it('merges maps key by key and replaces lists and values, the nearer file first', async () => {
    const loaded = await load({
      'c/bot.yaml':
        'extends: ../shared/base.yaml\nsymbols: [AAPL.US]\nparams: { fast: 5 }\naccount: { cash: { HKD: 7 } }',
      'shared/base.yaml': `extends: ./house.yaml\n${BASE}\nparams: { fast: 7, slow: 50 }`,
      'shared/house.yaml': 'risk: { maxOpenOrders: 3 }\naccount: { fx: { USDHKD: 7.8 } }\nperiod: 1m',
    });
    if (loaded.kind !== 'ok') throw new Error(loaded.problems.map(problemText).join('\n'));
    const { config } = loaded;
    expect(config.symbols).toEqual(['AAPL.US']);
    expect(config.params).toMatchObject({ fast: 5, slow: 50 });
    expect(config.account.cash).toEqual({ USD: decimal('100000'), HKD: decimal('7') });
    expect([config.period, config.risk.maxOpenOrders]).toEqual(['1d', 3]);
    expect(loaded.text).toContain('maxOpenOrders: 3');
  });

  it('inherits no parameters of another strategy', async () => {
    const loaded = await load({
      'other.yaml': 'extends: ./with-params.yaml\nstrategy: buy-and-hold\n',
      'with-params.yaml': `${BASE}\nparams: { fast: 7 }`,
    });
    expect(loaded.kind === 'ok' ? loaded.config.params : loaded.problems).toEqual({ weight: 0.9 });
  });

  it('reports a mistake with the file that contains it', async () => {
    const files = {
      'near.yaml': 'extends: ./far.yaml\nperiod: 1x',
      'far.yaml': `${BASE}\nrisk: { maxOpenOrder: 3 }`,
    };
    expect(await textsOf(files)).toEqual([
      expect.stringMatching(/maxOpenOrders"\?\n {2}at far\.yaml:6:9 \(risk\.maxOpenOrder\)$/),
      expect.stringMatching(/"period" is "1x".*\n {2}at near\.yaml:2:9 \(period\)$/),
    ]);
  });

  it('names the cycle of files that extend each other', async () => {
    const files = {
      'a.yaml': 'extends: ./b.yaml',
      'b.yaml': 'extends: ./c.yaml',
      'c.yaml': 'extends: ./b.yaml',
    };
    expect(await textsOf(files)).toEqual([
      'Cannot extend "./b.yaml": the files extend each other in a circle (b.yaml -> c.yaml -> b.yaml), want an end to it\n  at c.yaml:1:10 (extends)',
    ]);
  });

  it('names a file that is missing, outside the project, or beyond the maximum number', async () => {
    expect(await textsOf({ 'x.yaml': 'extends: ./none.yaml' })).toEqual([
      expect.stringContaining('Cannot extend "./none.yaml": there is no such file'),
    ]);
    expect(await textsOf({ 'x.yaml': 'extends: ../../etc/passwd' })).toEqual([
      expect.stringContaining('is outside the project'),
    ]);
    const long = Array.from({ length: 9 }, (_, index) => [`${index}.yaml`, `extends: ./${index + 1}.yaml`]);
    expect(await textsOf(Object.fromEntries([...long, ['9.yaml', BASE]]))).toEqual([
      expect.stringContaining('the chain has more than 8 files'),
    ]);
  });
});

describe('extends through a link', () => {
  it('stays in the project: a link out of it is refused and nothing behind it is shown (S-15)', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'sluice-elsewhere-'));
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
    writeFileSync(join(outside, 'secret.yaml'), 'hunter2: true\n');
    symlinkSync(outside, join(project, 'folder'));
    symlinkSync(join(outside, 'secret.yaml'), join(project, 'linked.yaml'));
    for (const named of ['./linked.yaml', './folder/secret.yaml', './folder/none.yaml']) {
      const texts = await textsOf({ 'y.yaml': `extends: ${named}` });
      expect(texts).toEqual([expect.stringContaining('a link on its way leads out of the project')]);
      expect(texts.join()).not.toContain('hunter2');
    }
  });

  it('may lead to the project itself', async () => {
    writeFileSync(join(project, 'real.yaml'), BASE);
    symlinkSync(join(project, 'real.yaml'), join(project, 'alias.yaml'));
    expect(await load({ 'z.yaml': 'extends: ./alias.yaml' })).toMatchObject({ kind: 'ok' });
  });
});

describe('a variable in a YAML', () => {
  it('is refused with a hint where secrets come from', async () => {
    const text = `Cannot read risk limits: "maxOrderNotional" is "$\{LIMIT}", want the value itself`;
    const [problem] = await textsOf({ 'env.yaml': `${BASE}\nrisk: { maxOrderNotional: "\${LIMIT}" }` });
    expect(problem).toContain(text);
    expect(problem).toContain('come from the environment or .env');
  });
});
