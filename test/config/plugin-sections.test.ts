import { describe, expect, it } from 'vitest';
import { problemsOf, readWith } from './reading.ts';

const said = (section: string): string =>
  problemsOf(readWith({ more: section }))
    .map(({ message }) => message)
    .join('\n');

describe('sections that name plugins', () => {
  it.each([
    ['risk: { rules: [{ use: own, __proto__: 1 }] }', '"__proto__" is used as a key'],
    ['risk: { rules: [{ use: own, params: { constructor: 1 } }] }', '"constructor" is used as a key'],
    ['risk:\n\trules: []', 'a line is indented with a tab, want spaces'],
    ['simulation: { fills: &a { use: own } }', 'there is an anchor'],
    ['risk: { rules: [{ use: own, use: own }] }', '"use" is there twice, want each key once'],
    ['risk: { rules: { use: own } }', '"rules" is a map, want a list of at most 20 risk rules'],
    ['risk: { rules: [own] }', '"rules[0]" is "own", want a map with "use", the name of a risk rule'],
    ['risk: { rules: [{ params: {} }] }', '"use" is missing, want the name of a risk rule'],
    [`risk: { rules: [${'{ use: own }, '.repeat(21)}] }`, 'want a list of at most 20 risk rules'],
    ['simulation: { fills: { use: own, parms: {} } }', 'did you mean "params"?'],
    ['notify: [{ use: "$\u007bX}" }]', 'secrets alone come from the environment'],
    ['notify: [{ use: own, params: { hook: "$\u007bX}" } }]', 'secrets alone come from the environment'],
    ['notify: [{ use: own, secrets: { hook: "$\u007bx}" } }]', 'never the secret itself'],
    ['notify: [{ use: own, secrets: { hook: "https://chat/9f3k" } }]', 'never the secret itself'],
    [
      'notify: [{ use: own, secrets: { hook: { a: "$\u007bX}" } } }]',
      'secrets alone come from the environment',
    ],
  ])('report what is wrong with %j', (section, words) => {
    expect(said(section)).toContain(words);
  });
});
