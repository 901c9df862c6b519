import { describe, expect, it } from 'vitest';
import { decimal } from '#src/model/decimal.ts';
import { intentId, type OrderIntent } from '#src/model/order.ts';
import { millis } from '#src/model/time.ts';
import type { RiskFacts } from '#src/risk/facts.ts';
import { judge } from '#src/risk/risk-gate.ts';
import { AAPL, security } from '../fixtures/market.ts';
import { factsOf, limitsOf, openingOf } from '../fixtures/risk.ts';

/** A market order to buy or sell AAPL.US at 10 USD. */
const wants = (quantity: number, side: 'buy' | 'sell' = 'buy'): OrderIntent => ({
  id: intentId('I1'),
  terms: { symbol: AAPL, side, type: 'MO', quantity: decimal(String(quantity)), timeInForce: 'day' },
  reason: 'a test',
  decidedAt: millis(0),
});

/** The verdict on 900 shares: its rule, the affordable quantity, and whether cash must settle first. */
function verdictText(facts: Partial<RiskFacts>, limits: Parameters<typeof limitsOf>[0] = {}): string {
  const verdict = judge(wants(900), factsOf(facts), limitsOf(limits));
  if (verdict.kind === 'approved') return 'passes';
  const { rule, payable } = verdict;
  return `${rule}: ${payable === undefined ? 'no word' : `${payable.most}${payable.unsettled ? ', unsettled' : ''}`}`;
}

/** Settled cash, cash reserved by orders, and unsettled proceeds. */
const cash = (settled: string, frozen: string, proceeds: string) => ({
  cash: [
    {
      currency: 'USD',
      available: decimal(settled).plus(decimal(proceeds)),
      frozen: decimal(frozen),
      settling: decimal(proceeds),
      withdrawable: decimal(settled),
    },
  ],
});

describe('a purchase that is denied for insufficient cash', () => {
  it('returns how many whole lots are affordable, by the estimate and by buying power', () => {
    expect(verdictText({ opening: openingOf({ cash: '300' }) })).toBe('buy-limit: 300');
    expect(
      verdictText({ opening: openingOf({ cash: '350' }), security: security(AAPL, { lotSize: 100 }) }),
    ).toBe('buy-limit: 300');
    const headroom = { marginHeadroom: decimal('0.5') };
    expect(verdictText({ opening: openingOf() }, headroom)).toBe('margin-headroom: 500');
    expect(verdictText({ opening: openingOf({ cash: '800' }) }, headroom)).toBe('buy-limit: 500');
    expect(verdictText({ opening: openingOf({ cash: '0' }) })).toBe('buy-limit: 0');
  });

  it('returns whether only settled cash counts at the venue and unsettled cash would pay for more', () => {
    const opening = (most: string, balance: ReturnType<typeof cash>) => openingOf({ cash: most, balance });
    expect(verdictText({ opening: opening('100', cash('1000', '0', '9000')) })).toBe(
      'buy-limit: 100, unsettled',
    );
    // Proceeds counted at once: the estimate exceeds the free settled cash.
    expect(verdictText({ opening: opening('500', cash('1000', '0', '4000')) })).toBe('buy-limit: 500');
    expect(verdictText({ opening: opening('100', cash('1000', '0', '0')) })).toBe('buy-limit: 100');
  });

  it('has no value if another rule denies the order', () => {
    expect(verdictText({ opening: openingOf({ cash: '0' }) }, { maxOrderQuantity: decimal('10') })).toBe(
      'max-order-quantity: no word',
    );
  });
});
