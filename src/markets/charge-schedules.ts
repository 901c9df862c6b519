import type { Decimal } from '../model/decimal.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Market } from '../model/symbol.ts';
import type { ChargeRounding, ChargeRow } from './charge-row.ts';
import type { ChargeSchedule } from './charges.ts';
import { MARKET_RECORDS } from './market-records.ts';

/**
 * The broker's commission in the order's currency; `rate` is a fraction (0.001 is 0.1 %). Without `market` it applies
 * everywhere. If the cap is below the minimum, the cap is charged, as at IBKR (ten shares at 0.20 cost two cents).
 * `exact` is unrounded, as in research programs; otherwise whole cents.
 * @see interactivebrokers.com, "Commissions: stocks", notes on minimum and maximum per order
 */
export type Commission = CommissionBasis & {
  readonly market?: Market;
  readonly minimum?: Decimal;
  /** Caps: an amount, and a ratio of the notional. */
  readonly maximum?: Decimal;
  readonly maximumRatio?: Decimal;
  readonly exact?: boolean;
};

type CommissionBasis =
  | { readonly kind: 'percent'; readonly rate: Decimal }
  | { readonly kind: 'per-share'; readonly perShare: Decimal }
  | { readonly kind: 'per-order'; readonly amount: Decimal };

const AUTHORITY_CHARGES = MARKET_RECORDS.flatMap(({ authorityCharges }) => authorityCharges);
const PLATFORM_FEES = MARKET_RECORDS.flatMap(({ platformFee }) => platformFee ?? []);

/**
 * Schedules that a config may name: `standard` (authorities and platform fee, no commission), `authorities` (no
 * platform fee, for another broker's commission) and `none`.
 */
export const CHARGE_SCHEDULES: Readonly<Record<'standard' | 'authorities' | 'none', ChargeSchedule>> = {
  standard: { name: 'standard', rows: [...PLATFORM_FEES, ...AUTHORITY_CHARGES] },
  authorities: { name: 'authorities', rows: AUTHORITY_CHARGES },
  none: { name: 'none', rows: [] },
};

export function commissionRow(
  commission: Commission,
  rounding: ChargeRounding = commission.exact === true ? 'exact' : 'cent',
): ChargeRow {
  const { market, minimum, maximum, maximumRatio } = commission;
  return {
    code: 'COMMISSION',
    name: 'Commission',
    category: 'broker',
    basis: commission,
    ...omitUndefined({ market, minimum, maximum }),
    ...(maximumRatio === undefined ? {} : { maximumRatio, capPrevails: true as const }),
    rounding,
    source: COMMISSION_SOURCE,
    confidence: 'high',
  };
}

export const COMMISSION_SOURCE = 'the configuration';

/** Adds commissions, one for all markets or one per market, to a schedule. */
export function withCommission(
  base: ChargeSchedule,
  commission: Commission | readonly Commission[],
  rounding?: ChargeRounding,
): ChargeSchedule {
  const all = 'kind' in commission ? [commission] : commission;
  return {
    name: `${base.name} + commission`,
    rows: [...all.map((each) => commissionRow(each, rounding)), ...base.rows],
  };
}
