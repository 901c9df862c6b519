import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { describeParam, type ParamValues, param, resolveParams } from '#src/strategy/params.ts';

const declared = {
  length: param.int({ min: 2, max: 200, default: 14, doc: 'Bars' }),
  level: param.number({ min: -1.5, max: 50, default: 30, doc: 'Level', unit: 'points' }),
  weight: param.ratio({ default: 0.5, doc: 'Share' }),
  tilt: param.ratio({ min: -1, max: 1, default: 0, doc: 'Share, negative is short' }),
  short: param.boolean({ default: false, doc: 'Sells short' }),
  ties: param.choice({ choices: ['touch', 'hold'], default: 'touch', doc: 'Ties' }),
};

const taken = (name: keyof typeof declared, given: unknown): unknown => {
  const resolved = resolveParams(declared, { [name]: given });
  return resolved.kind === 'ok' ? resolved.values[name] : resolved.problems.map(({ wanted }) => wanted);
};

describe('resolveParams', () => {
  it('fills in every default', () => {
    expect(resolveParams(declared, {})).toEqual({
      kind: 'ok',
      values: { length: 14, level: 30, weight: 0.5, tilt: 0, short: false, ties: 'touch' },
    });
  });

  it.each([
    ['length', 2],
    ['length', 200],
    ['level', -1.5],
    ['level', 50],
    ['weight', 0],
    ['weight', 1],
    ['tilt', -1],
    ['short', true],
    ['ties', 'hold'],
  ] as const)('accepts %s at its bound %s', (name, value) => {
    expect(taken(name, value)).toBe(value);
  });

  it.each([
    ['length', 1],
    ['length', 201],
    ['length', 2.5],
    ['length', '14'],
    ['length', Number.NaN],
    ['level', -1.500_001],
    ['level', 50.000_001],
    ['level', Number.NaN],
    ['level', Number.POSITIVE_INFINITY],
    ['level', '30'],
    ['weight', -0.01],
    ['weight', 1.01],
    ['weight', '101%'],
    ['weight', '0.5'],
    ['weight', '50 %'],
    ['weight', '%'],
    ['short', 'true'],
    ['short', 1],
    ['ties', 'Touch'],
    ['ties', undefined],
    ['length', null],
  ] as const)('refuses %s of %s', (name, value) => {
    expect(taken(name, value)).toEqual([describeParam(declared[name])]);
  });

  it.each([
    ['25%', 0.25],
    ['0%', 0],
    ['100%', 1],
    ['12.5%', 0.125],
  ])('reads a share written as %s', (text, share) => {
    expect(taken('weight', text)).toBe(share);
  });

  it('reads a negative percentage if the bounds allow it', () => {
    expect(taken('tilt', '-40%')).toBe(-0.4);
    expect(taken('weight', '-40%')).toEqual([describeParam(declared.weight)]);
  });

  it('reports an undeclared name, and lists the declared ones', () => {
    expect(resolveParams({ fast: declared.length }, { fats: 3 })).toEqual({
      kind: 'problems',
      problems: [{ name: 'fats', value: 3, wanted: 'a declared parameter (fast)' }],
    });
    expect(resolveParams({}, { fast: 3 })).toMatchObject({
      problems: [{ wanted: 'a declared parameter (none)' }],
    });
  });

  it('lists all mistakes at once', () => {
    const resolved = resolveParams(declared, { length: 0, weight: 'half', colour: 'red' });
    expect(resolved.kind === 'problems' && resolved.problems.map(({ name }) => name)).toEqual([
      'length',
      'weight',
      'colour',
    ]);
  });

  it('does not accept an inherited property as a given value', () => {
    const odd = { toString: param.int({ min: 0, max: 9, default: 7, doc: 'An odd name' }) };
    expect(resolveParams(odd, {})).toEqual({ kind: 'ok', values: { toString: 7 } });
    expect(resolveParams({}, { constructor: 1 })).toMatchObject({ kind: 'problems' });
  });

  it('returns a whole number within its bounds or a problem, for any value', () => {
    fc.assert(
      fc.property(fc.anything(), (given) => {
        const resolved = resolveParams({ length: declared.length }, { length: given });
        if (resolved.kind === 'problems') expect(resolved.problems).toHaveLength(1);
        else expect(Number.isInteger(resolved.values['length'])).toBe(true);
      }),
    );
  });

  it('types values by their declarations', () => {
    expectTypeOf<ParamValues<typeof declared>['length']>().toEqualTypeOf<number>();
    expectTypeOf<ParamValues<typeof declared>['short']>().toEqualTypeOf<boolean>();
    expectTypeOf<ParamValues<typeof declared>['ties']>().toEqualTypeOf<'touch' | 'hold'>();
  });
});

describe('describeParam', () => {
  it('describes the expected value', () => {
    expect(Object.values(declared).map(describeParam)).toEqual([
      'a whole number from 2 to 200',
      'a number from -1.5 to 50 points',
      'a share from 0 to 1 (or 0% to 100%)',
      'a share from -1 to 1 (or -100% to 100%)',
      'true or false',
      'one of touch, hold',
    ]);
  });
});
