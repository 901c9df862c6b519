import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkPackage } from '../fixtures/link-package.ts';
import { sluice } from './run-sluice.ts';

const ROOT = join(import.meta.dirname, '../..');

const LOAD_ERRORS: Readonly<Record<string, readonly [source: string, message: RegExp]>> = {
  'misspelt-import': [
    "import { smaa } from '@sluice-trading/sluice';\nexport default smaa;\n",
    /no.* named 'smaa', did you mean "sma"\? \(at \S*misspelt-import\.ts:1:10\)/,
  ],
  'misspelt-package': [
    "import { sma } from 'sluise';\nexport default sma;\n",
    /'sluise'.*, did you mean "@sluice-trading\/sluice"\?/,
  ],
  'old-package': [
    "import { sma } from 'sluice';\nexport default sma;\n",
    /Cannot import "sluice": the package is now named "@sluice-trading\/sluice", write "@sluice-trading\/sluice"/,
  ],
  'old-entry-point': [
    "import { given } from 'sluice/testing';\nexport default given;\n",
    /Cannot import "sluice\/testing".*write "@sluice-trading\/sluice\/testing"/,
  ],
  'missing-package': [
    "import pad from 'left-pad-x';\nexport default pad;\n",
    /: install it with "npm install left-pad-x", or correct the import/,
  ],
  'has-enum': [
    'enum Side { Buy }\nexport default Side;\n',
    /enum is not supported.*write an object or a union of strings instead \(at \S*has-enum\.ts:1:1\)/,
  ],
  'wrong-syntax': ['const x = 1;\nexport default {{ x };\n', /\(at \S*wrong-syntax\.ts:2:\d+\)/],
};

const HOOK_ERRORS: Readonly<Record<string, readonly [hook: string, message: RegExp]>> = {
  throws: [
    'onBar: () => { throw new Error("planted"); }',
    /^Strategy "throws" threw in onBar: planted \(at \S*throws\.ts:\d+:\d+\) on SPX\.US at \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m,
  ],
  'throws-escapes': [
    'onBar: () => { throw new Error("\\u001b[31mred\\u0007"); }',
    /^Strategy "throws-escapes" threw in onBar: \\u001b\[31mred\\u0007 \(at /m,
  ],
  'retired-type': [
    "onBar: ({ symbol }, { orders }) => orders.buy(symbol, 1, { type: 'TSMPCT' })",
    /^Strategy "retired-type" returned terms\.type: TSMPCT was removed on 2024-04-29, TSLPPCT trails with a limit \(in onBar on SPX\.US at /m,
  ],
  'is-async': [
    'onBar: async () => []',
    /^Strategy "is-async" returned a Promise \(hooks are plain functions: remove "async"\).* \(in onBar on SPX\.US at .* UTC\)$/m,
  ],
  'forgets-return': [
    'onBar: ({ symbol }, { orders }) => { orders.targetWeight(symbol, 0.1); }',
    /No order was sent: in [\d,]+ bars and 0 signals the strategy returned none.*Is\s+a\s+"return"\s+missing\?/s,
  ],
};

let project = '';

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-strategy-errors-'));
  for (const folder of ['strategies', 'node_modules', 'backtest-data']) mkdirSync(join(project, folder));
  linkPackage(ROOT, project);
  symlinkSync(join(ROOT, 'backtest-data/SPX.US'), join(project, 'backtest-data/SPX.US'));
  const put = (name: string, source: string): void => {
    writeFileSync(join(project, 'strategies', `${name}.ts`), source);
    writeFileSync(
      join(project, `${name}.yaml`),
      `strategy: ${name}
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2019-01-02, to: 2019-03-01, dir: ${join(ROOT, 'backtest-data')} }
`,
    );
  };
  for (const [name, [source]] of Object.entries(LOAD_ERRORS)) put(name, source);
  for (const [name, [hook]] of Object.entries(HOOK_ERRORS))
    put(
      name,
      `import { defineStrategy } from '@sluice-trading/sluice';\nexport default defineStrategy({ name: '${name}', params: {}, ${hook} });\n`,
    );
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('a strategy that cannot be loaded', () => {
  it.each(Object.entries(LOAD_ERRORS))(
    'names the position in its own file and what to write instead: %s',
    async (name, [, message]) => {
      const { code, out } = await sluice(['check', `${name}.yaml`], { cwd: project });
      expect(out).toMatch(message);
      expect(code).toBe(3);
    },
  );
});

describe('a strategy with a wrong hook', () => {
  it.each(Object.entries(HOOK_ERRORS))(
    'names the hook, bar and symbol of the failure: %s',
    async (name, [, message]) => {
      const { out, err } = await sluice(['backtest', `${name}.yaml`], { cwd: project });
      expect(out + err).toMatch(message);
    },
  );
});
