import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sluice } from '../cli/run-sluice.ts';
import { PACKAGE } from '../fixtures/built-package.ts';
import { linkPackage } from '../fixtures/link-package.ts';
import { ROOT, snippetsIn } from './snippets.ts';

const blocks = snippetsIn('docs/plugins.md', readFileSync(join(ROOT, 'docs/plugins.md'), 'utf8'));
const project = mkdtempSync(join(tmpdir(), 'sluice-tides-'));
const posted: string[] = [];
const chat = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    posted.push(JSON.parse(body).text);
    response.end();
  });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text, { mode: 0o600 });
}

/** Installs the package of the page as npm would, with its config. */
beforeAll(async () => {
  mkdirSync(join(project, 'node_modules'));
  linkPackage(PACKAGE, project);
  const pack = 'node_modules/sluice-plugin-tides';
  for (const { language, text } of blocks) {
    if (language === 'json') write(`${pack}/package.json`, text);
    if (language === 'js') write(`${pack}/${/^\/\/ (\S+)/.exec(text)?.[1]}`, text);
    if (text.startsWith('strategy:')) write('tides.yaml', text);
  }
  await new Promise<void>((resolve) => chat.listen(0, '127.0.0.1', resolve));
  write('.env', `SLUICE_CHAT_HOOK=http://127.0.0.1:${(chat.address() as AddressInfo).port}/hook\n`);
});
afterAll(() => {
  chat.closeAllConnections();
  chat.close();
  rmSync(project, { recursive: true, force: true });
});

const run = (...args: readonly string[]) => sluice(args, { cwd: project });

describe('the package of docs/plugins.md', () => {
  it('has a file of each kind', () => {
    const kinds = blocks
      .filter(({ language }) => language === 'js')
      .map(({ text }) => /^\/\/ (\w+)/.exec(text)?.[1]);
    expect(kinds).toEqual(['strategies', 'rules', 'fills', 'notifiers', 'objectives']);
  });

  it('is checked, explained, known to editors, and decides equally in backtest and on paper', async () => {
    expect(await run('check', 'tides.yaml')).toMatchObject({ code: 0, out: 'tides.yaml: ok\n' });
    const explained = (await run('explain', 'tides.yaml', '--json')).out;
    for (const name of ['dips', 'few-a-day', 'thin-book', 'team-chat'])
      expect(explained).toContain(`sluice-plugin-tides/${name}`);
    expect((await run('schema')).out).toContain('sluice-plugin-tides/dips');
    const parity = JSON.parse((await run('parity', 'tides.yaml', '--json')).out);
    expect(parity).toMatchObject({ kind: 'equal' });
    expect(parity.counts.fills).toBeGreaterThan(0);
    expect(posted).toEqual([]);
  });

  it('ranks the trials of a sweep', async () => {
    const sweep = [
      'sweep',
      'tides.yaml',
      '--set',
      'depth=1%,2%',
      '--objective',
      'sluice-plugin-tides/calm-growth',
    ];
    const { code, out } = await run(...sweep, '--json');
    expect(code).toBe(0);
    const [best] = JSON.parse(out).best;
    expect(best.figures.maxDrawdown).toBeLessThan(0.2);
    expect(best.objective).toBeLessThan(best.figures.totalReturn);
  });

  it('reports the last day of a run', async () => {
    const ended = await run('run', 'tides.yaml', '--json');
    expect(ended.code).toBe(0);
    expect(posted.at(-1)).toMatch(/^2018-12-31: \d+(\.\d+)? USD, \d+ fills, \d+ denied$/);
  });
});
