import { describe, expect, it } from 'vitest';
import { shares, symbol, wholeNumber } from '../../src/cli/data/values.ts';

describe('values of options of sluice data', () => {
  it('accepts whole shares from 1 on, and names that range when it refuses', () => {
    expect([shares('1'), shares('999999')]).toEqual([1, 999_999]);
    for (const text of ['0', '000', 'abc', '-1', '1.5', '', '1000000'])
      expect(() => shares(text)).toThrow('Want a whole number of shares, from 1 to 999999.');
  });

  it('accepts no other notation of a Hong Kong share, and prints the right one', () => {
    expect([symbol('700.HK'), symbol('0.US'), symbol('007.US')]).toEqual(['700.HK', '0.US', '007.US']);
    for (const text of ['0700.HK', '00700.HK'])
      expect(() => symbol(text)).toThrow('Want 700.HK: codes of Hong Kong have no zeros in front here.');
    expect(() => symbol('HK.00700')).toThrow('Want <code>.<market> in capitals');
  });

  it('counts lines from 0 on', () => {
    expect([wholeNumber('0'), wholeNumber('7')]).toEqual([0, 7]);
    expect(() => wholeNumber('-1')).toThrow('from 0 to 999999');
  });
});
