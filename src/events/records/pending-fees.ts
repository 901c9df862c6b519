import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Currency } from '../../model/money.ts';
import type { IntentId } from '../../model/order.ts';
import type { SluiceEvent } from '../event.ts';

/** The executed part of an order whose charges are unknown. */
export interface PendingFee {
  readonly currency: Currency;
  /** Sum of price times quantity of those executions. */
  readonly notional: Decimal;
}

export type PendingFees = ReadonlyMap<IntentId, PendingFee>;

/** Tracks executed orders whose charges are unknown (I-13). */
export function createPendingFeesFold() {
  const uncharged = new Map<IntentId, PendingFee>();

  return {
    uncharged: uncharged as PendingFees,
    apply(event: SluiceEvent): void {
      switch (event.kind) {
        case 'order-filled': {
          const { intentId, fill, chargesOpen } = event;
          if (chargesOpen !== true) {
            uncharged.delete(intentId);
            return;
          }
          const before = uncharged.get(intentId)?.notional ?? ZERO;
          const notional = before.plus(fill.price.times(fill.quantity));
          uncharged.set(intentId, { currency: fill.currency, notional });
          return;
        }
        case 'order-charged':
        case 'order-settled':
          uncharged.delete(event.intentId);
          return;
        case 'books-adopted':
          uncharged.clear();
          return;
        default:
      }
    },
  };
}
