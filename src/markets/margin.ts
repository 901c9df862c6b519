import { decimal } from '../model/decimal.ts';
import type { MarginFactors, SecurityKind } from '../model/security.ts';
import type { Market } from '../model/symbol.ts';
import { marketRecord } from './market-records.ts';

/**
 * Default factors of large companies, and of funds and indices like them.
 * @see docs/venue.md, "The market" (our default)
 */
export const LARGE_CAP_MARGIN: MarginFactors = {
  initial: decimal('0.35'),
  maintenance: decimal('0.30'),
  forced: decimal('0.25'),
};

/** No credit: the whole value must be covered. */
export const FULL_MARGIN: MarginFactors = {
  initial: decimal('1'),
  maintenance: decimal('1'),
  forced: decimal('1'),
};

/**
 * Returns the default margin factors of a security. Where the broker gives credit, shares, funds, REITs and tradable
 * indices may borrow. Warrants, CBBCs, options and all other markets must be covered in full.
 */
export function defaultMargin(facts: {
  readonly market: Market;
  readonly kind: SecurityKind;
}): MarginFactors {
  if (marketRecord(facts.market)?.givesCredit !== true) return FULL_MARGIN;
  switch (facts.kind) {
    case 'stock':
    case 'etf':
    case 'reit':
    case 'index':
      return LARGE_CAP_MARGIN;
    case 'warrant':
    case 'cbbc':
    case 'option':
      return FULL_MARGIN;
  }
}
