import { decimal } from '../model/decimal.ts';
import type { MarginFactors, SecurityKind } from '../model/security.ts';
import type { Market } from '../model/symbol.ts';
import { marketRecord } from './market-records.ts';

/** Margin of large companies, and of funds and indices like them. @see docs/venue.md, "The market" (our default) */
export const LARGE_CAP_MARGIN: MarginFactors = {
  initial: decimal('0.35'),
  maintenance: decimal('0.30'),
  forced: decimal('0.25'),
};

/** No credit at all: the whole value must be covered. */
export const FULL_MARGIN: MarginFactors = {
  initial: decimal('1'),
  maintenance: decimal('1'),
  forced: decimal('1'),
};

/**
 * Margin factors of a security whose own facts state none. Credit is given on shares, funds, REITs and tradable
 * indices of Hong Kong and the US; warrants, CBBCs, options and whatever is listed elsewhere are covered in full.
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
