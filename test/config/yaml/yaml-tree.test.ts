import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BYTES_MAX, DEPTH_MAX, ENTRIES_MAX } from '../../../src/config/yaml/yaml-limits.ts';
import { readYaml } from '../../../src/config/yaml/yaml-tree.ts';

const read = (text: string) => readYaml({ path: 'x.yaml', text });
const firstMessage = (text: string): string | undefined => read(text).problems[0]?.message;

describe('readYaml (S-04)', () => {
  it('reads maps, lists and scalars of the core schema into data without prototypes', () => {
    const { value, problems } = read('a: 1\nb: [x, 0.5, true, null, yes, 2024-01-02]\nc: { d: "2" }\n');
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: 1, b: ['x', 0.5, true, null, 'yes', '2024-01-02'], c: { d: '2' } });
    expect(Object.getPrototypeOf(value)).toBeNull();
  });

  it('returns the positions of keys and values, and of the nearest existing one', () => {
    const tree = read('a: 1\nb:\n  - x\n  - c:   5\n');
    expect(tree.keyPlace(['b', 1, 'c'])).toEqual({ line: 4, column: 5 });
    expect(tree.valuePlace(['b', 1, 'c'])).toEqual({ line: 4, column: 10 });
    expect(tree.keyPlace(['b', 7, 'x'])).toEqual({ line: 2, column: 1 });
    expect(tree.valuePlace(['nothing'])).toEqual({ line: 1, column: 1 });
  });

  it.each([
    ['an alias', 'a: [1]\nb: *a', /alias/i],
    ['an anchor', 'a: &x [1]', /anchor/],
    ['a merge key', '<<: { a: 1 }', /merging is off/],
    ['a custom tag', 'a: !!js/function "x"', /tag/],
    ['a core tag', 'a: !!str 5', /tag/],
    ['a tag on a key', '!!str a: 5', /key/],
    [
      'NUL in a text, which ends a path too early (S-15)',
      'a: "x\\0y"',
      /want text without the character NUL/,
    ],
    ['a directive', '%YAML 1.1\n---\na: yes', /directive/],
    ['a tag directive', '%TAG !e! tag:example.org:\n---\na: 1', /directive/],
    ['a second document', 'a: 1\n---\nb: 2', /second document/],
    ['a line end that editors show and YAML ignores', 'a: 1 # x\rb: 2', /line ends with CR alone/],
    ['a key twice', 'a: 1\na: 2', /"a" is there twice, want each key once/],
    ['a list in place of settings', '- a\n- b', /the file is a list, want settings/],
    ['a tab as indentation', 'a:\n\tb: 1', /tab/],
    ['a byte order mark', '\uFEFFa: 1', /byte order mark/],
    ['a map as key', '? { a: 1 }\n: 1', /key is no plain text/],
    ['an empty key', '~: 1', /key is no plain text/],
    ['nothing', '# nothing\n', /empty/],
    ['an open list', 'a: [1, 2', /\]/],
  ])('refuses %s', (_what, text, message) => {
    expect(firstMessage(text)).toMatch(message);
  });

  it.each([
    ['a: 1\nb:\n  c: 2\n   d: 3\n', 'line 4 is indented by 3 spaces, want 2 spaces as in line 3', 4, 4],
    ['a: 1\n b: 2\n', 'line 2 is indented by 1 space, want 0 spaces as in line 1', 2, 2],
    ['a:\n    b: 1\n  c: 2\n', 'line 3 is indented by 2 spaces, want 4 spaces as in line 2 or 0', 3, 3],
    ['a: [1, 2\nb: 3\n', 'the "[" is not closed, want "]" after its last entry', 1, 4],
    ['a: { b: "]", c: 2\nd: 3\n', 'the "{" is not closed, want "}" after its last entry', 1, 4],
    ['a: "x"\nb: "y\nc: 1\n', 'the " is not closed, want " at the end of the text', 2, 4],
  ])('names the line to correct in %j', (text, what, line, column) => {
    const [problem, ...others] = readYaml({ path: 'x.yaml', text }).problems;
    expect(problem).toMatchObject({ message: `Cannot read config: ${what}`, line, column });
    expect(others).toEqual([]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s and pollutes nothing', (key) => {
    const { value, problems } = read(`risk:\n  ${key}: { polluted: true }\n`);
    expect(problems[0]).toMatchObject({ code: 'unsafe-yaml', path: `risk.${key}`, line: 2, column: 3 });
    expect(value).toEqual({ risk: {} });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each(['1e9', '0x1F', '0o17', '.inf', '-.inf', '.nan', '+5', '010', '.5', '5.', '1234567890123456'])(
    'refuses the number %s, which is no plain decimal',
    (written) => {
      expect(read(`a: ${written}`).problems[0]).toMatchObject({
        code: 'bad-value',
        path: 'a',
        value: written,
      });
    },
  );

  it('refuses one byte over the limit, counted as UTF-8', () => {
    const padding = (bytes: number): string => `a: 1\n#${'é'.repeat((bytes - 6) / 2)}`;
    expect(read(padding(BYTES_MAX)).problems).toEqual([]);
    expect(read(padding(BYTES_MAX + 2)).problems[0]).toMatchObject({ code: 'too-large' });
  });

  it('refuses one level over the limit', () => {
    const lists = (depth: number): string => `a: ${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(read(lists(DEPTH_MAX - 1)).problems).toEqual([]);
    expect(read(lists(DEPTH_MAX)).problems[0]).toMatchObject({ code: 'too-large' });
  });

  it('refuses one entry over the limit', () => {
    const keys = (count: number): string =>
      Array.from({ length: count }, (_, index) => `k${index}: 1`).join('\n');
    expect(read(keys(ENTRIES_MAX)).problems).toEqual([]);
    expect(read(keys(ENTRIES_MAX + 1)).problems[0]).toMatchObject({ code: 'too-large' });
  });

  it('refuses bombs without expanding them', () => {
    const laughs = 'a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n';
    expect(firstMessage(laughs)).toMatch(/anchor/);
    expect(read('['.repeat(100_000)).problems[0]).toMatchObject({ code: 'too-large' });
    expect(read('- '.repeat(100_000)).problems[0]).toMatchObject({ code: 'too-large' });
    expect(read('{a: '.repeat(60_000)).problems[0]).toMatchObject({ code: 'too-large' });
    const million = Array.from({ length: 1_000_000 }, (_, index) => `k${index}: 1`).join('\n');
    expect(read(million).problems[0]).toMatchObject({ code: 'too-large' });
    const aliases = `a: &a x\nb: [${'*a, '.repeat(60_000)}]\n`;
    expect(read(aliases).problems[0]).toMatchObject({ code: 'too-large' });
  });

  it('throws for no text, and always gives a reason if it returns no value', () => {
    const yamlish = fc.string({ unit: fc.constantFrom(...'ab:-[]{}&*!|>%@`"\'#,? \n\t1.'), maxLength: 40 });
    fc.assert(
      fc.property(yamlish, (text) => {
        const { value, problems } = read(text);
        expect(value !== undefined || problems.length > 0).toBe(true);
      }),
    );
  });
});
