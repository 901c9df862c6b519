import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { ordinal, plural } from '#src/model/plural.ts';

describe('plural', () => {
  it.each([
    [0, '0 bars'],
    [1, '1 bar'],
    [2, '2 bars'],
    [decimal('1'), '1 bar'],
    [decimal('0.5'), '0.5 bars'],
  ])('of %s is "%s"', (count, text) => {
    expect(plural(count, 'bar')).toBe(text);
  });

  it('accepts a plural that does not end in s', () => {
    expect([1, 2].map((count) => plural(count, 'entry', 'entries'))).toEqual(['1 entry', '2 entries']);
  });
});

describe('ordinal', () => {
  it.each([
    [1, '1st'],
    [2, '2nd'],
    [3, '3rd'],
    [4, '4th'],
    [11, '11th'],
    [12, '12th'],
    [13, '13th'],
    [21, '21st'],
    [101, '101st'],
    [111, '111th'],
  ])('of %d is "%s"', (position, text) => {
    expect(ordinal(position)).toBe(text);
  });
});
