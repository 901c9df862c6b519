import { ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import type { Charge } from '../../model/order.ts';
import type { WireChargeDetail } from '../schemas/order-responses.ts';
import { WireError } from '../wire-error.ts';
import { readDecimal } from './values.ts';

type Category = Charge['category'];

const GROUPS: readonly { readonly category: Category; readonly code: string; readonly name: string }[] = [
  { category: 'broker', code: 'BROKER_FEES', name: 'Broker Fees' },
  { category: 'third-party', code: 'THIRD_FEES', name: 'Third-party Fees' },
];

/**
 * Parses the charges of an order; undefined if the answer has no charge detail, empty before any charge. Throws
 * WireError (`unknown-value`) for an unknown category.
 */
export function readCharges(detail: WireChargeDetail | null | undefined): readonly Charge[] | undefined {
  if (detail === null || detail === undefined) return undefined;
  return detail.items.flatMap((item) =>
    item.fees.map((fee) => ({
      code: fee.code,
      name: fee.name,
      category: categoryOf(item.code),
      amount: readDecimal(fee.amount, `charge ${fee.code}`),
      currency: fee.currency,
    })),
  );
}

/** Formats the charge detail of an order, broker fees first; null if charges are unknown. */
export function writeChargeDetail(charges: readonly Charge[] | undefined, currency: Currency) {
  if (charges === undefined) return null;
  const own = charges.filter((charge) => charge.currency === currency);
  const total = own.reduce((sum, charge) => sum.plus(charge.amount), ZERO);
  const items = GROUPS.map((group) => ({
    code: group.code,
    name: group.name,
    fees: charges.filter((charge) => charge.category === group.category).map(writeFee),
  }));
  return { total_amount: total.toFixed(), currency, items: items.filter((item) => item.fees.length > 0) };
}

function writeFee(charge: Charge) {
  return { code: charge.code, name: charge.name, amount: charge.amount.toFixed(), currency: charge.currency };
}

function categoryOf(code: string): Category {
  const group = GROUPS.find((each) => each.code === code);
  if (group !== undefined) return group.category;
  throw new WireError('unknown-value', `Cannot read charges: unknown category "${code}"`);
}
