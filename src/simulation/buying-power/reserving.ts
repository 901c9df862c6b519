import type { ChargeSchedule } from '../../markets/charges.ts';
import { type Amount, add, max, multiply, subtract, toAmount, toDouble } from '../../model/amount.ts';
import { unitAmount } from '../../model/option-symbol.ts';
import type { OrderTerms } from '../../model/order.ts';
import { type Market, marketOf } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import { stopBehind } from '../market/watch.ts';
import type { MarginModel } from '../models.ts';
import { billed, estimateCharges } from '../orders/bill.ts';
import { watchOf } from '../orders/conditions.ts';
import { isConditional, NO_RESERVE, type Reserve, restOf, type VenueOrder } from '../orders/venue-order.ts';

/** Returns the factor on the last price at which an order without a price is reserved. */
export function bufferFor(market: Market, model: MarginModel): Amount {
  return toAmount(model.marketBuffer[market] ?? model.marketBufferElse);
}

/**
 * Returns the price at which an order is reserved: its limit, otherwise its trigger or the last price times the market
 * buffer. Undefined if there is none of these.
 * @see docs/wire-protocol.md, "Calls"
 */
export function reservePriceOf(
  terms: OrderTerms,
  last: Amount | undefined,
  model: MarginModel,
): Amount | undefined {
  if (terms.price !== undefined) return toAmount(terms.price);
  const price = terms.triggerPrice === undefined ? last : toAmount(terms.triggerPrice);
  return price === undefined ? undefined : multiply(price, bufferFor(marketOf(terms.symbol), model), 'exact');
}

/**
 * Returns the price for the sequential check: the trigger, otherwise the limit, otherwise the trailing stop's current
 * level or the last price.
 */
export function sequentialCheckPriceOf(terms: OrderTerms, last: Amount | undefined): Amount | undefined {
  const stated = terms.triggerPrice ?? terms.price;
  if (stated !== undefined) return toAmount(stated);
  const price = last === undefined ? undefined : toDouble(last);
  const watch = isConditional(terms.type) ? watchOf(terms, price) : undefined;
  return watch?.kind === 'trail' && price !== undefined ? toAmount(stopBehind(price, watch).price) : last;
}

export function reserveOf(order: VenueOrder, schedule: ChargeSchedule, at: Millis): Reserve {
  const { reservePrice, security, terms } = order;
  const rest = restOf(order);
  if (reservePrice === undefined || order.stage === 'done') return NO_RESERVE;
  const notional = multiply(rest, reservePrice, 'exact');
  if (terms.side === 'sell') return { notional, fees: 0 };
  const whole = {
    quantity: order.quantity,
    notional: add(unitAmount(security, order.notional), notional),
  };
  const estimate = estimateCharges({ security, side: terms.side, ...whole, at }, schedule);
  return { notional, fees: max(0, subtract(estimate, billed(order.bill))) };
}
