import { decimalOfDouble } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';
import type { BarFigures } from '../market/prints.ts';
import type { WholeBars } from '../models.ts';

/** The prices of an order that matter to a bar. `stop` is undefined after it triggered; a market order has neither. */
interface BarOrder {
  readonly side: Side;
  readonly stop: Price | undefined;
  readonly limit: Price | undefined;
  /** Execution price of an order at the market; the bar's open if absent. */
  readonly marketPrice?: number | undefined;
}

/** The result of matching an order against a bar. `triggered`: the stop was reached, but nothing traded. */
export type BarMatch =
  | { readonly kind: 'missed' }
  | { readonly kind: 'triggered' }
  | { readonly kind: 'traded'; readonly price: Price };

const MISSED: BarMatch = { kind: 'missed' };
const TRIGGERED: BarMatch = { kind: 'triggered' };

/**
 * Matches an order against a whole bar:
 * - a market order trades at the open;
 * - a limit trades at the open if that is within the limit, otherwise at the limit if the bar reaches it;
 * - a stop trades at the open if that is beyond the stop, otherwise at the stop.
 */
export function matchAgainstBar(order: BarOrder, bar: BarFigures, rule: WholeBars['stopLimit']): BarMatch {
  const { side, stop, limit, marketPrice = bar.open } = order;
  if (stop === undefined) return limit === undefined ? traded(marketPrice) : matchLimit(side, limit, bar);
  const reached = side === 'buy' ? atLeast(bar.high, stop) : atMost(bar.low, stop);
  if (!reached) return MISSED;
  const beyond = (price: number): boolean => (side === 'buy' ? atLeast(price, stop) : atMost(price, stop));
  if (limit === undefined) return beyond(marketPrice) ? traded(marketPrice) : { kind: 'traded', price: stop };
  const gapped = beyond(bar.open);
  const match =
    rule === 'limit-beyond'
      ? limitBeyond(side, stop, limit, bar)
      : stopLimitByClose({ side, stop, limit, gapped }, bar);
  return match.kind === 'missed' ? TRIGGERED : match;
}

function matchLimit(side: Side, limit: Price, bar: BarFigures): BarMatch {
  const within = side === 'buy' ? atMost(bar.open, limit) : atLeast(bar.open, limit);
  if (within) return traded(bar.open);
  const reached = side === 'buy' ? atMost(bar.low, limit) : atLeast(bar.high, limit);
  return reached ? { kind: 'traded', price: limit } : MISSED;
}

/** Trades only a limit beyond the stop: the bar may have reached any other limit before the stop. */
function limitBeyond(side: Side, stop: Price, limit: Price, bar: BarFigures): BarMatch {
  const beyond = side === 'buy' ? limit.gt(stop) : limit.lt(stop);
  const reached = side === 'buy' ? atMost(bar.low, limit) : atLeast(bar.high, limit);
  return beyond && reached ? { kind: 'traded', price: stop } : MISSED;
}

interface StopLimit {
  readonly side: Side;
  readonly stop: Price;
  readonly limit: Price;
  readonly gapped: boolean;
}

function stopLimitByClose({ side, stop, limit, gapped }: StopLimit, bar: BarFigures): BarMatch {
  if (gapped) return matchLimit(side, limit, bar);
  const allowsStop = side === 'buy' ? limit.gte(stop) : limit.lte(stop);
  if (allowsStop) return { kind: 'traded', price: stop };
  const turnedBack = side === 'buy' ? bar.open > bar.close : bar.open <= bar.close;
  const closedWithin = side === 'buy' ? atMost(bar.close, limit) : atLeast(bar.close, limit);
  return turnedBack && closedWithin ? { kind: 'traded', price: limit } : MISSED;
}

function traded(price: number): BarMatch {
  return { kind: 'traded', price: decimalOfDouble(price) };
}

/** Compares exactly when the double nearest to the level equals the price. */
function atLeast(price: number, level: Price): boolean {
  const bound = level.toNumber();
  return price > bound || (price === bound && decimalOfDouble(price).gte(level));
}

function atMost(price: number, level: Price): boolean {
  const bound = level.toNumber();
  return price < bound || (price === bound && decimalOfDouble(price).lte(level));
}
