import { type Decimal, decimal } from '../model/decimal.ts';
import { AUTHORITY_CHARGES } from './authority-charges.ts';
import type { ChargeRounding, ChargeRow } from './charge-row.ts';
import type { ChargeSchedule } from './charges.ts';

/**
 * What the broker takes for itself, in the order's currency; `rate` is a fraction (0.001 is 0.1 %). `exact` leaves it unrounded,
 * as research programs do; else it is whole cents.
 */
export type Commission = CommissionBasis & { readonly exact?: boolean };

type CommissionBasis =
  | { readonly kind: 'percent'; readonly rate: Decimal; readonly minimum?: Decimal }
  | { readonly kind: 'per-share'; readonly perShare: Decimal; readonly minimum?: Decimal }
  | { readonly kind: 'per-order'; readonly amount: Decimal };

const REFERENCE = 'reference: HTTP API 10.6';

/** The platform fees that brokers of this segment take; this broker publishes none. */
const PLATFORM_FEES: readonly ChargeRow[] = [
  {
    code: 'PLATFORM_FEE',
    name: 'Platform Fee',
    category: 'broker',
    market: 'HK',
    basis: { kind: 'per-order', amount: decimal('15') },
    rounding: 'cent',
    source: REFERENCE,
    confidence: 'low',
  },
  {
    code: 'PLATFORM_FEE',
    name: 'Platform Fee',
    category: 'broker',
    market: 'US',
    exempt: ['option'],
    basis: { kind: 'per-share', perShare: decimal('0.005') },
    minimum: decimal('1'),
    maximumRatio: decimal('0.01'),
    rounding: 'cent',
    source: REFERENCE,
    confidence: 'low',
  },
];

/** The schedules that a config may name: `standard` (authorities and platform fee, commission 0) and `none`. */
export const CHARGE_SCHEDULES: Readonly<Record<'standard' | 'none', ChargeSchedule>> = {
  standard: { name: 'standard', rows: [...PLATFORM_FEES, ...AUTHORITY_CHARGES] },
  none: { name: 'none', rows: [] },
};

/** One commission as a charge row for every market; `exact` leaves it unrounded, as research programs do. */
export function commissionRow(
  commission: Commission,
  rounding: ChargeRounding = commission.exact === true ? 'exact' : 'cent',
): ChargeRow {
  const { kind } = commission;
  const minimum = kind === 'per-order' ? undefined : commission.minimum;
  return {
    code: 'COMMISSION',
    name: 'Commission',
    category: 'broker',
    basis: commission,
    ...(minimum === undefined ? {} : { minimum }),
    rounding,
    source: 'the configuration',
    confidence: 'high',
  };
}

/** A schedule with a commission of one's own on top of another schedule (`none` makes it the only charge). */
export function withCommission(
  base: ChargeSchedule,
  commission: Commission,
  rounding?: ChargeRounding,
): ChargeSchedule {
  return { name: `${base.name} + commission`, rows: [commissionRow(commission, rounding), ...base.rows] };
}
