import type { Decimal } from '../model/decimal.ts';
import type { Charge, Side } from '../model/order.ts';
import type { SecurityKind } from '../model/security.ts';
import type { Market } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';

/** Basis of a charge before its bounds: a rate on the notional, an amount per share, or a flat amount. */
export type ChargeBasis =
  | { readonly kind: 'percent'; readonly rate: Decimal }
  | { readonly kind: 'per-share'; readonly perShare: Decimal }
  | { readonly kind: 'per-order'; readonly amount: Decimal };

/** `cent`: half up to two places. `whole-up`: up to the next whole unit of the currency. `exact`: not rounded. */
export type ChargeRounding = 'cent' | 'whole-up' | 'exact';

/** Confidence in a row: `high` is published by the authority, `low` is an estimate for the segment. */
export type Confidence = 'high' | 'medium' | 'low';

/** One dated row of a charge table; amounts are in the currency of the order. */
export interface ChargeRow {
  readonly code: string;
  readonly name: string;
  readonly category: Charge['category'];
  /** Absent: all markets. */
  readonly market?: Market;
  /** Absent: both sides. */
  readonly side?: Side;
  readonly exempt?: readonly SecurityKind[];
  /** First and last day, inclusive; absent: unlimited. */
  readonly from?: CalendarDay;
  readonly until?: CalendarDay;
  readonly basis: ChargeBasis;
  readonly minimum?: Decimal;
  readonly maximum?: Decimal;
  /** Cap as a ratio of the notional. If it is below the minimum, the minimum is charged, unless `capPrevails`. */
  readonly maximumRatio?: Decimal;
  readonly capPrevails?: true;
  readonly rounding: ChargeRounding;
  readonly source: string;
  readonly confidence: Confidence;
}
