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

export interface MatchedPrint {
  readonly price: Price;
  readonly bar: BarFigures;
  readonly at: Millis;
}

const HALF = new Decimal('0.5');
const PRICE_PLACES = 8;
/** Minimum price of a sale after slippage. */
const MIN_PRICE = new Decimal('0.00000001');

interface TakingOrder {
  readonly security: Security;
  readonly terms: Pick<OrderTerms, 'symbol' | 'side' | 'type'>;
  /** Unfilled quantity. */
  readonly rest: Amount;
  /** Undefined for a market order. */
  readonly limit: Price | undefined;
}

export function slippedPrice(order: VenueOrder, met: MatchedPrint, fills: FillModel): Price {
  const limit = isMarketType(order) ? undefined : limitOf(order);
  return takerPrice({ security: order.security, terms: order.terms, rest: restOf(order), limit }, met, fills);
}

/**
 * Returns the price of an order that takes liquidity: the print's price made worse by the slippage model, rounded
 * against the order to the tick if ticks are checked (otherwise to 8 decimals), never beyond the order's limit, never
 * zero.
 */
export function takerPrice(order: TakingOrder, met: MatchedPrint, fills: FillModel): Price {
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
  if (limit === undefined) return Decimal.max(rounded, MIN_PRICE);
  return buys
    ? Decimal.min(rounded, Decimal.max(limit, price))
    : Decimal.max(rounded, Decimal.min(limit, price));
}

function worsePrice(order: TakingOrder, { price, bar, at }: MatchedPrint, fills: FillModel): Price {
  const buys = order.terms.side === 'buy';
  const { slippage, own } = fills;
  if (slippage.kind === 'ticks' && own?.slippage === undefined)
    return priceTicksAway(order, { price, at }, slippage.ticks);
  const share = toAmount(slippageRatioFor(order, price, bar, fills));
  const factor = buys ? add(ONE, share) : max(0, subtract(ONE, share));
  return toDecimal(multiply(toAmount(price), factor, 'exact'));
}

/** Returns the price this many ticks against the order; each step uses the tick of the band in which it begins. */
function priceTicksAway(
  { security, terms }: TakingOrder,
  from: Pick<MatchedPrint, 'price' | 'at'>,
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

function slippageRatioFor(order: TakingOrder, price: Price, bar: BarFigures, fills: FillModel): Decimal {
  const own = fills.own?.slippage;
  const quantity = order.rest;
  if (own === undefined) return modelledRatio(fills.slippage, quantity, bar);
  return new Decimal(own(fillQuestion(order, { quantity, price, volume: bar.volume, bar })));
}

function isMarketType({ behaviour }: VenueOrder): boolean {
  return behaviour === 'market' || behaviour === 'auction-market';
}

function modelledRatio(model: SlippageModel, quantity: Amount, bar: BarFigures): Decimal {
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
