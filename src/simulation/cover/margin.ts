import { Decimal, ZERO } from '../../model/decimal.ts';
import type { MarginFactors, Security } from '../../model/security.ts';
import type { MarginModel } from '../models.ts';

const ONE = new Decimal(1);

/** The factors that rule under a model: an account without credit covers a position in full. */
export function factorsUnder(model: MarginModel, security: Security): MarginFactors {
  return model.kind === 'cash' ? { ...security.margin, initial: ONE } : security.margin;
}

const LEVELS = [new Decimal('0.6'), new Decimal('0.8'), ONE];

/**
 * 0 safe, 1 medium, 2 early warning, 3 danger, by the share of equity that maintenance margin takes.
 * @see docs/venue.md, "The market"
 */
export function riskLevel(maintenance: Decimal, equity: Decimal): number {
  if (equity.lte(0)) return maintenance.isZero() && equity.isZero() ? 0 : LEVELS.length;
  const used = maintenance.div(equity);
  return LEVELS.filter((level) => used.gte(level)).length;
}

/** What has to be paid in so that equity covers maintenance margin again. */
export function marginCall(maintenance: Decimal, equity: Decimal): Decimal {
  return Decimal.max(ZERO, maintenance.minus(equity));
}
