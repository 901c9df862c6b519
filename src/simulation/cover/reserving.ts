import type { ChargeSchedule } from '../../markets/charges.ts';
import { Decimal, type Price, ZERO } from '../../model/decimal.ts';
import { unitValue } from '../../model/option-symbol.ts';
import type { OrderTerms } from '../../model/order.ts';
import { type Market, marketOf } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { stopBehind } from '../market/watch.ts';
import type { MarginModel } from '../models.ts';
import { billed, estimateCharges } from '../orders/bill.ts';
import { watchOf } from '../orders/conditions.ts';
import { NO_RESERVE, type Reserve } from '../orders/reserve.ts';
import { isConditional, restOf, type VenueOrder } from '../orders/venue-order.ts';

/** What an order is counted at when it states no price: the last price and something on top. */
export function bufferFor(market: Market, model: MarginModel): Decimal {
  return model.marketBuffer[market] ?? model.marketBufferElse;
}

/**
 * The price that an order is reserved at: its limit, else its trigger or the last price with the market's buffer.
 * Undefined when there is neither.
 * @see docs/wire-protocol.md, "Calls"
 */
export function reservePriceOf(
  terms: OrderTerms,
  last: Price | undefined,
  model: MarginModel,
): Price | undefined {
  if (terms.price !== undefined) return terms.price;
  return (terms.triggerPrice ?? last)?.times(bufferFor(marketOf(terms.symbol), model));
}

/** The price that an order is rehearsed at: its stop, else its limit, else the last price. */
export function rehearsalPriceOf(terms: OrderTerms, last: Price | undefined): Price | undefined {
  if (terms.triggerPrice !== undefined || terms.price !== undefined) return terms.triggerPrice ?? terms.price;
  const watch = isConditional(terms.type) ? watchOf(terms, last?.toNumber()) : undefined;
  return watch?.kind === 'trail' && last !== undefined ? stopBehind(last.toNumber(), watch).price : last;
}

/** What the order reserves as it stands. */
export function reserveOf(order: VenueOrder, schedule: ChargeSchedule, at: Millis): Reserve {
  const { reservePrice, security, terms } = order;
  const rest = restOf(order);
  if (reservePrice === undefined || order.stage === 'done') return NO_RESERVE;
  const notional = rest.times(reservePrice);
  if (terms.side === 'sell') return { notional, fees: ZERO };
  const whole = { quantity: terms.quantity, notional: unitValue(security, order.notional).plus(notional) };
  const estimate = estimateCharges({ security, side: terms.side, ...whole, at }, schedule);
  return { notional, fees: Decimal.max(ZERO, estimate.minus(billed(order.bill))) };
}
