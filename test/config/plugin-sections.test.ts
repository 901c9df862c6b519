import { describe, expect, it } from 'vitest';
import { problemText } from '../../src/config/config-error.ts';
import { readBotConfig } from '../../src/config/read-config.ts';
import { LINES, lookups, problemsOf, readWith } from './reading.ts';

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

describe('a valid notifier section', () => {
  const warningsOf = (section: string): readonly string[] => {
    const reading = readBotConfig(
      { path: 'config/x.yaml', text: [...Object.values(LINES), section].join('\n') },
      {
        ...lookups,
        plugins: () => ({ kind: 'ok', params: {}, secrets: { hook: 'Where' }, hooks: ['onAlarm', 'onStop'] }),
        isSet: (variable) => variable === 'SET',
      },
    );
    if (reading.kind === 'problems') throw new Error(reading.problems.map(problemText).join('\n'));
    return reading.warnings.map(problemText).filter((text) => text.includes('notif'));
  };

  it('is warned of where its variable is not set, or its notifier has no hook for an event', () => {
    const at = (variable: string, more: string): string =>
      `notify: [{ use: own, secrets: { hook: "$\u007b${variable}}" }${more} }]`;
    expect(warningsOf(at('SET', ''))).toEqual([]);
    expect(warningsOf(at('SET', ', events: [alarms, runs]'))).toEqual([]);
    expect(warningsOf(at('UNSET', ', events: [alarms, fills]'))).toEqual([
      expect.stringContaining(
        'UNSET, the secret "hook" of notifier "own", is not set in the environment or .env',
      ),
      expect.stringContaining('Notifier "own" has no onFills, so it never receives "fills"'),
    ]);
  });
});
