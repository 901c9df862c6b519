import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const STEPS = [
  'npm ci && npm test',
  'system packages',
  'NATS server',
  'npm run test:all',
  'types',
  'lint',
  'benchmarks in small',
];
const REPORT = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };

/** Shell commands that replace npm commands, by name; every other npm command succeeds at once. */
type Stubs = Readonly<Record<string, string>>;

interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
}

/** Runs the script in an otherwise empty folder with a stubbed npm; `limitS` overrides its time limit. */
async function run(stubs: Stubs, limitS = 1800, until?: { readonly prints: RegExp }): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ci-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const each of ['.ci', 'bin', 'node_modules/.bin']) mkdirSync(join(folder, each), { recursive: true });
  cpSync(join(ROOT, '.ci/closing-line.ts'), join(folder, '.ci/closing-line.ts'));
  const script = readFileSync(join(ROOT, '.ci/run'), 'utf8');
  expect(script).toContain('\nLIMIT_S=1800\n');
  program(join(folder, '.ci/run'), script.replace('\nLIMIT_S=1800\n', `\nLIMIT_S=${limitS}\n`));
  program(join(folder, 'node_modules/.bin/vitest'), '#!/bin/sh\n');
  program(join(folder, 'node_modules/.bin/node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
  const report = `printf '%s' '${JSON.stringify(REPORT)}' >"$SLUICE_TEST_REPORT"`;
  const cases = Object.entries({ test: report, 'test:all': report, ...stubs }).map(
    ([name, command]) => `  '${name}') ${command} ;;`,
  );
  const name = `name=$*; name=\${name#run --silent }; name=\${name%% *}`;
  program(join(folder, 'bin/npm'), `#!/bin/bash\n${name}\ncase "$name" in\n${cases.join('\n')}\nesac\n`);
  for (const name of ['strace', 'chromium', 'openssl', 'curl', 'nats-server'])
    program(join(folder, 'bin', name), '#!/bin/sh\n');
  const { CI: _, ...clean } = process.env;
  const child = spawn(join(folder, '.ci/run'), {
    env: { ...clean, PATH: [join(folder, 'bin'), process.env['PATH'] ?? ''].join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      printed += text;
      if (until?.prints.test(printed)) child.kill('SIGTERM');
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, lines: printed.trimEnd().split('\n') };
}

function program(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

describe('the CI script', () => {
  it('prints the result of each step, in order, and the number of tests last', async () => {
    const { code, lines } = await run({ lint: 'echo "linted"' });
    expect(lines.filter((line) => /^== .*: passed in/.test(line)).map((line) => line.slice(3))).toEqual(
      STEPS.map((step) => expect.stringContaining(`${step}: passed in`)),
    );
    expect(lines).toContain('linted');
    expect([code, lines.at(-1)]).toEqual([0, '6 passed, 0 failed, 0 skipped']);
  });

  it('names a step that failed and continues with the next', async () => {
    const { code, lines } = await run({ types: 'exit 2' });
    expect(lines.slice(-4)).toEqual(['Failed:', '  types', '', '6 passed, 0 failed, 0 skipped']);
    expect(lines.some((line) => line.startsWith('== benchmarks in small: passed'))).toBe(true);
    expect(code).toBe(1);
  });

  it('fails if "npm test" fails, even though all tests pass later', async () => {
    const { code, lines } = await run({ test: 'exit 1' });
    expect(lines).toContain('  npm ci && npm test');
    expect([code, lines.at(-1)]).toEqual([1, '3 passed, 0 failed, 0 skipped']);
  });

  it('ends a step that exceeds the time limit, and counts it as failed', async () => {
    const { code, lines } = await run({ types: 'sleep 60' }, 24);
    expect(lines.some((line) => line.startsWith('== types: NOT FINISHED'))).toBe(true);
    expect(lines).toContain('  types');
    expect([code, lines.at(-1)]).toEqual([1, '6 passed, 0 failed, 0 skipped']);
  });

  it('fails without a report of the system tests', async () => {
    const { code, lines } = await run({ 'test:all': 'exit 1' });
    expect(lines.slice(-5)).toEqual([
      'Failed:',
      '  npm run test:all',
      '  the reports of tests',
      '',
      '3 passed, 0 failed, 0 skipped',
    ]);
    expect(code).toBe(1);
  });

  it('ends at once on a signal, with the number of tests last', async () => {
    const { code, lines } = await run({ test: 'echo testing; sleep 60' }, 1800, { prints: /testing/ });
    expect([code, lines.at(-1)]).toEqual([1, '0 passed, 0 failed, 0 skipped']);
  });

  it('runs nothing else if the installation failed', async () => {
    const { code, lines } = await run({ ci: 'rm -r node_modules; exit 1' });
    expect(lines.some((line) => line.startsWith('== types'))).toBe(false);
    expect([code, lines.at(-1)]).toEqual([1, '0 passed, 0 failed, 0 skipped']);
  });
});
