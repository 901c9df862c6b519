import { decimal, ZERO } from '#src/model/decimal.ts';
import type { SizedDraft } from '#src/strategy/order-draft.ts';
import { type SizingFacts, sizeDraft } from '#src/strategy/sizing.ts';
import { AAPL } from '../fixtures/market.ts';

/** Facts of a share at 10 dollars without position and orders, in an account of 1,000. */
export function facts(change: Partial<SizingFacts> = {}): SizingFacts {
  return {
    ...{ held: ZERO, openBuys: ZERO, openSells: ZERO, symbol: AAPL, lotSize: 1 },
    ...{ lastPrice: decimal('10'), equity: decimal('1000'), rate: decimal('1') },
    rateOf: (currency) => ({ USD: decimal('1'), HKD: decimal('0.125') })[currency],
    ...change,
  };
}

/** The result of a draft at the market: "buy 50", or why there is no order. */
export function done(draft: SizedDraft, change: Partial<SizingFacts> = {}): string {
  const sized = sizeDraft(draft, facts(change), { type: 'MO', limitPrice: () => undefined });
  return sized.kind === 'order' ? `${sized.terms.side} ${sized.terms.quantity}` : sized.reason;
}
