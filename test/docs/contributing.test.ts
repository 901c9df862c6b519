import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './snippets.ts';

const TEXT = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');

/** Paths of the repository in backticks. `dist` is built; `npx`, `npm` and globs are no paths. */
const paths = (text: string): readonly string[] =>
  [
    ...text.matchAll(/`((?:src|test|docs|strategies|config|templates|bench|schema|\.ci)(?:\/[\w./-]+)?)`/g),
  ].map(([, path = '']) => path);

describe('CONTRIBUTING.md', () => {
  it('names files and folders that exist', () => {
    expect(paths(TEXT).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(paths(TEXT).length).toBeGreaterThan(80);
  });

  it('lists for each kind of extension which files to touch, in numbered steps', () => {
    const kinds = [
      'an order type',
      'an indicator',
      'an execution algorithm',
      'a risk rule',
      'a market',
      'a broker',
      'a command',
    ];
    for (const kind of kinds) {
      const section = TEXT.split(`## How to add ${kind}\n`)[1]?.split('\n## ')[0] ?? '';
      const steps = [...section.matchAll(/^\| (\d+)\. /gm)].map(([, number]) => Number(number));
      expect(steps, kind).toEqual(steps.map((_, index) => index + 1));
      expect(steps.length, kind).toBeGreaterThanOrEqual(6);
      expect(paths(section).length, kind).toBeGreaterThanOrEqual(5);
    }
  });

  it('names scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const named = [...TEXT.matchAll(/`npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
