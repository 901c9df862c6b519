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

/** Keep open orders, cancel them, or cancel them and give up what is held. @see docs/reliability.md, I-16 */
export const STRATEGY_FAILURE_POLICIES = ['keep', 'cancel', 'close'] as const;
export type StrategyFailurePolicy = (typeof STRATEGY_FAILURE_POLICIES)[number];

/** How orders are written when the strategy does not say, from the config's `execution`. */
export interface ExecutionPolicy {
  /** `MO` takes what the market gives; `LO` never pays beyond its limit. */
  readonly orderType: Extract<OrderType, 'MO' | 'LO'>;
  /** For `LO`: how many ticks beyond the last price the limit is, towards the other side of the book. */
  readonly offsetTicks: number;
  /** For `LO` in New York: the sessions that an order trades in; regular trading when absent. */
  readonly outsideRth?: OutsideRth;
  /** Cancel what is still open this long after the venue took it, milliseconds of market time; undefined: never. */
  readonly cancelAfterMs: number | undefined;
  /** An order that enters first cancels the strategy's open orders of its symbol and closes what is held; absent: it does not. */
  readonly exclusive?: boolean;
  /** What becomes of slices whose time passed while the bot was down; absent: they are dropped. */
  readonly missedSlices?: MissedSlices;
  /** What becomes of the orders of a strategy that failed; absent: they are cancelled. */
  readonly whenStrategyFails?: StrategyFailurePolicy;
}

/** The price on a tick of that day that is no worse for the side than the one given. */
export function noWorseTick(security: Security, price: Price, side: Side, now: Millis): Price {
  const tick = tickOf(security, price, dayOf(marketOf(security.symbol), now));
  return roundToTick(price, tick, side === 'buy' ? 'down' : 'up');
}

/** The style of one security at one instant: limit prices are on its tick of that day. */
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
