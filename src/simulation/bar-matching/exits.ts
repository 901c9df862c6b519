import { toDecimal } from '../../model/amount.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { Millis } from '../../model/time.ts';
import { NO_EXTRAS } from '../orders/order-extras.ts';
import { newOrder, type VenueOrder } from '../orders/venue-order.ts';
import type { Tranche } from './tranches.ts';

/** An exit and its queue position: stop-losses first, take-profits last. */
type NewExit = readonly [exit: VenueOrder, place: 'front' | 'back'];

interface NewExits {
  readonly entry: VenueOrder;
  readonly tranche: Tranche;
  readonly at: Millis;
  readonly nextOrderId: (at: Millis) => VenueOrder['id'];
}

/** Creates the stop-loss and take-profit attached to an entry for the tranche that it opened. */
export function exitsOf({ entry, tranche, at, nextOrderId }: NewExits): readonly NewExit[] {
  const { stopLoss, takeProfit } = entry.extras;
  const exits: NewExit[] = [];
  const common = {
    symbol: entry.terms.symbol,
    side: entry.terms.side === 'buy' ? 'sell' : 'buy',
    quantity: toDecimal(tranche.left),
    timeInForce: 'gtc',
  } as const;
  const exit = (terms: OrderTerms): VenueOrder =>
    newOrder({
      id: nextOrderId(at),
      accountId: entry.accountId,
      security: entry.security,
      submittedAt: at,
      terms,
      remark: '',
      extras: { ...NO_EXTRAS, closes: entry.id },
      day: entry.day,
      expiresAt: entry.expiresAt,
      rejection: undefined,
      reservePrice: undefined,
    });
  if (takeProfit !== undefined) {
    tranche.takeProfit = exit({ ...common, type: 'LO', price: takeProfit });
    exits.push([tranche.takeProfit, 'back']);
  }
  if (stopLoss !== undefined) {
    tranche.stopLoss = exit({ ...common, type: 'MIT', triggerPrice: stopLoss });
    exits.push([tranche.stopLoss, 'front']);
  }
  return exits;
}
