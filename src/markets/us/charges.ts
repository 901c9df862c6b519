import { decimal } from '../../model/decimal.ts';
import type { ChargeRow } from '../charge-row.ts';
import { CENT, CHARGES_PAGE, datesOf, ratios } from '../dated-charges.ts';

const US = { category: 'third-party', market: 'US', rounding: 'cent' } as const;

/**
 * Section 31 fee on sells. Rates before 2012-04-01 changed yearly between 5 and 33 per million; the oldest row is used
 * for them. The rate of 2026-04-04 is not confirmed.
 */
const SEC_FEE: readonly ChargeRow[] = ratios(
  {
    ...US,
    code: 'SEC_FEE',
    name: 'SEC Fee',
    side: 'sell',
    minimum: CENT,
    source: `sec.gov, fee rate advisories; finra.org, information notices; ${CHARGES_PAGE}`,
  },
  [
    ['', '2012-03-31', '0.0000224', 'low'],
    ['2012-04-01', '2013-05-24', '0.0000224', 'medium'],
    ['2013-05-25', '2014-03-17', '0.0000174', 'medium'],
    ['2014-03-18', '2015-02-13', '0.0000221', 'high'],
    ['2015-02-14', '2016-02-15', '0.0000184', 'medium'],
    ['2016-02-16', '2017-07-03', '0.0000218', 'medium'],
    ['2017-07-04', '2018-05-21', '0.0000231', 'high'],
    ['2018-05-22', '2019-04-15', '0.000013', 'high'],
    ['2019-04-16', '2020-02-17', '0.0000207', 'medium'],
    ['2020-02-18', '2021-02-24', '0.0000221', 'medium'],
    ['2021-02-25', '2022-05-13', '0.0000051', 'high'],
    ['2022-05-14', '2023-02-26', '0.0000229', 'medium'],
    ['2023-02-27', '2024-05-21', '0.000008', 'medium'],
    ['2024-05-22', '2025-05-13', '0.0000278', 'medium'],
    ['2025-05-14', '2026-04-03', '0', 'high'],
    ['2026-04-04', '', '0.0000206', 'medium'],
  ],
);

/** Trading activity fee on sells: per share, capped per trade. The oldest row is used for earlier years. */
const TAF: readonly ChargeRow[] = (
  [
    ['', '2012-06-30', '0.000119', '5.95', 'low'],
    ['2012-07-01', '2021-12-31', '0.000119', '5.95', 'medium'],
    ['2022-01-01', '2022-12-31', '0.00013', '6.49', 'medium'],
    ['2023-01-01', '2023-12-31', '0.000145', '7.27', 'medium'],
    ['2024-01-01', '2025-12-31', '0.000166', '8.30', 'medium'],
    ['2026-01-01', '', '0.000195', '9.79', 'high'],
  ] as const
).map(([from, until, perShare, cap, confidence]) => ({
  ...US,
  ...datesOf(from, until),
  code: 'TAF',
  name: 'Trading Activity Fee (FINRA)',
  side: 'sell',
  exempt: ['option'],
  basis: { kind: 'per-share', perShare: decimal(perShare) },
  minimum: CENT,
  maximum: decimal(cap),
  source: `finra.org, By-Laws schedule A, section 1; ${CHARGES_PAGE}`,
  confidence,
}));

const US_SETTLEMENT: ChargeRow = {
  ...US,
  code: 'SETTLEMENT_FEE',
  name: 'Settlement Fee',
  exempt: ['option'],
  basis: { kind: 'per-share', perShare: decimal('0.003') },
  source: CHARGES_PAGE,
  confidence: 'medium',
};

/**
 * Exchange, clearing and government charges. A tradable index is charged as a share. Fees of option contracts are
 * omitted.
 */
export const US_CHARGES: readonly ChargeRow[] = [...SEC_FEE, ...TAF, US_SETTLEMENT];

/** Typical platform fee of the segment; this broker publishes none. */
export const US_PLATFORM_FEE: ChargeRow = {
  code: 'PLATFORM_FEE',
  name: 'Platform Fee',
  category: 'broker',
  market: 'US',
  exempt: ['option'],
  basis: { kind: 'per-share', perShare: decimal('0.005') },
  minimum: decimal('1'),
  maximumRatio: decimal('0.01'),
  rounding: 'cent',
  source: CHARGES_PAGE,
  confidence: 'low',
};
