import { describe, expect, it } from 'vitest';
import { Decimal, decimal } from '#src/model/decimal.ts';
import { orderDrafts, type SizedDraft } from '#src/strategy/order-draft.ts';
import { AAPL, TENCENT } from '../fixtures/market.ts';
import { done } from './sized.ts';

const { targetNotional, targetRisk } = orderDrafts;

describe('a target notional', () => {
  it('buys or sells up to the amount, in whole lots towards zero', () => {
    expect(done(targetNotional(AAPL, '255 USD'))).toBe('buy 25');
    expect(done(targetNotional(AAPL, '-255 USD'), { held: decimal('5') })).toBe('sell 30');
    expect(done(targetNotional(AAPL, '2550.5 USD'), { lotSize: 100 })).toBe('buy 200');
    expect(done(targetNotional(AAPL, '9.99 USD'))).toBe('"AAPL.US" is within a lot of its target');
  });

  it("is in any currency with a rate, whatever the security's", () => {
    expect(done(targetNotional(AAPL, '8000 HKD'))).toBe('buy 100');
    const hongKong = { symbol: TENCENT, lotSize: 100, lastPrice: decimal('300'), rate: decimal('0.125') };
    expect(done(targetNotional(TENCENT, '20000 USD'), hongKong)).toBe('buy 500');
    expect(done(targetNotional(TENCENT, '160000 HKD'), hongKong)).toBe('buy 500');
  });

  it('does nothing without a price or a rate (F-D03, F-D12)', () => {
    expect(done(targetNotional(AAPL, '100 USD'), { lastPrice: decimal('0') })).toBe(
      'no price of "AAPL.US" yet',
    );
    expect(done(targetNotional(AAPL, '100 SGD'))).toBe('no exchange rate from SGD for "AAPL.US"');
    expect(done(targetNotional(AAPL, '100 USD'), { rate: undefined })).toContain('no exchange rate');
  });

  it.each(['20000', '20,000 USD', '100  USD', ' 100 USD', '100 EUR', '1e400000 USD ', 'NaN USD', ' USD'])(
    'refuses "%s" (F-G06)',
    (notional) => {
      const draft = { ...targetNotional(AAPL, '1 USD'), notional } as SizedDraft;
      expect(done(draft)).toBe(`target "${notional}" of "AAPL.US" is not an amount such as "20000 USD"`);
    },
  );
});

describe('a target risk', () => {
  it('loses its share of the equity when the price moves by this number of ATRs', () => {
    // 1 % of 1000 USD over 2 x 0.3 USD a share: 16.67 shares.
    expect(done(targetRisk(AAPL, { share: 0.01, atr: 0.3, multiple: 2 }))).toBe('buy 16');
    expect(done(targetRisk(AAPL, { share: -0.01, atr: 0.3, multiple: 2 }))).toBe('sell 16');
    const lots = { lotSize: 100, equity: decimal('100000') };
    expect(done(targetRisk(AAPL, { share: 0.01, atr: 0.3, multiple: 2 }), lots)).toBe('buy 1600');
  });

  it("converts the ATR at the account's rate, and counts what is held", () => {
    const hongKong = { symbol: TENCENT, lotSize: 100, rate: decimal('0.125'), equity: decimal('100000') };
    const risk = { share: 0.01, atr: 8, multiple: 2 };
    expect(done(targetRisk(TENCENT, risk), hongKong)).toBe('buy 500');
    expect(done(targetRisk(TENCENT, risk), { ...hongKong, held: decimal('300') })).toBe('buy 200');
    expect(done(targetRisk(TENCENT, risk), { ...hongKong, rate: undefined })).toBe(
      'no exchange rate for "700.HK"',
    );
  });

  it('does nothing before warm-up, nor while equity is not known (F-D03, F-D12)', () => {
    for (const atr of [Number.NaN, 0, -1, Number.POSITIVE_INFINITY])
      expect(done(targetRisk(AAPL, { share: 0.01, atr, multiple: 2 }))).toBe(
        'no average true range of "AAPL.US" above zero',
      );
    const unknown = { equity: new Decimal(Number.NaN) };
    expect(done(targetRisk(AAPL, { share: 0.01, atr: 1, multiple: 2 }), unknown)).toContain(
      'equity is not known',
    );
  });

  it('refuses shares above 1 and invalid multiples (F-G06)', () => {
    for (const share of [1.01, -1.01, Number.NaN])
      expect(done(targetRisk(AAPL, { share, atr: 1, multiple: 2 }))).toBe(
        `risk share ${share} of "AAPL.US" is not between -1 and 1`,
      );
    for (const multiple of [0, -2, Number.NaN, Number.POSITIVE_INFINITY])
      expect(done(targetRisk(AAPL, { share: 0.01, atr: 1, multiple }))).toBe(
        `risk multiple ${multiple} of "AAPL.US" is not above zero`,
      );
  });
});
