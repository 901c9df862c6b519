import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stateOf, stateText } from '#src/events/snapshot/state-text.ts';
import { decimal } from '#src/model/decimal.ts';
import { someFigure } from '../fixtures/some-figures.ts';

/** Plain data of every kind that occurs in a state, nested to some depth. */
const { data } = fc.letrec((tie) => {
  const some = tie('data');
  return {
    data: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.double(),
        fc.boolean(),
        fc.constantFrom(null, undefined),
        someFigure,
      ),
      fc.array(some, { maxLength: 3 }),
      fc.dictionary(
        fc
          .oneof({ weight: 9, arbitrary: fc.string() }, fc.constant('$'))
          .filter((key) => key !== '__proto__'),
        some,
        { maxKeys: 3, noNullPrototype: true },
      ),
      fc.array(fc.tuple(fc.string(), some), { maxLength: 3 }).map((entries) => new Map(entries)),
      fc.array(fc.string(), { maxLength: 3 }).map((each) => new Set(each)),
    ),
  };
});

describe('the text of a state', () => {
  it('restores any plain data, and writes the same text again', () => {
    fc.assert(
      fc.property(data, (value) => {
        const text = stateText(value);
        expect(stateOf(text)).toStrictEqual(value);
        expect(stateText(stateOf(text))).toBe(text);
      }),
    );
  });

  it('keeps the insertion order of Maps', () => {
    const map = new Map([
      ['b', 1],
      ['a', 2],
    ]);
    expect([...(stateOf(stateText(map)) as typeof map)]).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
  });

  it('silently omits nothing', () => {
    class Odd {
      readonly figure = decimal('1');
    }
    for (const odd of [new Odd(), () => 1, 1n])
      expect(() => stateText({ odd })).toThrow('as part of a state');
    expect(() => stateOf('{"$":["date","today"]}')).toThrow('Cannot read "date,today" as part of a state');
  });
});
