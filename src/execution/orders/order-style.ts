import { marketRecord } from '../../markets/market-records.ts';
import { dayOf } from '../../markets/sessions.ts';
import { roundToTick, tickOf } from '../../markets/ticks.ts';
import type { MissedSlices } from '../../model/algorithm.ts';
import type { Price } from '../../model/decimal.ts';
import type { OrderType, OutsideRth, Side } from '../../model/order.ts';
import type { Security } from '../../model/security.ts';
import { marketOf } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { OrderStyle } from '../../strategy/sizing.ts';

/**
 * Policies for a failed strategy: keep its orders, cancel them, or cancel them and close its positions.
 * @see docs/reliability.md, I-16
 */
export const STRATEGY_FAILURE_POLICIES = ['keep', 'cancel', 'close'] as const;
export type StrategyFailurePolicy = (typeof STRATEGY_FAILURE_POLICIES)[number];

/** Default terms of orders, from the config's `execution`. */
export interface ExecutionPolicy {
  readonly orderType: Extract<OrderType, 'MO' | 'LO'>;
  /** For `LO`: ticks by which the limit is more aggressive than the last price. */
  readonly offsetTicks: number;
  /** For `LO` in New York: the sessions in which an order trades; regular trading if absent. */
  readonly outsideRth?: OutsideRth;
  /** Milliseconds of market time after which a working order is cancelled; undefined: never. */
  readonly cancelAfterMs: number | undefined;
  /** If true, an entry first cancels the strategy's open orders of its symbol and closes its position. */
  readonly exclusive?: boolean;
  /** Policy for slices whose time passed while the bot was down; absent: they are dropped. */
  readonly missedSlices?: MissedSlices;
  /** Policy for the orders of a failed strategy; absent: they are cancelled. */
  readonly whenStrategyFails?: StrategyFailurePolicy;
}

/** Rounds a price to a tick of that day, in favour of the side. */
export function noWorseTick(security: Security, price: Price, side: Side, now: Millis): Price {
  const tick = tickOf(security, price, dayOf(marketOf(security.symbol), now));
  return roundToTick(price, tick, side === 'buy' ? 'down' : 'up');
}

/** Returns the style of one security at one instant; limit prices are on its tick of that day. */
export function orderStyle(policy: ExecutionPolicy, security: Security, now: Millis): OrderStyle {
  return {
    type: policy.orderType,
    ...(policy.outsideRth === undefined || marketRecord(marketOf(security.symbol))?.hasExtendedHours !== true
      ? {}
      : { outsideRth: policy.outsideRth }),
    limitPrice: (side, lastPrice) => {
      if (policy.orderType === 'MO') return undefined;
      const day = dayOf(marketOf(security.symbol), now);
      const offset = tickOf(security, lastPrice, day).times(policy.offsetTicks);
      const wanted = side === 'buy' ? lastPrice.plus(offset) : lastPrice.minus(offset);
      return roundToTick(wanted, tickOf(security, wanted, day), side === 'buy' ? 'up' : 'down');
    },
  };
}
