import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearestName } from '../../src/model/nearest-name.ts';

describe('nearestName', () => {
  const limits = ['maxOrderNotional', 'maxPositionWeight', 'maxOpenOrders', 'priceCollar', 'useMargin'];

  it.each([
    ['maxPositonWeight', 'maxPositionWeight'],
    ['pricecollar', 'priceCollar'],
    ['maxNotional', 'maxOrderNotional'],
    ['maxNotinal', 'maxOrderNotional'],
    ['usemargn', 'useMargin'],
  ])('returns %s for %s', (written, meant) => {
    expect(nearestName(written, limits)).toBe(meant);
  });

  it('counts swapped neighbours as one edit', () => {
    expect(nearestName('sma-corss', ['buy-and-hold', 'sma-cross'])).toBe('sma-cross');
    expect(editDistance('corss', 'cross')).toBe(1);
  });

  it('returns nothing if no name is near', () => {
    expect(nearestName('wibble', limits)).toBeUndefined();
    expect(nearestName('sma', [])).toBeUndefined();
  });

  it('finds a name among others when it is written with its case wrong', () => {
    const aName = fc.stringMatching(/^[a-z]{3,12}$/);
    fc.assert(
      fc.property(aName, fc.array(aName), (name, others) => {
        expect(nearestName(name.toUpperCase(), [...others, name])).toBe(name);
      }),
    );
  });
});

describe('editDistance', () => {
  it('is 0 for equal texts only, symmetric, and at most the longer length', () => {
    const aText = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(aText, aText, (one, other) => {
        const edits = editDistance(one, other);
        expect(edits).toBe(editDistance(other, one));
        expect(edits === 0).toBe(one === other);
        expect(edits).toBeLessThanOrEqual(Math.max(one.length, other.length));
      }),
    );
  });
});
