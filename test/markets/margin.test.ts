import { describe, expect, it } from 'vitest';
import { defaultMargin, FULL_MARGIN, LARGE_CAP_MARGIN } from '#src/markets/margin.ts';

describe('default margin', () => {
  it('gives credit on shares of known markets and on nothing else', () => {
    expect(defaultMargin({ market: 'US', kind: 'stock' })).toBe(LARGE_CAP_MARGIN);
    expect(defaultMargin({ market: 'HK', kind: 'etf' })).toBe(LARGE_CAP_MARGIN);
    expect(defaultMargin({ market: 'HK', kind: 'warrant' })).toBe(FULL_MARGIN);
    expect(defaultMargin({ market: 'US', kind: 'option' })).toBe(FULL_MARGIN);
    expect(defaultMargin({ market: 'CRYPTO', kind: 'stock' })).toBe(FULL_MARGIN);
  });

  it('requires less to keep than to open a position, and least before a forced close', () => {
    const { initial, maintenance, forced } = LARGE_CAP_MARGIN;
    expect([initial, maintenance, forced].map(String)).toEqual(['0.35', '0.3', '0.25']);
  });
});
