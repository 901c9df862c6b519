import type { FillColumns } from '../../events/curve/fill-columns.ts';
import { chargesBeyond } from '../../execution/orders/executions-of.ts';
import type { ChargeTable } from '../../markets/charges.ts';
import { decimalOfDouble, ONE } from '../../model/amount.ts';
import { ZERO } from '../../model/decimal.ts';
import type { BookedFill } from '../../model/fill.ts';
import type { Charge, OrderId } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { millis } from '../../model/time.ts';
import { wholeSeconds } from '../../model/whole-seconds.ts';
import { chargesIn } from '../../simulation/orders/bill.ts';
import { nthOrderId } from '../../simulation/orders/order-ids.ts';
import { nthExecutionId } from '../../simulation/orders/venue-order.ts';
import type { RunSetup } from '../setup.ts';
import { chargeTables } from './charges.ts';
import { unitsOf } from './units.ts';

/** A fill; `quantity` is positive for a buy and negative for a sell. */
export interface FillFigures {
  readonly at: number;
  readonly price: number;
  readonly quantity: number;
}

/** The earlier fills of an order: shares, price x shares in units, and their number. */
interface FilledBefore {
  readonly executed: number;
  readonly notional: number;
  readonly fills: number;
}

/**
 * Returns the itemized charges of a fill: those of the order for all its fills so far, less those of the earlier
 * ones.
 */
export function chargesOfFill(
  table: ChargeTable,
  { at, price, quantity }: FillFigures,
  { currency }: Security,
  { executed, notional }: FilledBefore,
): readonly Charge[] {
  const shares = Math.abs(quantity);
  const total = table.lines(at, (executed + shares) * ONE, notional + unitsOf(price) * shares);
  if (executed === 0) return chargesIn(total, currency);
  const before = chargesIn(table.lines(at, executed * ONE, notional), currency);
  return chargesBeyond(chargesIn(total, currency), new Map(before.map(({ code, amount }) => [code, amount])));
}

/** Returns a fill as the venue reports it; `before` is the number of the order's earlier fills. */
export function bookedFill(
  { at, price, quantity }: FillFigures,
  { symbol, currency }: Security,
  { orderId, before }: { readonly orderId: OrderId; readonly before: number },
  charges: readonly Charge[],
): BookedFill {
  return {
    executionId: nthExecutionId(orderId, millis(at), before),
    orderId,
    symbol,
    side: quantity > 0 ? 'buy' : 'sell',
    quantity: decimalOfDouble(Math.abs(quantity)),
    price: decimalOfDouble(price),
    currency,
    fee: charges.reduce((sum, { amount }) => sum.plus(amount), ZERO),
    charges,
    time: wholeSeconds(millis(at)),
  };
}

/** Returns the fills of a run from its columns; `sentAt` is when each order was sent. */
export function fillsOfColumns(
  fills: FillColumns,
  sentAt: Float64Array,
  { securities, charges }: Pick<RunSetup, 'securities' | 'charges'>,
): readonly BookedFill[] {
  const buys = chargeTables(charges, securities, 'buy');
  const sells = chargeTables(charges, securities, 'sell');
  const sequence = sequenceOf(sentAt);
  const filled = new Map<number, FilledBefore>();
  return Array.from({ length: fills.length }, (_, row) => {
    const place = fills.security[row] as number;
    const order = fills.order[row] as number;
    const figures = {
      at: fills.at[row] as number,
      price: fills.price[row] as number,
      quantity: fills.quantity[row] as number,
    };
    const security = securities[place] as Security;
    const table = (figures.quantity > 0 ? buys : sells)[place] as ChargeTable;
    const orderId = nthOrderId((sequence[order] as number) + 1, millis(sentAt[order] as number));
    const before = filled.get(order) ?? UNFILLED;
    filled.set(order, filledWith(before, figures));
    const lines = chargesOfFill(table, figures, security, before);
    return bookedFill(figures, security, { orderId, before: before.fills }, lines);
  });
}

const UNFILLED: FilledBefore = { executed: 0, notional: 0, fills: 0 };

function filledWith(
  { executed, notional, fills }: FilledBefore,
  { price, quantity }: FillFigures,
): FilledBefore {
  const shares = Math.abs(quantity);
  return { executed: executed + shares, notional: notional + unitsOf(price) * shares, fills: fills + 1 };
}

/** Returns the rank of each order by the time of sending; renewed exits are recorded later than they are sent. */
function sequenceOf(sentAt: Float64Array): Uint32Array {
  const byTime = Uint32Array.from(sentAt.keys()).sort(
    (one, other) => (sentAt[one] as number) - (sentAt[other] as number) || one - other,
  );
  const sequence = new Uint32Array(sentAt.length);
  for (const [place, order] of byTime.entries()) sequence[order] = place;
  return sequence;
}
