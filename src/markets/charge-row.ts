import type { Decimal } from '../model/decimal.ts';
import type { Charge, Side } from '../model/order.ts';
import type { SecurityKind } from '../model/security.ts';
import type { Market } from '../model/symbol.ts';
import type { CalendarDay } from '../model/time.ts';

/** How an amount comes about, before its bounds: a share of the notional, a sum per share, or a flat sum. */
export type ChargeBasis =
  | { readonly kind: 'percent'; readonly rate: Decimal }
  | { readonly kind: 'per-share'; readonly perShare: Decimal }
  | { readonly kind: 'per-order'; readonly amount: Decimal };

/** `cent`: half up to two places. `whole-up`: up to the next whole unit of the currency. `exact`: as computed. */
export type ChargeRounding = 'cent' | 'whole-up' | 'exact';

/** How sure we are of a row: `high` is published by the authority, `low` is a guess that fits the segment. */
export type Confidence = 'high' | 'medium' | 'low';

/** One dated line of a charge table; amounts are in the currency of the order. */
export interface ChargeRow {
  readonly code: string;
  readonly name: string;
  readonly category: Charge['category'];
  /** The market it is charged at; absent means all. */
  readonly market?: Market;
  /** The side it is charged on; absent means both. */
  readonly side?: Side;
  /** Kinds of security that are spared. */
  readonly exempt?: readonly SecurityKind[];
  /** First and last day, both included; absent means since ever and until further notice. */
  readonly from?: CalendarDay;
  readonly until?: CalendarDay;
  readonly basis: ChargeBasis;
  readonly minimum?: Decimal;
  readonly maximum?: Decimal;
  /** A cap as a share of the notional; where it falls below the minimum, the minimum is charged, unless `capPrevails`. */
  readonly maximumRatio?: Decimal;
  readonly capPrevails?: true;
  readonly rounding: ChargeRounding;
  readonly source: string;
  readonly confidence: Confidence;
}
