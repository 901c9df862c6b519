import { describe, expect, it } from 'vitest';
import { omitUndefined } from '../../src/model/omit-undefined.ts';

describe('omitUndefined', () => {
  it('leaves out undefined fields and keeps every other value, including falsy ones', () => {
    const fields = { a: undefined, b: 0, c: '', d: null, e: false, f: [] };
    const result = omitUndefined(fields);
    expect(Object.keys(result)).toEqual(['b', 'c', 'd', 'e', 'f']);
    expect(fields).toHaveProperty('a');
  });
});
