import { describe, expect, it } from 'vitest';
import { readAxis } from '#src/config/sweep/sweep-axes.ts';
import { axesOf } from '#src/research/axes.ts';
import { param } from '#src/strategy/params.ts';

const DECLARED = {
  fast: param.int({ min: 2, max: 200, default: 10, doc: 'Fast' }),
  lots: param.int({ min: 100, max: 500, step: 100, default: 100, doc: 'Lots' }),
  weight: param.ratio({ default: 0.5, doc: 'Weight' }),
  limit: param.number({ min: 0.1, max: 0.5, step: 0.1, default: 0.1, doc: 'Limit' }),
  long: param.boolean({ default: true, doc: 'Long' }),
  mode: param.choice({ choices: ['slow', 'quick'], default: 'slow', doc: 'Mode' }),
};
const axis = (name: string, text: string | undefined) => {
  const spec = text === undefined ? ({ kind: 'range' } as const) : readAxis(text);
  if (spec === undefined) throw new Error(`not an axis: ${text}`);
  return axesOf({ [name]: spec }, DECLARED)[0];
};
const values = (name: string, text: string | undefined) => {
  const made = axis(name, text);
  return made?.kind === 'listed' ? made.values : made;
};

describe('an axis', () => {
  it('has every value from the first bound to the last that a step reaches', () => {
    expect(values('fast', '5..50:15')).toEqual([5, 20, 35, 50]);
    expect(values('fast', '5..49:15')).toEqual([5, 20, 35]);
    expect(values('fast', '10')).toEqual([10]);
  });

  it('has decimal values without binary residue', () => {
    expect(values('weight', '0.1..0.7:0.1')).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
    expect(values('weight', '5%..20%:5%')).toEqual([0.05, 0.1, 0.15, 0.2]);
    expect(values('weight', '12.5%,25%')).toEqual([0.125, 0.25]);
  });

  it('has bounds and step from the declaration if they are left out', () => {
    expect(values('lots', undefined)).toEqual([100, 200, 300, 400, 500]);
    expect(values('limit', undefined)).toEqual([0.1, 0.2, 0.3, 0.4, 0.5]);
    expect(values('long', undefined)).toEqual([false, true]);
    expect(values('mode', undefined)).toEqual(['slow', 'quick']);
    expect(axis('weight', undefined)).toEqual({ kind: 'continuous', name: 'weight', from: 0, to: 1 });
  });

  it.each([
    ['fast', '1..10', 'Cannot sweep "fast" over "1", want a whole number from 2 to 200'],
    ['fast', '50..5:5', 'Cannot sweep "fast" from 50 to 5, want the lower bound first'],
    ['fast', '5..50:0.5', 'Cannot sweep "fast" by a step of 0.5, want a whole number above 0'],
    ['fast', '5..50:0', 'Cannot sweep "fast" by a step of 0, want a whole number above 0'],
    ['mode', 'quick,fast', 'Cannot sweep "mode" over "fast", want one of slow, quick'],
    [
      'weight',
      '0..1:0.00001',
      'Cannot sweep "weight" over 100001 values, want at most 10000: write a larger step',
    ],
    ['fats', '5..50', 'Cannot sweep "fats": it is not a parameter of the strategy, did you mean "fast"?'],
  ])('is refused with what is wrong: %s=%s', (name, text, message) => {
    expect(() => axis(name, text)).toThrow(message);
  });

  it.each(['5..', '..5', '5...50', '', 'a,,b', '5..50:5:5'])('cannot be written "%s"', (text) => {
    expect(readAxis(text)).toBeUndefined();
  });
});
