import type { AlgorithmId, OrderLink } from '../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../model/decimal.ts';
import type { IntentId, OrderTerms, Side } from '../model/order.ts';
import { isLive, openRest } from '../model/order-state.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import type { BotState } from './fold.ts';

/**
 * Shares that open orders of one symbol and side may still execute; unknown ones count in full, and of orders that exclude
 * each other the largest. Those of one strategy alone where an owner is named.
 */
export function openQuantity(
  state: Pick<BotState, 'live'>,
  symbol: SecuritySymbol,
  side: Side,
  owner?: string,
): Quantity {
  let open = ZERO;
  let groups: Map<AlgorithmId, Quantity> | undefined;
  for (const order of state.live.values()) {
    if (order.terms.symbol !== symbol || order.terms.side !== side || !isLive(order.facets)) continue;
    if (owner !== undefined && order.strategy !== owner) continue;
    const rest = openRest(order.facets);
    if (order.link?.exclusive !== true) open = open.plus(rest);
    else {
      groups ??= new Map();
      groups.set(order.link.algorithm, Decimal.max(groups.get(order.link.algorithm) ?? ZERO, rest));
    }
  }
  for (const rest of groups?.values() ?? []) open = open.plus(rest);
  return open;
}

/**
 * How much of an order, not there yet, takes the place of orders that are: one that excludes others needs only what is
 * beyond the largest of those, for at most one of them executes in the end; so does one that replaces another.
 */
export function takesPlaceOf(
  state: BotState,
  { symbol, side, quantity }: Pick<OrderTerms, 'symbol' | 'side' | 'quantity'>,
  link: OrderLink | undefined,
  replaces?: IntentId,
): Quantity {
  const replaced = replaces === undefined ? undefined : state.live.get(replaces);
  if (replaced !== undefined) return Decimal.min(openRest(replaced.facets), quantity);
  if (link?.exclusive !== true) return ZERO;
  let largest = ZERO;
  for (const order of state.live.values()) {
    if (order.link?.algorithm !== link.algorithm || order.link.exclusive !== true) continue;
    if (order.terms.symbol !== symbol || order.terms.side !== side || !isLive(order.facets)) continue;
    largest = Decimal.max(largest, openRest(order.facets));
  }
  return Decimal.min(largest, quantity);
}

/** Like `openQuantity`, without the exits of algorithms: those make way when the strategy takes a position back itself. */
export function openWithoutExits(
  state: BotState,
  symbol: SecuritySymbol,
  side: Side,
  owner?: string,
): Quantity {
  const all = openQuantity(state, symbol, side, owner);
  if (state.algorithms.size === 0) return all;
  let open = all;
  const groups = new Map<string, Quantity>();
  for (const { link, terms, facets, strategy } of state.live.values()) {
    if (owner !== undefined && strategy !== owner) continue;
    if (link?.exit !== true || terms.symbol !== symbol || terms.side !== side || !isLive(facets)) continue;
    if (link.exclusive !== true) open = open.minus(openRest(facets));
    else groups.set(link.algorithm, Decimal.max(groups.get(link.algorithm) ?? ZERO, openRest(facets)));
  }
  for (const rest of groups.values()) open = open.minus(rest);
  return open;
}
