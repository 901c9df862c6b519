import type { Decimal } from './decimal.ts';
import type { Currency } from './money.ts';
import type { SecuritySymbol } from './symbol.ts';

/** Kinds of security as charges and margin distinguish them. */
export const SECURITY_KINDS = ['stock', 'etf', 'reit', 'index', 'warrant', 'cbbc', 'option'] as const;
export type SecurityKind = (typeof SECURITY_KINDS)[number];

/** Fractions of market value that must be covered (0.35 = 35 %). */
export interface MarginFactors {
  readonly initial: Decimal;
  readonly maintenance: Decimal;
  readonly forced: Decimal;
}

/**
 * Origin of prices. Reports never mix `generated` and real prices in one line; `seed` is present if Sluice generated
 * them. `unknown`: the quoting venue, `source`, does not state the origin.
 */
export type DataOrigin =
  | { readonly kind: 'real'; readonly source: string; readonly license: string }
  | { readonly kind: 'generated'; readonly seed?: number; readonly method: string }
  | { readonly kind: 'unknown'; readonly source: string };

/** Figures of a company, each absent if unknown. Money is decimal text in the security's currency. */
export interface CompanyFigures {
  readonly totalShares?: number;
  readonly circulatingShares?: number;
  readonly hkShares?: number;
  /** Earnings per share of the last financial year. */
  readonly eps?: string;
  /** Earnings per share of the last twelve months. */
  readonly epsTtm?: string;
  readonly bps?: string;
  /** Dividends of the last twelve months, in percent of the price. */
  readonly dividendYield?: string;
}

/** Facts of a symbol, from `security.json` next to its data or the venue's static info (10). */
export interface Security {
  readonly symbol: SecuritySymbol;
  readonly names: { readonly en: string; readonly zhCn: string; readonly zhHk: string };
  readonly kind: SecurityKind;
  /** Board of static info (10), such as `HKEquity`, `USMain`. */
  readonly board: string;
  readonly currency: Currency;
  /** Quantity step in shares; below 1 if fractions trade, such as 0.01. */
  readonly lotSize: number;
  /** Tick size of a venue that does not follow the market's ladder; absent: the ladder's. */
  readonly tick?: Decimal;
  /** Shares per contract; absent if a unit is one share. */
  readonly multiplier?: number;
  readonly margin: MarginFactors;
  /** False for an index that cannot be traded; reports name an index that was made tradable. */
  readonly tradable: boolean;
  /** Absent if unknown, or if there is no company. */
  readonly company?: CompanyFigures;
  readonly origin: DataOrigin;
}
