import {
  type Amount,
  amount,
  compare,
  isPositive,
  max,
  multiply,
  ONE,
  type Ratio,
  ratioOf,
  subtract,
} from '../../model/amount.ts';
import { Decimal } from '../../model/decimal.ts';
import type { MarginFactors, Security } from '../../model/security.ts';
import type { MarginModel } from '../models.ts';

const FULL = new Decimal(1);

/** Returns the margin factors under a model: an account without credit covers positions in full. */
export function factorsUnder(model: MarginModel, security: Security): MarginFactors {
  return model.kind === 'cash' ? { ...security.margin, initial: FULL } : security.margin;
}

const RATIOS = new WeakMap<Decimal, Ratio>();

export function factorRatio(model: MarginModel, security: Security, factor: keyof MarginFactors): Ratio {
  const decimal = model.kind === 'cash' && factor === 'initial' ? FULL : security.margin[factor];
  let ratio = RATIOS.get(decimal);
  if (ratio === undefined) {
    ratio = ratioOf(decimal);
    RATIOS.set(decimal, ratio);
  }
  return ratio;
}

const LEVELS = [amount('0.6'), amount('0.8'), ONE];

/**
 * Returns the risk level by maintenance margin as a fraction of equity: 0 safe, 1 medium, 2 early warning, 3 danger.
 * @see docs/venue.md, "The market"
 */
export function riskLevel(maintenance: Amount, equity: Amount): number {
  if (!isPositive(equity)) return maintenance === 0 && equity === 0 ? 0 : LEVELS.length;
  return LEVELS.filter((level) => compare(maintenance, multiply(equity, level, 'exact')) >= 0).length;
}

/** Returns the deposit needed for equity to cover maintenance margin again. */
export function marginCall(maintenance: Amount, equity: Amount): Amount {
  return max(0, subtract(maintenance, equity));
}
