import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intentId } from '../../src/model/order.ts';
import { makeTag, parseTag, remarkFor, tagOfRemark } from '../../src/wire/tag.ts';

const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'];
const letters = (length: number) =>
  fc
    .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
    .map((each) => each.join(''));
const someParts = fc.record({ deployment: letters(4), intentId: letters(16).map(intentId) });

describe('tag', () => {
  it('is 27 characters of A-Z, 1-7 and -', () => {
    fc.assert(
      fc.property(someParts, (parts) => {
        expect(makeTag(parts)).toMatch(/^K1-[A-Z2-7]{4}-[A-Z2-7]{16}-[A-Z2-7]{2}$/);
        expect(makeTag(parts)).toHaveLength(27);
      }),
    );
  });

  it('I-3: is read as it was made', () => {
    fc.assert(
      fc.property(someParts, (parts) => {
        const tag = makeTag(parts);
        expect(parseTag(tag)).toEqual({ ...parts, tag });
      }),
    );
  });

  it('detects any one changed character', () => {
    const aPlace = fc.integer({ min: 3, max: 23 }).filter((place) => place !== 7);
    fc.assert(
      fc.property(someParts, aPlace, fc.constantFrom(...alphabet), (parts, place, other) => {
        const tag = makeTag(parts);
        fc.pre(tag[place] !== other);
        expect(parseTag(tag.slice(0, place) + other + tag.slice(place + 1))).toBeUndefined();
      }),
    );
  });

  it('detects two swapped neighbours', () => {
    fc.assert(
      fc.property(someParts, fc.integer({ min: 8, max: 22 }), (parts, place) => {
        const tag = makeTag(parts);
        const [left = '', right = ''] = [tag[place], tag[place + 1]];
        fc.pre(left !== right);
        expect(parseTag(tag.slice(0, place) + right + left + tag.slice(place + 2))).toBeUndefined();
      }),
    );
  });

  it.each(['', 'K1', 'k1-aaaa-aaaaaaaaaaaaaaaa-aa', 'K2-AAAA-AAAAAAAAAAAAAAAA-AA', 'sig#18821'])(
    'does not accept %j as a tag',
    (text) => {
      expect(parseTag(text)).toBeUndefined();
    },
  );

  it('refuses parts of another form', () => {
    expect(() => makeTag({ deployment: 'AB1C', intentId: intentId('A'.repeat(16)) })).toThrow(RangeError);
    expect(() => makeTag({ deployment: 'ABCD', intentId: intentId('A'.repeat(15)) })).toThrow(RangeError);
  });
});

describe('remark', () => {
  it('is at most 64 printable ASCII characters, from which the tag is read', () => {
    fc.assert(
      fc.property(someParts, fc.string({ unit: 'grapheme-ascii', maxLength: 90 }), (parts, words) => {
        const tag = makeTag(parts);
        const remark = remarkFor(tag, words);
        expect(remark).toMatch(/^[ -~]{27,64}$/);
        expect(tagOfRemark(remark)?.tag).toBe(tag);
      }),
    );
  });

  it('contains the text after the tag', () => {
    const tag = makeTag({ deployment: 'ABCD', intentId: intentId('ABCDEFGHIJKLMNOP') });
    expect(() => remarkFor(tag, 'sma-cross ✓')).toThrow('Cannot send "✓" in a remark, want printable ASCII');
    expect(() => remarkFor(tag, 'two\nlines')).toThrow(RangeError);
    expect(remarkFor(tag, '  ')).toBe(tag);
  });

  it('has a tag at the start only, and only a complete one', () => {
    const tag = makeTag({ deployment: 'ABCD', intentId: intentId('ABCDEFGHIJKLMNOP') });
    expect(tagOfRemark(` ${tag}`)).toBeUndefined();
    expect(tagOfRemark(`${tag}X`)).toBeUndefined();
    expect(tagOfRemark(`see ${tag}`)).toBeUndefined();
    expect(tagOfRemark('')).toBeUndefined();
  });
});
