import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { createProgram } from '#src/cli/program.ts';
import { problemText } from '#src/config/config-error.ts';
import { loadBotConfig } from '#src/config/load-config.ts';
import { usualRoots } from '#src/config/plugins/plugin-loader.ts';
import { lookups } from '../config/reading.ts';
import { linkPackage } from '../fixtures/link-package.ts';
import { commandsOf, PAGES, pageText, ROOT, type ShellCommand, snippets, snippetsIn } from './snippets.ts';

const place = mkdtempSync(join(tmpdir(), 'sluice-docs-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const ALL = snippets();
const of = (language: string) => ALL.filter((snippet) => snippet.language === language);
const where = ({ page, line }: { readonly page: string; readonly line: number }): string => `${page}:${line}`;

const PROGRAM: Command = await createProgram({
  terminal: {
    out: () => {},
    err: () => {},
    view: { isTTY: false, colour: false, write: () => {} },
    colour: false,
  },
  project: ROOT,
  exit: () => {},
  over: () => {},
});

/** The fault of a command as written, such as an unknown command or option. */
function wrongIn(words: readonly string[]): string | undefined {
  let command = PROGRAM;
  let rest = [...words];
  for (let next = named(command, rest[0]); next !== undefined; next = named(command, rest[0])) {
    command = next;
    rest = rest.slice(1);
  }
  if (command === PROGRAM) return `no command "${rest[0]}"`;
  const unknown = rest.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0] ?? '');
  const flags = new Set(command.options.flatMap(({ long, short }) => [long, short]));
  return unknown.filter((flag) => !flags.has(flag)).map((flag) => `no flag ${flag} of ${command.name()}`)[0];
}

const named = (command: Command, name: string | undefined): Command | undefined =>
  command.commands.find((each) => each.name() === name);

/** The arguments of a Sluice command, without `npx` and `sluice`; undefined for any other program. */
function oursIn({ words }: ShellCommand): readonly string[] | undefined {
  const own = words[0] === 'npx' ? words.slice(1) : words;
  return own[0] === 'sluice' ? own.slice(1) : undefined;
}

const COMMANDS = of('sh').flatMap(commandsOf);

describe('shell snippets', () => {
  it('name existing commands and options', () => {
    const wrong = COMMANDS.flatMap((command) => {
      const ours = oursIn(command);
      const what = ours === undefined ? undefined : wrongIn(ours);
      return what === undefined ? [] : [`${where(command)}: ${what}`];
    });
    expect(wrong).toEqual([]);
    expect(COMMANDS.filter((command) => oursIn(command) !== undefined).length).toBeGreaterThan(20);
  });
});

describe('commands in the text', () => {
  it('name existing commands and options', () => {
    const spans = PAGES.flatMap((page) =>
      [...pageText(page).matchAll(/`((?:npx )?sluice [^`]+)`/g)].flatMap(([, text = '']) =>
        commandsOf({
          page,
          line: 0,
          language: 'sh',
          text: text.replaceAll(/\.\.\./g, ''),
          mark: '',
          reason: '',
        }),
      ),
    );
    const wrong = spans.flatMap((command) => {
      const ours = oursIn(command) ?? [];
      const what = /^[a-z]/.test(ours[0] ?? '') ? wrongIn(ours) : undefined;
      return what === undefined ? [] : [`${command.page}, "${command.words.join(' ')}": ${what}`];
    });
    expect(wrong).toEqual([]);
    expect(spans.length).toBeGreaterThan(50);
  });
});

/** Languages of blocks that are tested; `text` and `ini` are output and files of other programs. */
const TRIED: ReadonlySet<string> = new Set(['sh', 'ts', 'js', 'yaml', 'json', 'text', 'ini']);

describe('blocks', () => {
  it('are all in a language that is tested here', () => {
    expect(ALL.filter(({ language }) => !TRIED.has(language)).map(where)).toEqual([]);
  });

  it('of JSON are valid JSON', () => {
    const wrong = of('json').filter(({ text }) => {
      try {
        JSON.parse(text);
        return false;
      } catch {
        return true;
      }
    });
    expect(of('json').length).toBeGreaterThan(0);
    expect(wrong.map(where)).toEqual([]);
  });
});

const BASE = `strategy: sma-cross
symbols: [SPX.US]
period: 1d
account: { currency: USD, cash: { USD: 100000 } }
data: { from: 2000-03-01, to: 2020-04-17 }
`;

describe('YAML snippets', () => {
  it.each(of('yaml').map((snippet) => [where(snippet), snippet] as const))(
    'at %s are configs, complete or extending another',
    async (_, { text }) => {
      writeFileSync(join(place, 'base.yaml'), BASE);
      const whole = text.includes('strategy:') || !/^\w/m.test(text);
      writeFileSync(join(place, 'snippet.yaml'), whole ? `${text}\n` : `extends: ./base.yaml\n${text}\n`);
      if (!/^\w/m.test(text)) return;
      const loaded = await loadBotConfig(join(place, 'snippet.yaml'), {
        roots: usualRoots(place),
        securities: lookups.securities,
      });
      expect(loaded.kind === 'ok' ? [] : loaded.problems.map(problemText)).toEqual([]);
    },
  );
});

/** A complete program that contains a partial snippet. */
function programOf(text: string): string {
  if (/^import /m.test(text)) return text;
  const names = [
    ...new Set(text.match(/\b(?:crossover|sma|ema|rsi|bollinger|atr|macd|threshold|param)\b(?=[.(])/g)),
  ];
  return `import { ${['defineStrategy', 'param', ...names.filter((name) => name !== 'param')].join(', ')} } from '@sluice-trading/sluice';
export default defineStrategy({
  name: 'snippet',
  params: { fast: param.int({ min: 2, max: 9, default: 2, doc: '' }), slow: param.int({ min: 2, max: 9, default: 3, doc: '' }) },
  onBar: () => undefined,
  ${text}
});
`;
}

describe('TypeScript snippets', () => {
  it('type-check against what strategies import', async () => {
    const folder = join(place, 'types');
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    linkPackage(ROOT, folder);
    symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
    const written = of('ts').map((snippet, index) => {
      writeFileSync(join(folder, `s${index}.ts`), programOf(snippet.text));
      return snippet;
    });
    expect(written.length).toBeGreaterThanOrEqual(2);
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--lib', 'es2024,esnext.iterator'];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const args = [...options, '--module', 'nodenext', '--allowImportingTsExtensions', '--types', 'node'];
    const files = written.map((_, index) => `s${index}.ts`);
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, ...args, ...files], {
      cwd: folder,
    }).catch((error: { readonly stdout: string }) => error);
    expect(stdout).toBe('');
    const tests = files.filter((_, index) => written[index]?.text.includes("from 'node:test'"));
    expect(tests.length).toBeGreaterThan(0);
    await promisify(execFile)(process.execPath, ['--test', ...tests], { cwd: folder });
  });
});

describe('JavaScript snippets', () => {
  it('load, and each defines one plugin', async () => {
    const folder = join(place, 'plain');
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    linkPackage(ROOT, folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const names = of('js').map(({ text }, index) => {
      writeFileSync(join(folder, `s${index}.js`), text);
      return `s${index}.js`;
    });
    expect(names.length).toBeGreaterThan(0);
    const asked = names.map((name) => `(await import('./${name}')).default.name`).join(', ');
    writeFileSync(join(folder, 'all.js'), `console.log(JSON.stringify([${asked}]));`);
    const { stdout } = await promisify(execFile)(process.execPath, ['all.js'], { cwd: folder });
    const given = of('js').map(({ text }) => /name: '([\w-]+)'/.exec(text)?.[1]);
    expect(JSON.parse(stdout)).toEqual(given);
  });
});

describe('the reader of snippets', () => {
  it('finds languages, lines and marks, and splits commands like a shell', () => {
    const text = [
      'x',
      '<!-- snippet: shown, takes minutes -->',
      '```sh',
      "npx sluice why '#1' # a note",
      'a && b "c d" \\',
      '  e',
      '```',
    ].join('\n');
    const [snippet] = snippetsIn('p.md', text);
    if (snippet === undefined) throw new Error('no snippet');
    expect(snippet).toMatchObject({ mark: 'shown', reason: 'takes minutes' });
    expect(commandsOf(snippet)).toEqual([
      { page: 'p.md', line: 4, words: ['npx', 'sluice', 'why', '#1'] },
      { page: 'p.md', line: 5, words: ['a'] },
      { page: 'p.md', line: 6, words: ['b', 'c d', 'e'] },
    ]);
  });

  it('finds an unknown command, and an unknown option', () => {
    expect(wrongIn(['bakctest', 'x'])).toBe('no command "bakctest"');
    expect(wrongIn(['data', 'check', '--fix'])).toBe('no flag --fix of check');
    expect(wrongIn(['backtest', 'x', '--json'])).toBeUndefined();
  });
});
