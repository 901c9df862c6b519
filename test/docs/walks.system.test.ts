import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PACKAGE } from '../fixtures/built-package.ts';
import { commandsOf, ROOT, type Snippet, snippets } from './snippets.ts';
import { BEFOREHAND, PLACES } from './walk-places.ts';

const place = mkdtempSync(join(tmpdir(), 'sluice-walks-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const SHELL = snippets().filter(({ language }) => language === 'sh');
const RUN = SHELL.filter(({ mark }) => mark === '');
const PAGES = [...new Set(RUN.map(({ page }) => page))];
const where = ({ page, line }: Snippet): string => `${page}:${line}`;

/** The only allowed reasons not to run a block. */
const REASONS: ReadonlySet<string> = new Set([
  'needs a live account',
  'needs the registry',
  'needs files that do not ship',
  'needs a bot in trouble',
  'takes minutes',
  'runs until you stop it',
]);
/** Maximum number of blocks that are not run, so that "every command runs" stays true. */
const SHOWN_MAX = 10;

/** A script with each block at its line of the page, so that bash reports the line of the page. */
function scriptOf(page: string): string {
  const lines: string[] = [BEFOREHAND[page] ?? ''];
  for (const { line, text } of RUN.filter((snippet) => snippet.page === page)) {
    while (lines.length < line - 1) lines.push('');
    // With "set -e", bash continues after a failing first half of "a && b".
    lines.push(...text.replaceAll(' && ', ' ; ').split('\n'));
  }
  return `${lines.join('\n')}\n`;
}

interface Walked {
  readonly code: number | null;
  readonly said: string;
}

/** Runs a page in a folder and with a separate home folder, then ends its process group. */
function walk(page: string): Promise<Walked> {
  const home = join(place, page.replaceAll(/\W/g, '-'));
  const [folder, logs] = [join(home, 'here'), join(home, 'logs')];
  for (const each of [folder, logs, join(home, 'home')]) mkdirSync(each, { recursive: true });
  PLACES[page]?.(folder);
  writeFileSync(join(home, 'page.sh'), scriptOf(page));
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(?:SLUICE|LONGBRIDGE|LONGPORT|NODE|npm|VITEST)/i.test(name),
  );
  const walked = `source '${join(import.meta.dirname, 'walk.sh')}'; source '${join(home, 'page.sh')}'`;
  const child = spawn('bash', ['-c', walked], {
    cwd: folder,
    env: {
      ...Object.fromEntries(clean),
      HOME: join(home, 'home'),
      PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
      NODE: process.execPath,
      PACKAGE,
      LOGS: logs,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      said += text;
    });
  }
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      endGroup(child.pid);
      resolve({ code, said });
    });
  });
}

/** Ends processes that a failed walk left running. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // No process is left, as expected.
  }
}

describe('the shell blocks', () => {
  it.concurrent.each(PAGES)(
    'of %s run in sequence as written',
    async (page) => {
      expect(PLACES[page], 'its starting folder').toBeDefined();
      const { code, said } = await walk(page);
      expect(code === 0 ? 'ok' : said.slice(-4_000)).toBe('ok');
    },
    600_000,
  );

  it('run on every page that has some, except for a few with a reason', () => {
    expect(Object.keys(PLACES).toSorted()).toEqual(PAGES.toSorted());
    const marked = SHELL.filter(({ mark }) => mark !== '');
    expect(
      marked
        .filter(({ mark, reason }) => mark !== 'ci' && !(mark === 'shown' && REASONS.has(reason)))
        .map(where),
    ).toEqual([]);
    expect(marked.filter(({ mark }) => mark === 'shown').length).toBeLessThanOrEqual(SHOWN_MAX);
    expect(RUN.flatMap(commandsOf).length).toBeGreaterThan(30);
  });

  it('that CI runs itself are in its script', () => {
    const script = ['.ci/run', 'package.json']
      .map((path) => readFileSync(join(ROOT, path), 'utf8').replaceAll(' --silent', ''))
      .join('\n');
    const own = SHELL.filter(({ mark }) => mark === 'ci').flatMap(({ text }) => text.split('\n'));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((command) => !script.includes(command))).toEqual([]);
  });

  it('are not hidden in blocks of text', () => {
    const hidden = snippets().filter(
      ({ page, language, text }) =>
        language === 'text' && page !== 'docs/cli.md' && /^(?:npx sluice|sluice|npm|npx|export) /m.test(text),
    );
    expect(hidden.map(where)).toEqual([]);
  });
});
