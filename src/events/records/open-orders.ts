import type { OrderLink } from '../../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { IntentId, OrderId, OrderTerms, Side } from '../../model/order.ts';
import { isOver } from '../../model/order-facets.ts';
import { isLive, openRest } from '../../model/order-state.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { BotState, TrackedOrder } from '../bot-state.ts';

/**
 * Yields the open orders that may all execute: of an algorithm's exclusive slots, the one with the most open shares.
 */
export function* withoutExcluded(orders: Iterable<TrackedOrder>): Generator<TrackedOrder> {
  const exclusive: TrackedOrder[] = [];
  for (const order of orders) {
    if (!isLive(order.facets)) continue;
    if (order.link?.exclusive === true) exclusive.push(order);
    else yield order;
  }
  if (exclusive.length === 0) return;
  const groups = Map.groupBy(
    exclusive,
    ({ link, terms }) => `${link?.algorithm} ${terms.symbol} ${terms.side}`,
  );
  for (const group of groups.values()) {
    const slots = [...Map.groupBy(group, ({ link }) => link?.slot).values()];
    yield* slots.toSorted((one, other) => restOf(other).comparedTo(restOf(one)))[0] ?? [];
  }
}

/** Returns whether an order waits for the cancellation of exits, before the gate checks it. */
export function isWaiting({ held, facets }: TrackedOrder): boolean {
  return held && facets.submission.kind === 'drafted';
}

/** Returns whether an order may still be executed, or waits for the cancellation of exits. */
export function isOpenOrWaiting(order: TrackedOrder): boolean {
  return isLive(order.facets) || isWaiting(order);
}

/** Returns our orders that the venue may still execute, with their ids there. */
export function ordersAtVenue({
  live,
}: Pick<BotState, 'live'>): readonly { readonly orderId: OrderId; readonly order: TrackedOrder }[] {
  return [...live.values()].flatMap((order) => {
    const { submission } = order.facets;
    return submission.kind === 'acked' && !isOver(order.facets)
      ? [{ orderId: submission.orderId, order }]
      : [];
  });
}

function restOf(orders: Iterable<TrackedOrder>): Quantity {
  let rest = ZERO;
  for (const { facets } of orders) rest = rest.plus(openRest(facets));
  return rest;
}

/** Returns the orders of one symbol and side; only those of `owner` if given. */
function ordersOf(
  { live }: Pick<BotState, 'live'>,
  { symbol, side }: Pick<OrderTerms, 'symbol' | 'side'>,
  owner?: string,
): IteratorObject<TrackedOrder> {
  const orders = live.ofSide(symbol, side)?.orders ?? NO_ORDERS;
  return owner === undefined ? orders.values() : orders.values().filter(({ strategy }) => strategy === owner);
}

const NO_ORDERS: ReadonlyMap<IntentId, TrackedOrder> = new Map();

/**
 * Returns the shares that open orders of one symbol and side may still execute, of exclusive slots only the largest;
 * only orders of the strategy `owner` if given.
 */
export function openQuantity(
  state: Pick<BotState, 'live'>,
  symbol: SecuritySymbol,
  side: Side,
  owner?: string,
): Quantity {
  const ofSide = state.live.ofSide(symbol, side);
  if (ofSide === undefined) return ZERO;
  const open = ofSide.open.get(owner ?? '') ?? ZERO;
  if (ofSide.exclusive.size === 0) return open;
  const exclusive = ofSide.exclusive
    .values()
    .filter(({ strategy }) => owner === undefined || strategy === owner);
  return open.plus(restOf(withoutExcluded(exclusive)));
}

/** Returns the shares that some open orders of one symbol and side may still execute, like `openQuantity()`. */
export function openQuantityOf(
  state: Pick<BotState, 'live'>,
  symbol: SecuritySymbol,
  side: Side,
  isSelected: (order: TrackedOrder) => boolean,
): Quantity {
  return restOf(withoutExcluded(ordersOf(state, { symbol, side }).filter(isSelected)));
}

/**
 * Returns the part of a planned order that replaces open quantity. Of exclusive slots only one executes, so its order
 * adds only the excess over the largest slot; a replacing order adds the excess over the replaced one. More than its
 * quantity if open quantity decreases.
 */
export function replacedQuantity(
  state: BotState,
  terms: Pick<OrderTerms, 'symbol' | 'side' | 'quantity'>,
  link: OrderLink | undefined,
  replaces?: IntentId,
): Quantity {
  const { quantity } = terms;
  const replaced = replaces === undefined ? undefined : state.live.get(replaces);
  const rest = replaced === undefined ? ZERO : openRest(replaced.facets);
  if (link?.exclusive !== true) return Decimal.min(rest, quantity);
  const exclusiveOrders = ordersOf(state, terms)
    .filter((order) => order.link?.algorithm === link.algorithm && order.link.exclusive === true)
    .filter(({ facets }) => isLive(facets))
    .toArray();
  const own = restOf(exclusiveOrders.filter((order) => order.link?.slot === link.slot));
  const others = restOf(withoutExcluded(exclusiveOrders.filter((order) => order.link?.slot !== link.slot)));
  const now = Decimal.max(own, others);
  const then = Decimal.max(own.minus(rest).plus(quantity), others);
  return quantity.minus(then.minus(now));
}

/**
 * Returns `openQuantity` without exits of algorithms, which are cancelled when the strategy closes a position itself.
 */
export function openWithoutExits(
  state: BotState,
  symbol: SecuritySymbol,
  side: Side,
  owner?: string,
): Quantity {
  const all = openQuantity(state, symbol, side, owner);
  if (state.algorithms.size === 0) return all;
  const exits = ordersOf(state, { symbol, side }, owner).filter(({ link }) => link?.exit === true);
  return all.minus(restOf(withoutExcluded(exits)));
}
