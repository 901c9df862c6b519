import { decimalOfDouble } from '../../model/amount.ts';
import type { Price } from '../../model/decimal.ts';
import type { Side } from '../../model/order.ts';
import type { BarFigures } from '../market/prints.ts';
import type { WholeBars } from '../models.ts';

/** What an order asks of a bar; a stop that was reached before is left out, a market order has neither. */
export interface BarOrder {
  readonly side: Side;
  readonly stop: Price | undefined;
  readonly limit: Price | undefined;
  /** What it deals at where neither tells; the bar's open when absent. */
  readonly otherwise?: number | undefined;
}

/** What a bar does to an order. `triggered`: its stop was reached, but nothing traded. */
export type Meeting =
  | { readonly kind: 'missed' }
  | { readonly kind: 'triggered' }
  | { readonly kind: 'traded'; readonly price: Price };

const MISSED: Meeting = { kind: 'missed' };
const TRIGGERED: Meeting = { kind: 'triggered' };

/**
 * Tests an order against a whole bar. At the market it trades at the open; a limit at the open where that is within it,
 * else at itself where the bar reaches it; a stop at the open where that is beyond it, else at itself.
 */
export function matchAgainstBar(order: BarOrder, bar: BarFigures, rule: WholeBars['stopLimit']): Meeting {
  const { side, stop, limit, otherwise = bar.open } = order;
  if (stop === undefined) return limit === undefined ? traded(otherwise) : meetLimit(side, limit, bar);
  const reached = side === 'buy' ? atLeast(bar.high, stop) : atMost(bar.low, stop);
  if (!reached) return MISSED;
  const beyond = (price: number): boolean => (side === 'buy' ? atLeast(price, stop) : atMost(price, stop));
  if (limit === undefined) return beyond(otherwise) ? traded(otherwise) : { kind: 'traded', price: stop };
  const gapped = beyond(bar.open);
  const meeting =
    rule === 'limit-beyond'
      ? limitBeyond(side, stop, limit, bar)
      : closeTells({ side, stop, limit, gapped }, bar);
  return meeting.kind === 'missed' ? TRIGGERED : meeting;
}

function meetLimit(side: Side, limit: Price, bar: BarFigures): Meeting {
  const within = side === 'buy' ? atMost(bar.open, limit) : atLeast(bar.open, limit);
  if (within) return traded(bar.open);
  const reached = side === 'buy' ? atMost(bar.low, limit) : atLeast(bar.high, limit);
  return reached ? { kind: 'traded', price: limit } : MISSED;
}

/** A limit that the stop has not passed yet counts as reached too early. */
function limitBeyond(side: Side, stop: Price, limit: Price, bar: BarFigures): Meeting {
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

function closeTells({ side, stop, limit, gapped }: StopLimit, bar: BarFigures): Meeting {
  if (gapped) return meetLimit(side, limit, bar);
  const allowsStop = side === 'buy' ? limit.gte(stop) : limit.lte(stop);
  if (allowsStop) return { kind: 'traded', price: stop };
  const turnedBack = side === 'buy' ? bar.open > bar.close : bar.open <= bar.close;
  const closedWithin = side === 'buy' ? atMost(bar.close, limit) : atLeast(bar.close, limit);
  return turnedBack && closedWithin ? { kind: 'traded', price: limit } : MISSED;
}

function traded(price: number): Meeting {
  return { kind: 'traded', price: decimalOfDouble(price) };
}

/** Exact where the double nearest to the level is the price itself. */
function atLeast(price: number, level: Price): boolean {
  const bound = level.toNumber();
  return price > bound || (price === bound && decimalOfDouble(price).gte(level));
}

function atMost(price: number, level: Price): boolean {
  const bound = level.toNumber();
  return price < bound || (price === bound && decimalOfDouble(price).lte(level));
}
