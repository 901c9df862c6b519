import type { AlgorithmId, OrderLink } from '../../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { IntentId, OrderTerms, Side } from '../../model/order.ts';
import { isLive, openRest } from '../../model/order-state.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { BotState } from '../bot-state.ts';

/**
 * Shares that open orders of one symbol and side may still execute; unknown ones count in full, and of slots that exclude
 * each other the largest. Those of one strategy alone where an owner is named.
 */
export function openQuantity(
  state: Pick<BotState, 'live'>,
  symbol: SecuritySymbol,
  side: Side,
  owner?: string,
): Quantity {
  let open = ZERO;
  let groups: Groups | undefined;
  for (const order of state.live.values()) {
    if (order.terms.symbol !== symbol || order.terms.side !== side || !isLive(order.facets)) continue;
    if (owner !== undefined && order.strategy !== owner) continue;
    const rest = openRest(order.facets);
    if (order.link?.exclusive !== true) open = open.plus(rest);
    else {
      groups ??= new Map();
      count(groups, order.link, rest);
    }
  }
  for (const slots of groups?.values() ?? []) open = open.plus(largest(slots));
  return open;
}

/** Open shares by slot, of algorithms whose slots exclude each other: orders of one slot coexist. */
type Slots = Map<string, Quantity>;
type Groups = Map<AlgorithmId, Slots>;

function count(groups: Groups, { algorithm, slot }: OrderLink, rest: Quantity): void {
  const slots = groups.get(algorithm) ?? new Map<string, Quantity>();
  slots.set(slot, (slots.get(slot) ?? ZERO).plus(rest));
  groups.set(algorithm, slots);
}

function largest(slots: ReadonlyMap<string, Quantity>): Quantity {
  let most = ZERO;
  for (const rest of slots.values()) most = Decimal.max(most, rest);
  return most;
}

/**
 * How much of an order, not there yet, takes the place of orders that are: one that excludes others needs only what its slot
 * is then for beyond the largest of all slots, for at most one of them executes in the end; one that replaces another needs
 * what it is for beyond that. More than its quantity where less is open with it than before.
 */
export function takesPlaceOf(
  state: BotState,
  { symbol, side, quantity }: Pick<OrderTerms, 'symbol' | 'side' | 'quantity'>,
  link: OrderLink | undefined,
  replaces?: IntentId,
): Quantity {
  const replaced = replaces === undefined ? undefined : state.live.get(replaces);
  const rest = replaced === undefined ? ZERO : openRest(replaced.facets);
  if (link?.exclusive !== true) return Decimal.min(rest, quantity);
  const groups: Groups = new Map();
  for (const order of state.live.values()) {
    if (order.link?.algorithm !== link.algorithm || order.link.exclusive !== true) continue;
    if (order.terms.symbol !== symbol || order.terms.side !== side || !isLive(order.facets)) continue;
    count(groups, order.link, openRest(order.facets));
  }
  const slots = groups.get(link.algorithm) ?? new Map<string, Quantity>();
  const before = largest(slots);
  slots.set(link.slot, (slots.get(link.slot) ?? ZERO).minus(rest).plus(quantity));
  return quantity.minus(largest(slots).minus(before));
}

/** Like `openQuantity`, without the exits of algorithms: those are cancelled when the strategy closes a position itself. */
export function openWithoutExits(
  state: BotState,
  symbol: SecuritySymbol,
  side: Side,
  owner?: string,
): Quantity {
  const all = openQuantity(state, symbol, side, owner);
  if (state.algorithms.size === 0) return all;
  let open = all;
  const groups: Groups = new Map();
  for (const { link, terms, facets, strategy } of state.live.values()) {
    if (owner !== undefined && strategy !== owner) continue;
    if (link?.exit !== true || terms.symbol !== symbol || terms.side !== side || !isLive(facets)) continue;
    if (link.exclusive !== true) open = open.minus(openRest(facets));
    else count(groups, link, openRest(facets));
  }
  for (const slots of groups.values()) open = open.minus(largest(slots));
  return open;
}
