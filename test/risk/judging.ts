import { decimal } from '#src/model/decimal.ts';
import type { OrderIntent, OrderTerms } from '#src/model/order.ts';
import type { RiskFacts } from '#src/risk/facts.ts';
import type { RiskLimits } from '#src/risk/limits.ts';
import { judge, type Verdict } from '#src/risk/risk-gate.ts';
import { intentOf, termsOf } from '../fixtures/orders.ts';
import { factsOf, limitsOf, openingOf } from '../fixtures/risk.ts';

/**
 * Judges an order to buy 100 AAPL.US at 10 USD, with the changes of a test; its estimate was requested for the same
 * terms.
 */
export function verdictOn(
  terms: Partial<OrderTerms>,
  facts: Partial<RiskFacts> = {},
  limits: Partial<RiskLimits> = {},
  purpose?: OrderIntent['purpose'],
): Verdict {
  const asked = termsOf(terms);
  const opening = 'opening' in facts ? facts.opening : openingOf();
  const all = { ...facts, opening: opening === undefined ? undefined : { ...opening, asked } };
  const intent = intentOf('I', { terms: asked, ...(purpose === undefined ? {} : { purpose }) });
  return judge(intent, factsOf(all), limitsOf(limits));
}

/** The rule that denied with its reason, or "approved". */
export function verdictName(...asked: Parameters<typeof verdictOn>): string {
  const verdict = verdictOn(...asked);
  return verdict.kind === 'approved' ? 'approved' : `${verdict.rule}: ${verdict.reason}`;
}

export const shares = (quantity: string): Partial<OrderTerms> => ({ quantity: decimal(quantity) });

export const sells = (quantity: string): Partial<OrderTerms> => ({ ...shares(quantity), side: 'sell' });

/** A limit order at a price. */
export const at = (price: string, quantity = '100'): Partial<OrderTerms> => ({
  ...shares(quantity),
  type: 'LO',
  price: decimal(price),
});

/** Facts of an order that only reduces: it sells from 100 held shares, and the venue received no request. */
export const CLOSING: Partial<RiskFacts> = { opens: false, held: decimal('100'), opening: undefined };
