import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const STEPS = [
  'npm ci && npm test',
  'bots that are killed',
  'package',
  'types',
  'lint',
  'benchmarks in small',
];
const REPORT = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };

/** What npm's commands do here, by their words; all else ends well at once. */
type Stubs = Readonly<Record<string, string>>;

interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
}

/** Runs the script in a folder that has only it, with an npm that does what it is told; `limitS` in place of fifteen minutes. */
async function run(stubs: Stubs, limitS = 900, until?: { readonly says: RegExp }): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ci-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const each of ['.ci', 'bin', 'node_modules/.bin']) mkdirSync(join(folder, each), { recursive: true });
  cpSync(join(ROOT, '.ci/closing-line.ts'), join(folder, '.ci/closing-line.ts'));
  const script = readFileSync(join(ROOT, '.ci/run'), 'utf8');
  expect(script).toContain('\nLIMIT_S=900\n');
  program(join(folder, '.ci/run'), script.replace('\nLIMIT_S=900\n', `\nLIMIT_S=${limitS}\n`));
  program(join(folder, 'node_modules/.bin/node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  const report = `printf '%s' '${JSON.stringify(REPORT)}' >"$SLUICE_TEST_REPORT"`;
  const cases = Object.entries({ test: report, ...stubs }).map(([words, what]) => `  '${words}') ${what} ;;`);
  const asked = `asked=$*; asked=\${asked#run --silent }; asked=\${asked%% *}`;
  program(join(folder, 'bin/npm'), `#!/bin/bash\n${asked}\ncase "$asked" in\n${cases.join('\n')}\nesac\n`);
  for (const name of ['strace', 'chromium', 'openssl', 'curl'])
    program(join(folder, 'bin', name), '#!/bin/sh\n');
  const { CI: _, ...clean } = process.env;
  const child = spawn(join(folder, '.ci/run'), {
    env: { ...clean, PATH: [join(folder, 'bin'), process.env['PATH'] ?? ''].join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text;
      if (until?.says.test(said)) child.kill('SIGTERM');
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, lines: said.trimEnd().split('\n') };
}

function program(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

describe('what CI runs', () => {
  it('tells every step in its order, and the numbers last', async () => {
    const { code, lines } = await run({ lint: 'echo "looked at everything"' });
    expect(lines.filter((line) => /^== .*: passed in/.test(line)).map((line) => line.slice(3))).toEqual(
      STEPS.map((step) => expect.stringContaining(`${step}: passed in`)),
    );
    expect(lines).toContain('looked at everything');
    expect([code, lines.at(-1)]).toEqual([0, '3 passed, 0 failed, 0 skipped']);
  });

  it('fails with the name of the step that failed, and goes on behind it', async () => {
    const { code, lines } = await run({ types: 'exit 2' });
    expect(lines.slice(-4)).toEqual(['Failed:', '  types', '', '3 passed, 0 failed, 0 skipped']);
    expect(lines.some((line) => line.startsWith('== benchmarks in small: passed'))).toBe(true);
    expect(code).toBe(1);
  });

  it('fails with the names of what does not come to its end in time', async () => {
    const { code, lines } = await run({ 'pack:check': 'sleep 60' }, 32);
    for (const step of ['package', 'types', 'lint'])
      expect(lines.some((line) => line.startsWith(`== ${step}: NOT FINISHED`))).toBe(true);
    for (const step of ['package', 'types', 'lint']) expect(lines).toContain(`  ${step}`);
    expect([code, lines.at(-1)]).toEqual([1, '3 passed, 0 failed, 0 skipped']);
  });

  it('fails where the tests themselves do not, and says their numbers all the same', async () => {
    const { code, lines } = await run({ test: 'sleep 60' }, 22);
    expect(lines).toContain('The tests did not come to their end');
    expect(lines).toContain('  npm ci && npm test');
    expect([code, lines.at(-1)]).toEqual([1, '0 passed, 0 failed, 0 skipped']);
  });

  it('ends at once when it is told to, with the numbers last', async () => {
    const { code, lines } = await run({ test: 'echo testing; sleep 60' }, 900, { says: /testing/ });
    expect([code, lines.at(-1)]).toEqual([1, '0 passed, 0 failed, 0 skipped']);
  });

  it('runs nothing else where nothing could be installed', async () => {
    const { code, lines } = await run({ ci: 'exit 1' });
    expect(lines.some((line) => line.startsWith('== types'))).toBe(false);
    expect([code, lines.at(-1)]).toEqual([1, '0 passed, 0 failed, 0 skipped']);
  });
});
