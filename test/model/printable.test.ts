import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from '../../src/model/printable.ts';

describe('printable', () => {
  it('keeps ordinary text of any script', () => {
    expect(printable('Tencent 騰訊控股 Ltd. é')).toBe('Tencent 騰訊控股 Ltd. é');
  });

  it('escapes characters that could control a terminal, break a line or hide', () => {
    expect(printable('a\u001b[2Jb\nc\u202ed\u200be')).toBe('a\\u001b[2Jb\\u000ac\\u202ed\\u200be');
  });

  it('cuts at the limit and not before', () => {
    expect(printable('a'.repeat(80))).toBe('a'.repeat(80));
    expect(printable('a'.repeat(81))).toBe(`${'a'.repeat(77)}...`);
  });

  it('never lets a control character through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
