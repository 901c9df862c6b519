import { type AlgorithmId, exitOf, type OrderLink, sliceOf } from '../model/algorithm.ts';
import type { Price } from '../model/decimal.ts';
import { ordinal, plural } from '../model/plural.ts';
import { MINUTE_MS, type Millis } from '../model/time.ts';
import type { RecentFacts } from './facts.ts';
import { lengthOf, number, passes, type RiskRule } from './rule.ts';

/** The account has at most `maxOpenOrders` orders open or unknown, including this one. */
export const openOrders: RiskRule = {
  name: 'max-open-orders',
  breach: 'counts',
  judge(_intent, facts, limits) {
    if (!facts.opens) return undefined;
    const count = facts.openOrders + 1;
    return passes(
      count <= limits.maxOpenOrders,
      () => [number('open orders', plural(count, 'order'), plural(limits.maxOpenOrders, 'order'))],
      () => `Would be open order number ${count}, limit is ${limits.maxOpenOrders}`,
    );
  },
};

/** Limits the number of orders per minute on the account; checked for opening orders. */
export const orderRate: RiskRule = {
  name: 'order-rate',
  breach: 'counts',
  judge({ link }, { now, recent, opens }, { maxOrderRate: most }) {
    if (!opens) return undefined;
    const count = decisionsWith(link, withinMinute(recent.orders, now));
    return passes(
      count <= most,
      () => [number('orders within a minute', plural(count, 'order'), plural(most, 'order'))],
      () => `Would be order number ${count} within a minute, limit is ${most}`,
    );
  },
};

/**
 * Limits how many closing orders may be sent per minute; other orders do not count. Exits of a bracket are counted
 * separately and not against orders of the strategy, which decided on them with its entry.
 */
export const closeRate: RiskRule = {
  name: 'close-rate',
  breach: 'nothing',
  judge({ terms, purpose, link }, { now, recent, opens }, { maxOrderRate: most }) {
    if (opens || purpose === 'flatten') return undefined;
    const { symbol, side } = terms;
    const exit = exitOf(link);
    const alike = withinMinute(recent.orders, now).filter(
      ({ terms: before, exitOf: other }) =>
        before.symbol === symbol && before.side === side && other?.algorithm === exit?.algorithm,
    );
    const count = decisionsWith(link, alike);
    return passes(
      count <= most,
      () => [number(`orders to ${side} it within a minute`, plural(count, 'order'), plural(most, 'order'))],
      () => `Would be order number ${count} to ${side} "${symbol}" within a minute, limit is ${most}`,
    );
  },
};

function isSame(one: Price | undefined, other: Price | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.eq(other);
}

function withinMinute(orders: RecentFacts['orders'], now: Millis): RecentFacts['orders'] {
  return orders.filter(({ at }) => at > now - MINUTE_MS);
}

/**
 * Number of decisions among these orders and the current one: slices of one algorithm are one, every other order is
 * one.
 */
export function decisionsWith(
  link: OrderLink | undefined,
  orders: readonly { readonly sliceOf?: AlgorithmId | undefined }[],
): number {
  const slices = new Set<AlgorithmId>();
  let count = 0;
  for (const { sliceOf: algorithm } of orders) {
    if (algorithm === undefined) count += 1;
    else slices.add(algorithm);
  }
  const own = sliceOf(link);
  if (own === undefined) count += 1;
  else slices.add(own);
  return count + slices.size;
}

/**
 * Denies the repetition of an order (same symbol, side, type, price, trigger price and quantity), which indicates a
 * loop. An exit of a bracket is compared only with the same exit of that bracket, because stops of several entries
 * are often equal; an order of the strategy is not compared with exits. Orders of algorithms do not count their own
 * attempts that never reached the venue: algorithms repeat these with growing delays.
 */
export const duplicateOrder: RiskRule = {
  name: 'duplicate-order',
  breach: 'counts',
  judge({ terms, purpose, link }, { now, recent }, { maxRepeats, repeatWindow }) {
    if (purpose === 'flatten') return undefined;
    const { symbol, side, type, quantity, price, triggerPrice } = terms;
    const exit = exitOf(link);
    const same = recent.orders.filter(
      ({ at, terms: before, exitOf: other, isUnsent }) =>
        at > now - repeatWindow &&
        !(isUnsent === true && link !== undefined) &&
        other?.algorithm === exit?.algorithm &&
        other?.slot === exit?.slot &&
        before.symbol === symbol &&
        before.side === side &&
        before.type === type &&
        before.quantity.eq(quantity) &&
        isSame(before.price, price) &&
        isSame(before.triggerPrice, triggerPrice),
    );
    const count = decisionsWith(link, same);
    const within = (): string => lengthOf(repeatWindow);
    return passes(
      count <= maxRepeats,
      () => [number(`same orders within ${within()}`, plural(count, 'order'), plural(maxRepeats, 'order'))],
      () =>
        `Would be the same order for the ${ordinal(count)} time within ${within()}, limit is ${maxRepeats}`,
    );
  },
};
