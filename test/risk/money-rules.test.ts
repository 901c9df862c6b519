import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { AAPL } from '../fixtures/market.ts';
import { balanceOf, openingOf } from '../fixtures/risk.ts';
import { at, sells, shares, verdictName } from './judging.ts';

describe('buy-limit', () => {
  it("uses the venue's estimate, in cash or with margin, and permits its limit and not more (I-4)", () => {
    const opening = openingOf({ cash: '100', margin: '150' });
    expect(verdictName(shares('100'), { opening })).toBe('approved');
    expect(verdictName(shares('101'), { opening })).toBe(
      'buy-limit: Wants 101 of "AAPL.US", buy limit is 100 in cash (useMargin is false)',
    );
    expect(verdictName(shares('150'), { opening }, { useMargin: true })).toBe('approved');
    expect(verdictName(shares('151'), { opening }, { useMargin: true })).toContain(
      "buy limit is 150 with the venue's credit",
    );
  });

  it('reports how much of the cash may buy if that is not all of it', () => {
    const [row] = balanceOf().cash;
    if (row === undefined) throw new Error('no cash');
    const figures = { available: decimal('5000'), frozen: decimal('2700'), withdrawable: decimal('500') };
    const cash = [{ ...row, ...figures, settling: decimal('4500') }];
    const opening = openingOf({ cash: '5', balance: { cash } });
    expect(verdictName(shares('60'), { opening })).toContain(
      '(useMargin is false); of 7700.00 USD only 500.00 USD are settled and not reserved',
    );
  });

  it('suggests short sales if the venue permits no sale of what is not held', () => {
    const opening = openingOf({ cash: '0', asked: { symbol: AAPL, side: 'sell', type: 'MO' } });
    expect(verdictName(sells('50'), { opening }, { allowShort: true })).toBe(
      'buy-limit: Wants to sell 50 of "AAPL.US" with 0 held, the venue\'s limit is 0; does it let this account sell short?',
    );
  });

  it('passes nothing at an estimate of 0 (F-B23)', () => {
    expect(verdictName(shares('1'), { opening: openingOf({ cash: '0' }) })).toContain('buy-limit');
  });
});

describe('margin-headroom', () => {
  it('permits the buying power and not one cent beyond', () => {
    const opening = openingOf({ initial: '0.5', balance: { buyPower: decimal('500') } });
    expect(verdictName(shares('100'), { opening })).toBe('approved');
    expect(verdictName(at('10.01'), { opening })).toBe(
      'margin-headroom: Order needs 500.50 USD of margin, 500.00 USD of the buy power may be used: "marginHeadroom" keeps 0% of 500.00 USD free',
    );
  });

  it('leaves the configured part of the buying power', () => {
    const opening = openingOf({ balance: { buyPower: decimal('1000') } });
    const limits = { marginHeadroom: decimal('0.05') };
    expect(verdictName(shares('95'), { opening }, limits)).toBe('approved');
    expect(verdictName(shares('96'), { opening }, limits)).toContain(
      '950.00 USD of the buy power may be used',
    );
  });

  it('opens nothing under a margin call', () => {
    const opening = openingOf({ balance: { marginCall: decimal('0.01') } });
    expect(verdictName(shares('1'), { opening })).toBe(
      'margin-headroom: Account has a margin call of 0.01 USD',
    );
  });
});
