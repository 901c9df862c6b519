import { onTick, roundToTick, tickOf } from '../../markets/ticks.ts';
import { amountOfDouble, compare, toAmount } from '../../model/amount.ts';
import { Decimal, type Price } from '../../model/decimal.ts';
import type { OrderTerms } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import type { CalendarDay } from '../../model/time.ts';
import type { Level, TrailDistance, Watch } from '../market/watch.ts';

/**
 * Returns the condition of an order, given the last price at acceptance. The broker does not publish trigger
 * directions: a trigger above the last price fires on the way up, one below on the way down, an equal one at once.
 * @see https://open.longbridge.com/docs, "Trade definition"
 */
export function watchOf(terms: OrderTerms, last: number | undefined): Watch {
  const hits = Math.max(1, terms.triggerCount ?? 1);
  if (terms.triggerPrice !== undefined)
    return { kind: 'level', level: levelFrom(last, terms.triggerPrice), hits };
  return {
    kind: 'trail',
    side: terms.side,
    distance: distanceOf(terms),
    anchor: last,
    monitor: terms.monitorPrice === undefined ? undefined : levelFrom(last, terms.monitorPrice),
    hits,
  };
}

/**
 * Derives a level's direction from the last price. Before the first price it is unknown, so any print reaches the
 * level.
 */
function levelFrom(last: number | undefined, price: Price): Level {
  if (last === undefined) return { direction: 'any', price };
  const side = compare(toAmount(price), amountOfDouble(last));
  if (side === 0) return { direction: 'any', price };
  return { direction: side > 0 ? 'up' : 'down', price };
}

const HUNDRED = new Decimal(100);

export function distanceOf(terms: OrderTerms): TrailDistance {
  if (terms.trailingAmount !== undefined) return { kind: 'amount', amount: terms.trailingAmount };
  if (terms.trailingPercent !== undefined) {
    return { kind: 'ratio', ratio: terms.trailingPercent.div(HUNDRED) };
  }
  throw new Error(`Order type ${terms.type} has neither a trigger price nor a trailing distance`);
}

/**
 * Returns the limit price of a trailing order triggered at `market`: the offset beyond it, or a book level (counted in
 * ticks from the last price, as there is no book). Rounded to a tick of its price band towards a fill.
 */
export function releasedLimit(terms: OrderTerms, market: Price, security: Security, day: CalendarDay): Price {
  const level = terms.limitDepthLevel ?? 0;
  const offset = terms.limitOffset ?? new Decimal(0);
  const buys = terms.side === 'buy';
  const wanted =
    level === 0
      ? buys
        ? market.plus(offset)
        : market.minus(offset)
      : market.plus(tickOf(security, market, day).times(level));
  return onTick(security, wanted, { day, direction: buys ? 'up' : 'down' });
}

/**
 * Returns the price at which a condition met between two prints trades: a level between two ticks is met at the next
 * tick on the way, but not beyond the print. Such levels come from trailing stops, and from triggers set before the
 * ticks changed.
 */
export function metPrice(price: Price, printed: Price, security: Security, day: CalendarDay): Price {
  const tick = tickOf(security, price, day);
  const exact = toAmount(printed);
  const isAbove = compare(exact, toAmount(price)) >= 0;
  const met = roundToTick(price, tick, isAbove ? 'up' : 'down');
  const side = compare(exact, toAmount(met));
  return (isAbove ? side < 0 : side > 0) ? printed : met;
}
