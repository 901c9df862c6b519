import type { SecurityKind } from '../../model/security.ts';
import type { ChargeRow } from '../charge-row.ts';
import { CHARGES_PAGE, type CommonCharge, ratios } from '../dated-charges.ts';

const NO_FEE: readonly SecurityKind[] = ['option'];
const SG: Omit<CommonCharge, 'code' | 'name' | 'source'> = {
  category: 'third-party',
  market: 'SG',
  rounding: 'cent',
  exempt: NO_FEE,
};
const SOURCE = `sgx.com, "Fees: securities trading and clearing"; ${CHARGES_PAGE}`;

/**
 * Exchange, clearing and government charges. Today's clearing fee is also used before June 2014 (then 0.04 %, at
 * most 600 dollars). GST applies to both fees: 0.04 % in total, times the tax rate of the year. Scripless shares bear
 * no stamp duty.
 * @see iras.gov.sg, "GST rates"
 */
export const SG_CHARGES: readonly ChargeRow[] = [
  ...ratios({ ...SG, code: 'CLEARING_FEE', name: 'Clearing Fee (CDP)', source: SOURCE }, [
    ['', '2014-05-31', '0.000325', 'low'],
    ['2014-06-01', '', '0.000325', 'high'],
  ]),
  ...ratios({ ...SG, code: 'TRADING_FEE', name: 'Trading Access Fee (SGX)', source: SOURCE }, [
    ['', '', '0.000075', 'high'],
  ]),
  ...ratios(
    {
      ...SG,
      code: 'GST',
      name: 'Goods and Services Tax',
      source: `iras.gov.sg, "GST rates"; ${CHARGES_PAGE}`,
    },
    [
      ['', '2007-06-30', '0.00002', 'medium'],
      ['2007-07-01', '2022-12-31', '0.000028', 'high'],
      ['2023-01-01', '2023-12-31', '0.000032', 'high'],
      ['2024-01-01', '', '0.000036', 'high'],
    ],
  ),
];
