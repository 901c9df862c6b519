import { dayOf } from '../../markets/sessions.ts';
import { onTick, tickOf } from '../../markets/ticks.ts';
import {
  type Amount,
  add,
  max,
  multiply,
  ONE,
  subtract,
  toAmount,
  toDecimal,
  toDouble,
} from '../../model/amount.ts';
import { Decimal, type Price } from '../../model/decimal.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { BarFigures } from '../market/prints.ts';
import type { FillModel, SlippageModel } from '../models.ts';
import { limitOf, restOf, type VenueOrder } from '../orders/venue-order.ts';
import type { FillQuestion } from '../own-fills.ts';

/** What an order takes: a print's price, in a bar, at an instant. */
export interface Taken {
  readonly price: Price;
  readonly bar: BarFigures;
  readonly at: Millis;
}

const HALF = new Decimal('0.5');
const PRICE_PLACES = 8;
/** What a sale gets that slippage leaves nothing of. */
const LEAST_PRICE = new Decimal('0.00000001');

/** An order that takes, as far as its price depends on it. */
export interface TakingOrder {
  readonly security: Security;
  readonly terms: Pick<OrderTerms, 'symbol' | 'side' | 'type'>;
  /** Quantity that is still to be filled. */
  readonly rest: Amount;
  /** Its limit; undefined for an order at the market. */
  readonly limit: Price | undefined;
}

/** The price of a taking order of the venue: `takenPrice`. */
export function slippedPrice(order: VenueOrder, met: Taken, fills: FillModel): Price {
  const limit = isMarketType(order) ? undefined : limitOf(order);
  return takenPrice({ security: order.security, terms: order.terms, rest: restOf(order), limit }, met, fills);
}

/**
 * The price that an order which takes gets instead of the print's: worse by the model's share, rounded against the order
 * to the tick where ticks are checked (else to 8 decimals), never beyond the order's own limit, never zero.
 */
export function takenPrice(order: TakingOrder, met: Taken, fills: FillModel): Price {
  const { price } = met;
  const { limit } = order;
  if (fills.slippage.kind === 'none' && fills.own?.slippage === undefined) return price;
  const buys = order.terms.side === 'buy';
  const worse = worsePrice(order, met, fills);
  if (worse.eq(price)) return price;
  const day = dayOf(marketOf(order.terms.symbol), met.at);
  const rounded = fills.checkTicks
    ? onTick(order.security, worse, { day, direction: buys ? 'up' : 'down' })
    : worse.toDecimalPlaces(PRICE_PLACES);
  if (limit === undefined) return Decimal.max(rounded, LEAST_PRICE);
  return buys
    ? Decimal.min(rounded, Decimal.max(limit, price))
    : Decimal.max(rounded, Decimal.min(limit, price));
}

/** What the model makes of a price, before it is rounded or bounded. */
function worsePrice(order: TakingOrder, { price, bar, at }: Taken, fills: FillModel): Price {
  const buys = order.terms.side === 'buy';
  const { slippage, own } = fills;
  if (slippage.kind === 'ticks' && own?.slippage === undefined)
    return stepsAway(order, { price, at }, slippage.ticks);
  const share = toAmount(shareFor(order, price, bar, fills));
  const factor = buys ? add(ONE, share) : max(0, subtract(ONE, share));
  return toDecimal(multiply(toAmount(price), factor, 'exact'));
}

/** The price so many ticks against the order; each step is one of the band that it begins in. */
function stepsAway(
  { security, terms }: TakingOrder,
  from: Pick<Taken, 'price' | 'at'>,
  ticks: number,
): Price {
  let { price } = from;
  const day = dayOf(marketOf(terms.symbol), from.at);
  for (let left = ticks; left > 0; left -= 1) {
    const tick = tickOf(security, price, day);
    if (terms.side === 'buy') price = price.plus(tick);
    else price = price.minus(tickOf(security, price.minus(tick), day));
  }
  return price;
}

/** The question to a custom fill model about an order that meets a print. */
export function fillQuestion(
  { security, terms }: Pick<TakingOrder, 'security' | 'terms'>,
  met: {
    readonly quantity: Amount;
    readonly price: Price;
    readonly volume: number;
    readonly bar: BarFigures;
  },
): FillQuestion {
  const { open, high, low, close, volume } = met.bar;
  return {
    symbol: terms.symbol,
    side: terms.side,
    type: terms.type,
    quantity: toDouble(met.quantity),
    price: met.price.toNumber(),
    volume: met.volume,
    bar: Object.freeze({ open, high, low, close, volume }),
    lotSize: security.lotSize,
  };
}

function shareFor(order: TakingOrder, price: Price, bar: BarFigures, fills: FillModel): Decimal {
  const own = fills.own?.slippage;
  const quantity = order.rest;
  if (own === undefined) return shareOf(fills.slippage, quantity, bar);
  return new Decimal(own(fillQuestion(order, { quantity, price, volume: bar.volume, bar })));
}

function isMarketType({ behaviour }: VenueOrder): boolean {
  return behaviour === 'market' || behaviour === 'auction-market';
}

function shareOf(model: SlippageModel, quantity: Amount, bar: BarFigures): Decimal {
  switch (model.kind) {
    case 'none':
    case 'ticks':
      return new Decimal(0);
    case 'fixed':
      return model.ratio;
    case 'spread':
      return model.ratio.times(HALF);
    case 'square-root': {
      const sigma = bar.low > 0 ? Math.log(bar.high / bar.low) / (2 * Math.sqrt(Math.LN2)) : 0;
      const taken = bar.volume > 0 ? toDouble(quantity) / bar.volume : 1;
      return model.coefficient.times(new Decimal(sigma * Math.sqrt(taken)).toDecimalPlaces(PRICE_PLACES));
    }
  }
}
