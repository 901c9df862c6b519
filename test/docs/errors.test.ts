import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Every stable code of errors and problems, with the file that declares it. */
function declaredCodes(): readonly { readonly code: string; readonly file: string }[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return files.flatMap((file) => {
    const text = readFileSync(join(root, 'src', file), 'utf8');
    const unions = text.matchAll(/(?:type \w*(?:Error|Problem)Code =|readonly code(?:: | = ))([^;]*);/g);
    const isError = /extends Error\b|(?:Error|Problem)Code =/.test(text);
    if (!isError) return [];
    return [...unions].flatMap(([, body = '']) =>
      [...body.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/'([a-z-]+)'/g)].map(([, code = '']) => ({
        code,
        file,
      })),
    );
  });
}

describe('the page of errors', () => {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  const codes = declaredCodes();

  it('finds the codes in the source', () => {
    expect(codes.length).toBeGreaterThan(60);
    expect(codes.map(({ code }) => code)).toContain('journal-damaged');
  });

  it('names every code, its cause and its fix', () => {
    expect(codes.filter(({ code }) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  it('names only options that a command has', () => {
    const reference = readFileSync(join(root, 'docs/cli.md'), 'utf8');
    const options = [...page.matchAll(/`(--[a-z-]+)/g)].map(([, option = '']) => option);
    expect(options.filter((option) => !reference.includes(option))).toEqual([]);
  });

  it('names no code that no error has', () => {
    const known = new Set(codes.map(({ code }) => code));
    const named = [...page.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([a-z-]+)`/g)].map(([, code = '']) => code),
    );
    const ours = ['deadline', 'unreachable', 'redirected'];
    expect(named.filter((code) => !known.has(code) && !ours.includes(code))).toEqual([]);
  });
});
