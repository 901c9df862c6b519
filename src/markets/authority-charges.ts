import { decimal } from '../model/decimal.ts';
import type { SecurityKind } from '../model/security.ts';
import { calendarDay } from '../model/time.ts';
import type { ChargeRow, Confidence } from './charge-row.ts';

const REFERENCE = 'docs/charges.md';
const CENT = decimal('0.01');

/** A period from one day to another (both included, empty text is open) with its figures. */
type Dated = readonly [from: string, until: string, figure: string, confidence: Confidence];

function period(from: string, until: string): Pick<ChargeRow, 'from' | 'until'> {
  return {
    ...(from === '' ? {} : { from: calendarDay(from) }),
    ...(until === '' ? {} : { until: calendarDay(until) }),
  };
}

type Common = Omit<ChargeRow, 'from' | 'until' | 'basis' | 'confidence'>;

function ratios(common: Common, rows: readonly Dated[]): readonly ChargeRow[] {
  return rows.map(([from, until, rate, confidence]) => ({
    ...common,
    ...period(from, until),
    basis: { kind: 'percent', rate: decimal(rate) },
    confidence,
  }));
}

const HK = { category: 'third-party', market: 'HK', rounding: 'cent' } as const;
const US = { category: 'third-party', market: 'US', rounding: 'cent' } as const;

const NO_STAMP: readonly SecurityKind[] = ['etf', 'warrant', 'cbbc', 'option'];
const STAMP = { ...HK, code: 'STAMP_DUTY', name: 'Stamp Duty', rounding: 'whole-up' } as const;
const STAMP_SOURCE = `Stamp Duty Ordinance (Cap. 117), first schedule; ${REFERENCE}`;

/** Stamp duty is whole dollars, rounded up; REITs were spared from 2024-12-21, funds are taken as spared throughout. */
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
      source: `hkex.com.hk, fees; ${REFERENCE}`,
    },
    [
      ['', '2022-12-31', '0.00005', 'medium'],
      ['2023-01-01', '', '0.0000565', 'high'],
    ],
  ),
  ...ratios(
    { ...HK, code: 'SFC_LEVY', name: 'Transaction Levy (SFC)', source: `sfc.hk, levy; ${REFERENCE}` },
    [
      ['', '2006-11-30', '0.00005', 'medium'],
      ['2006-12-01', '2010-09-30', '0.00004', 'medium'],
      ['2010-10-01', '2014-10-31', '0.00003', 'medium'],
      ['2014-11-01', '', '0.000027', 'high'],
    ],
  ),
  ...ratios(
    { ...HK, code: 'AFRC_LEVY', name: 'Transaction Levy (AFRC)', source: `afrc.org.hk, levy; ${REFERENCE}` },
    [['2022-01-01', '', '0.0000015', 'high']],
  ),
];

const CCASS = {
  ...HK,
  code: 'SETTLEMENT_FEE',
  name: 'Settlement Fee',
  source: `hkex.com.hk, CCASS; ${REFERENCE}`,
} as const;

const HK_SETTLEMENT: readonly ChargeRow[] = [
  ...ratios({ ...CCASS, minimum: decimal('2'), maximum: decimal('100') }, [
    ['', '2025-06-29', '0.00002', 'high'],
  ]),
  ...ratios(CCASS, [['2025-06-30', '', '0.000042', 'high']]),
];

/**
 * The fee of section 31 on sales. Rates before 2012-04-01 changed yearly between 5 and 33 per million; the oldest row
 * stands in for them. The rate of 2026-04-04 is believed, not confirmed.
 */
const SEC_FEE: readonly ChargeRow[] = ratios(
  {
    ...US,
    code: 'SEC_FEE',
    name: 'SEC Fee',
    side: 'sell',
    minimum: CENT,
    source: `sec.gov, fee rate advisories; finra.org, information notices; ${REFERENCE}`,
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

/** The trading activity fee on sales: per share, with a cap per trade. The oldest row stands in for the years before. */
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
  ...period(from, until),
  code: 'TAF',
  name: 'Trading Activity Fee (FINRA)',
  side: 'sell',
  exempt: ['option'],
  basis: { kind: 'per-share', perShare: decimal(perShare) },
  minimum: CENT,
  maximum: decimal(cap),
  source: `finra.org, By-Laws schedule A, section 1; ${REFERENCE}`,
  confidence,
}));

const US_SETTLEMENT: ChargeRow = {
  ...US,
  code: 'SETTLEMENT_FEE',
  name: 'Settlement Fee',
  exempt: ['option'],
  basis: { kind: 'per-share', perShare: decimal('0.003') },
  source: REFERENCE,
  confidence: 'medium',
};

/**
 * What exchanges, clearing houses and states charge, by market and date. An index made tradable is charged as a share
 * of its market. Fees of option contracts are left out.
 */
export const AUTHORITY_CHARGES: readonly ChargeRow[] = [
  ...STAMP_DUTY,
  ...HK_LEVIES,
  ...HK_SETTLEMENT,
  ...SEC_FEE,
  ...TAF,
  US_SETTLEMENT,
];
