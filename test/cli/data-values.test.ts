import { describe, expect, it } from 'vitest';
import { shares, wholeNumber } from '../../src/cli/data/values.ts';

describe('values of options of sluice data', () => {
  it('takes whole shares from 1 on, and names that range when it refuses', () => {
    expect([shares('1'), shares('999999')]).toEqual([1, 999_999]);
    for (const text of ['0', '000', 'abc', '-1', '1.5', '', '1000000'])
      expect(() => shares(text)).toThrow('Want a whole number of shares, from 1 to 999999.');
  });

  it('counts lines from 0 on', () => {
    expect([wholeNumber('0'), wholeNumber('7')]).toEqual([0, 7]);
    expect(() => wholeNumber('-1')).toThrow('from 0 to 999999');
  });
});
