import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAIMED, EXISTING, NUMBER } from './claims.ts';
import { lineAt, mask } from './masks.ts';
import { testNames } from './test-names.ts';
import { FILES, ROOT, sourceOf, textOf } from './tree.ts';

const NAMES = FILES.filter(
  (path) => /^test\/.*\.test\.tsx?$/.test(path) && !path.startsWith('test/tidy/'),
).flatMap((path) => testNames(sourceOf(path)));
const NAMED: ReadonlySet<string> = new Set(NAMES.flatMap(({ name }) => name.match(NUMBER) ?? []));
const DOCUMENT = join(ROOT, '../shared/reliability.md');

describe('claims', () => {
  it('each stand in the name of a test', () => {
    expect(CLAIMED.filter((number) => !NAMED.has(number))).toEqual([]);
  });

  it('hold every number that a test names', () => {
    expect([...NAMED].filter((number) => EXISTING.has(number) && !CLAIMED.includes(number))).toEqual([]);
  });

  it('are numbers that exist, once each, in order', () => {
    const ordered = [...EXISTING].filter((number) => CLAIMED.includes(number));
    expect(CLAIMED).toEqual(ordered);
  });
});

describe('numbers of promises, moves, faults and threats', () => {
  it('that code and documents name exist', () => {
    const texts = FILES.filter(
      (path) => /^(?:src|strategies|test|docs|bench)\//.test(path) && /\.(?:tsx?|md)$/.test(path),
    );
    const unknown = texts
      .filter((path) => !path.startsWith('test/tidy/'))
      .flatMap((path) => {
        const text = textOf(path);
        return [...text.matchAll(NUMBER)]
          .filter(([number]) => !EXISTING.has(number))
          .map(({ index, 0: number }) => `${path}:${lineAt(text, index)}: ${number}`);
      });
    expect(unknown).toEqual([]);
  });

  it.skipIf(!existsSync(DOCUMENT))('are those of the reliability document', () => {
    const written = new Set(readFileSync(DOCUMENT, 'utf8').match(NUMBER));
    expect([...written].toSorted()).toEqual([...EXISTING].toSorted());
  });
});

describe('the scanner of test names', () => {
  it('reads names of tests and groups, modified or not', () => {
    const source = [
      "describe('group S-01', () => {",
      "  it('is one', () => {});",
      "  it.each([['a (b)', 1]])('is %s I-2', () => {});",
      "  it.skipIf(!existsSync(path))('is three', () => {});",
      "  // it('is gone', () => {});",
      "  split('not a test');",
      '});',
    ].join('\n');
    const names = testNames({ path: 'x.test.ts', ...mask(source) });
    expect(names.map(({ line, name }) => `${line} ${name}`)).toEqual([
      '1 group S-01',
      '2 is one',
      '3 is %s I-2',
      '4 is three',
    ]);
  });
});
