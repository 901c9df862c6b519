import type { Decimal } from './decimal.ts';
import type { Currency } from './money.ts';
import type { SecuritySymbol } from './symbol.ts';

/** What a security is, as charges and margin see it. */
export const SECURITY_KINDS = ['stock', 'etf', 'reit', 'index', 'warrant', 'cbbc', 'option'] as const;
export type SecurityKind = (typeof SECURITY_KINDS)[number];

/** Share of market value that must be covered, as fractions (0.35 = 35 %). */
export interface MarginFactors {
  readonly initial: Decimal;
  readonly maintenance: Decimal;
  readonly forced: Decimal;
}

/**
 * Where prices came from. `generated` prices never share a line with real ones; a seed is there when we drew them ourselves.
 * Prices are `unknown` when the venue that quotes them, `source`, does not state where they come from.
 */
export type DataOrigin =
  | { readonly kind: 'real'; readonly source: string; readonly license: string }
  | { readonly kind: 'generated'; readonly seed?: number; readonly method: string }
  | { readonly kind: 'unknown'; readonly source: string };

/** Figures of the company behind a security; each absent where it is not known. Money as decimal text, in the security's currency. */
export interface CompanyFigures {
  readonly totalShares?: number;
  readonly circulatingShares?: number;
  /** Shares listed in Hong Kong. */
  readonly hkShares?: number;
  /** Earnings per share of the last financial year. */
  readonly eps?: string;
  /** Earnings per share of the last twelve months. */
  readonly epsTtm?: string;
  /** Net assets per share. */
  readonly bps?: string;
  /** Dividends of the last twelve months, per cent of the price. */
  readonly dividendYield?: string;
}

/** What a symbol names: the facts in `security.json` next to its data, or static info (10) of the venue. */
export interface Security {
  readonly symbol: SecuritySymbol;
  readonly names: { readonly en: string; readonly zhCn: string; readonly zhHk: string };
  readonly kind: SecurityKind;
  /** Board of static info (10), for example `HKEquity`, `USMain`. */
  readonly board: string;
  readonly currency: Currency;
  /** Smallest quantity step, in shares; below 1 where fractions of a share trade, such as 0.01. */
  readonly lotSize: number;
  /** Price step of a venue that does not go by the market's ladder; absent: the ladder's. */
  readonly tick?: Decimal;
  /** Shares behind one contract; absent where a unit is one share. */
  readonly multiplier?: number;
  readonly margin: MarginFactors;
  /** False for an index that cannot be traded; every report names an index that was made tradable. */
  readonly tradable: boolean;
  /** Absent where nothing is known of the company, or there is none. */
  readonly company?: CompanyFigures;
  readonly origin: DataOrigin;
}
