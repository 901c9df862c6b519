import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineStrategy } from '#src/strategy/define-strategy.ts';
import { type PlainData, readState, STATE_CHARS_MAX, stateOf } from '#src/strategy/state.ts';

const onStart = () => undefined;
/** Any data without a refused field, see below. */
const somePlain = (fc.jsonValue({ maxDepth: 6 }) as fc.Arbitrary<PlainData>).filter(
  (data) => !JSON.stringify(data).includes('"__proto__":'),
);

describe('a state', () => {
  it('is stored as text from which the same data is read', () => {
    fc.assert(
      fc.property(somePlain, (data) => {
        const read = readState(data, STATE_CHARS_MAX);
        if (read.kind === 'odd') throw new Error(read.what);
        expect(stateOf(read.text)).toEqual(JSON.parse(JSON.stringify(data)));
        expect(readState(stateOf(read.text), STATE_CHARS_MAX)).toEqual(read);
      }),
    );
  });

  it('cannot be changed by its readers, at any depth', () => {
    const state = stateOf('{"legs":[{"held":1}]}') as { readonly legs: { held: number }[] };
    expect(() => state.legs.push({ held: 2 })).toThrow(TypeError);
    expect(() => {
      for (const leg of state.legs) leg.held = 3;
    }).toThrow(TypeError);
  });

  it.each<[unknown, string]>([
    [{ at: Number.POSITIVE_INFINITY }, 'state.at is Infinity, want a finite number'],
    [{ legs: [1, undefined] }, 'state.legs[1] is undefined, want plain data (null for nothing)'],
    [{ seen: new Map() }, 'state.seen is a Map, want plain data (an object, a list, a number, a text)'],
    [() => 1, 'state is a function, want plain data (null for nothing)'],
    [7n, 'state is a bigint, want plain data (null for nothing)'],
    [JSON.parse('{"__proto__":1}'), 'state has a field "__proto__"'],
  ])('of %s is refused by name', (value, what) => {
    expect(readState(value, 100)).toEqual({ kind: 'odd', what });
  });

  it('has at most the permitted number of characters', () => {
    expect(readState('x'.repeat(98), 100).kind).toBe('state');
    expect(readState('x'.repeat(99), 100)).toEqual({
      kind: 'odd',
      what: 'state is 101 characters of JSON, most is 100',
    });
  });
});

const NO_INITIAL =
  'its state has no "initial", want state: { initial: ... } with the state before the first event (null for nothing)';

describe('a declaration of state', () => {
  const declared = (state: object) => () =>
    defineStrategy({ name: 'odd', params: {}, state: state as { initial: null }, onStart });

  it.each<[object, string]>([
    [{ initial: {}, version: 0 }, "its state's version is 0, want a whole number from 1"],
    [{ initial: {}, charsMax: 300_000 }, "its state's charsMax is 300000, want 2 to 262144"],
    [{ initial: { at: Number.NaN } }, 'its initial state.at is NaN, want a finite number'],
    [{ losses: 0 }, NO_INITIAL],
    [{}, NO_INITIAL],
  ])('%j is refused', (state, what) => {
    expect(declared(state)).toThrow(`Cannot define strategy "odd": ${what}`);
  });
});
