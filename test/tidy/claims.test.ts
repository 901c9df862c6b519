import { describe, expect, it } from 'vitest';
import { CLAIMED, DEFINED, DEFINITIONS, EXISTING, NOT_COVERED, NUMBER } from './claims.ts';
import { lineAt, mask } from './masks.ts';
import { testNames } from './test-names.ts';
import { FILES, sourceOf, textOf } from './tree.ts';

const NAMES = FILES.filter(
  (path) => /^test\/.*\.test\.tsx?$/.test(path) && !path.startsWith('test/tidy/'),
).flatMap((path) => testNames(sourceOf(path)));
const NAMED: ReadonlySet<string> = new Set(NAMES.flatMap(({ name }) => name.match(NUMBER) ?? []));

/** Files that cite numbers and sources. */
const CITING = FILES.filter(
  (path) =>
    /^(?:src|strategies|test|docs|bench)\//.test(path) &&
    /\.(?:tsx?|md)$/.test(path) &&
    !path.startsWith('test/tidy/'),
);
/** Names of documents that users do not have. */
const ELSEWHERE =
  /@see (?:[^\n]*; )?(?:reference[:/]|source API|HTTP API|socket protocol|design\.md|performance\.md)|reference\/source-api\.md|\breference: (?:HTTP API|socket protocol|source API|reliability)/g;

describe('claims', () => {
  it('are each in the name of a test', () => {
    expect(CLAIMED.filter((number) => !NAMED.has(number))).toEqual([]);
  });

  it('include every number that a test names', () => {
    expect([...NAMED].filter((number) => EXISTING.has(number) && !CLAIMED.includes(number))).toEqual([]);
  });

  it('are existing numbers, once each, in order', () => {
    const ordered = [...EXISTING].filter((number) => CLAIMED.includes(number));
    expect(CLAIMED).toEqual(ordered);
  });
});

describe('numbers of promises, transitions, faults and threats', () => {
  it('are defined once each', () => {
    expect(DEFINED.length).toBeGreaterThan(200);
    expect(DEFINED.filter((number, index) => DEFINED.indexOf(number) !== index)).toEqual([]);
  });

  it('count up from 1 within their group', () => {
    const groups = Map.groupBy(DEFINED, (number) => number.replace(/\d+$/, ''));
    for (const numbers of groups.values())
      expect(numbers.map((number) => Number(/\d+$/.exec(number)?.[0]))).toEqual(
        numbers.map((_, index) => index + 1),
      );
  });

  it('are defined where code, tests and documents cite them', () => {
    const unknown = CITING.flatMap((path) => {
      const text = textOf(path);
      return [...text.matchAll(NUMBER)]
        .filter(([number]) => !EXISTING.has(number))
        .map(({ index, 0: number }) => `${path}:${lineAt(text, index)}: ${number}`);
    });
    expect(unknown).toEqual([]);
  });

  it('are covered by a test or listed as not covered', () => {
    const uncovered = [...EXISTING].filter((number) => !CLAIMED.includes(number));
    expect([...NOT_COVERED].sort()).toEqual(uncovered.sort());
  });
});

describe('sources that code, tests and documents cite', () => {
  it('are in the repository or public', () => {
    const elsewhere = CITING.flatMap((path) => {
      const text = textOf(path);
      return [...text.matchAll(ELSEWHERE)].map(
        ({ index, 0: found }) => `${path}:${lineAt(text, index)}: ${found}`,
      );
    });
    expect(elsewhere).toEqual([]);
  });

  it('have the headings that are cited', () => {
    const missing = CITING.flatMap((path) =>
      [...textOf(path).matchAll(/@see [^\n]*?(docs\/[a-z-]+\.md)((?:, "[^"\n]+")+)/g)].flatMap(
        ([, page = '', names = '']) =>
          [...names.matchAll(/"([^"]+)"/g)]
            .filter(([, name]) => !new RegExp(`^#+ ${name}$`, 'm').test(textOf(page)))
            .map(([name]) => `${path}: ${page}, ${name}`),
      ),
    );
    expect(missing).toEqual([]);
  });

  it(`cite ${DEFINITIONS} from the root of the repository`, () => {
    const bare = CITING.filter(
      (path) => path.endsWith('.ts') && /@see (?!docs\/)[^\n]*\breliability/.test(textOf(path)),
    );
    expect(bare).toEqual([]);
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
