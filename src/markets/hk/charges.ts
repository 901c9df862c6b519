import { decimal } from '../../model/decimal.ts';
import type { SecurityKind } from '../../model/security.ts';
import type { ChargeRow } from '../charge-row.ts';
import { CENT, CHARGES_PAGE, ratios } from '../dated-charges.ts';

const HK = { category: 'third-party', market: 'HK', rounding: 'cent' } as const;

const NO_STAMP: readonly SecurityKind[] = ['etf', 'warrant', 'cbbc', 'option'];
const STAMP = { ...HK, code: 'STAMP_DUTY', name: 'Stamp Duty', rounding: 'whole-up' } as const;
const STAMP_SOURCE = `Stamp Duty Ordinance (Cap. 117), first schedule; ${CHARGES_PAGE}`;

/** Stamp duty, rounded up to whole dollars. REITs are exempt from 2024-12-21; funds are assumed exempt throughout. */
const STAMP_DUTY: readonly ChargeRow[] = [
  ...ratios({ ...STAMP, exempt: NO_STAMP, source: STAMP_SOURCE }, [
    ['', '2021-07-31', '0.001', 'medium'],
    ['2021-08-01', '2023-11-16', '0.0013', 'medium'],
    ['2023-11-17', '2024-12-20', '0.001', 'high'],
  ]),
  ...ratios({ ...STAMP, exempt: [...NO_STAMP, 'reit'], source: STAMP_SOURCE }, [
    ['2024-12-21', '', '0.001', 'high'],
  ]),
];

const HK_LEVIES: readonly ChargeRow[] = [
  ...ratios(
    {
      ...HK,
      code: 'TRADING_FEE',
      name: 'Trading Fee',
      minimum: CENT,
      source: `hkex.com.hk, fees; ${CHARGES_PAGE}`,
    },
    [
      ['', '2022-12-31', '0.00005', 'medium'],
      ['2023-01-01', '', '0.0000565', 'high'],
    ],
  ),
  ...ratios(
    { ...HK, code: 'SFC_LEVY', name: 'Transaction Levy (SFC)', source: `sfc.hk, levy; ${CHARGES_PAGE}` },
    [
      ['', '2006-11-30', '0.00005', 'medium'],
      ['2006-12-01', '2010-09-30', '0.00004', 'medium'],
      ['2010-10-01', '2014-10-31', '0.00003', 'medium'],
      ['2014-11-01', '', '0.000027', 'high'],
    ],
  ),
  ...ratios(
    {
      ...HK,
      code: 'AFRC_LEVY',
      name: 'Transaction Levy (AFRC)',
      source: `afrc.org.hk, levy; ${CHARGES_PAGE}`,
    },
    [['2022-01-01', '', '0.0000015', 'high']],
  ),
];

const CCASS = {
  ...HK,
  code: 'SETTLEMENT_FEE',
  name: 'Settlement Fee',
  source: `hkex.com.hk, CCASS; ${CHARGES_PAGE}`,
} as const;

const HK_SETTLEMENT: readonly ChargeRow[] = [
  ...ratios({ ...CCASS, minimum: decimal('2'), maximum: decimal('100') }, [
    ['', '2025-06-29', '0.00002', 'high'],
  ]),
  ...ratios(CCASS, [['2025-06-30', '', '0.000042', 'high']]),
];

/** Exchange, clearing and government charges. A tradable index is charged as a share. */
export const HK_CHARGES: readonly ChargeRow[] = [...STAMP_DUTY, ...HK_LEVIES, ...HK_SETTLEMENT];

/** Typical platform fee of the segment; this broker publishes none. */
export const HK_PLATFORM_FEE: ChargeRow = {
  code: 'PLATFORM_FEE',
  name: 'Platform Fee',
  category: 'broker',
  market: 'HK',
  basis: { kind: 'per-order', amount: decimal('15') },
  rounding: 'cent',
  source: CHARGES_PAGE,
  confidence: 'low',
};
