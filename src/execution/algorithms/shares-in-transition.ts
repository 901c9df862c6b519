import type { BotState, TrackedOrder } from '../../events/bot-state.ts';
import { availableHolding, openedBy } from '../../events/records/bracket-shares.ts';
import { openQuantity } from '../../events/records/open-orders.ts';
import { roundToLot } from '../../markets/lots.ts';
import type { OrderLink } from '../../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { IntentId, OrderTerms } from '../../model/order.ts';
import { isLive, openRest } from '../../model/order-state.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { opensExposure, strategyState } from '../gate/gather-facts.ts';
import { isCancelPending } from './exit-maintenance.ts';

/** A protective order to send, or new terms of one, for the quantity left to execute. */
export interface ProtectiveOrder {
  readonly terms: OrderTerms;
  readonly link: OrderLink | undefined;
  /** Strategy of the order; undefined in a bot with one. */
  readonly strategy: string | undefined;
  readonly replaces?: IntentId;
}

type SecuritySource = (symbol: SecuritySymbol) => Pick<Security, 'lotSize'> | undefined;

interface TransitionSources {
  security(symbol: SecuritySymbol): Pick<Security, 'lotSize'> | undefined;
  /** True for one of several strategies with strategy limits; absent: none has any. */
  readonly hasOwnLimits?: ((strategy: string) => boolean) | undefined;
}

/**
 * True while an order of the same symbol and side has an unknown outcome: the gate denies others until it is found,
 * or proven not to be at the venue.
 */
export function waitsForUnknown({ terms, replaces }: ProtectiveOrder, state: BotState): boolean {
  if (replaces !== undefined) return false;
  for (const order of state.live.unknown())
    if (order.terms.symbol === terms.symbol && order.terms.side === terms.side) return true;
  return false;
}

/**
 * True while the gate would treat a protective order as opening, only because orders of this bot still reserve shares
 * that they are about to release. Example: a stop closed the position of one bracket, the cancel of its target is
 * unconfirmed, and the entry of another bracket filled. The order is sent once these shares are free.
 */
export function waitsForShares(
  { terms, link, strategy, replaces }: ProtectiveOrder,
  state: BotState,
  sources: TransitionSources,
): boolean {
  const securityOf: SecuritySource = (symbol) => sources.security(symbol);
  if (opensExposure(terms, { state, link, replaces }) && sharesInTransition(terms, state, securityOf).gt(0))
    return true;
  // Strategy limits are checked by the strategy's own books.
  if (strategy === undefined || sources.hasOwnLimits?.(strategy) !== true) return false;
  const own = strategyState(state, strategy);
  return (
    opensExposure(terms, { state: own, link, replaces }) &&
    sharesInTransition(terms, state, securityOf, strategy).gt(0)
  );
}

/**
 * Returns the quantity that open orders of this bot on one side (of one strategy with `owner`) reserve and are about
 * to release:
 *
 * - an order with a requested cancel: all that it may still execute
 * - an order being replaced by a smaller one: the difference
 * - the exits of a bracket: the excess over the position that they close, because another exit executed or the
 * position was reduced
 */
export function sharesInTransition(
  { symbol, side }: Pick<OrderTerms, 'symbol' | 'side'>,
  state: BotState,
  securityOf: SecuritySource,
  owner?: string,
): Quantity {
  let remaining = ZERO;
  /** Open quantity of each algorithm by slot; of exclusive orders only the largest slot counts. */
  const groups = new Map<OrderLink['algorithm'], Map<string, Quantity>>();
  for (const order of state.live.ofSide(symbol, side)?.orders.values() ?? []) {
    const { facets, link, strategy } = order;
    if (!isLive(facets)) continue;
    if ((owner !== undefined && strategy !== owner) || isCancelPending(order)) continue;
    if (link === undefined || (link.exclusive !== true && link.exit !== true)) {
      remaining = remaining.plus(openAfterReplace(order));
      continue;
    }
    const slots = groups.get(link.algorithm) ?? new Map<string, Quantity>();
    groups.set(
      link.algorithm,
      slots.set(link.slot, (slots.get(link.slot) ?? ZERO).plus(openAfterReplace(order))),
    );
  }
  for (const [id, slots] of groups) {
    const largest = [...slots.values()].reduce((most, rest) => Decimal.max(most, rest), ZERO);
    const position = exitPosition(id, side, state, securityOf);
    remaining = remaining.plus(position === undefined ? largest : Decimal.min(largest, position));
  }
  return openQuantity(state, symbol, side, owner).minus(remaining);
}

/**
 * Returns the quantity that the exits of a bracket must close on a side; undefined for other algorithms, and after
 * its end. On the side of the entry, an order of the bracket reverses what two exits closed twice.
 */
function exitPosition(
  id: OrderLink['algorithm'],
  side: OrderTerms['side'],
  state: BotState,
  securityOf: SecuritySource,
): Quantity | undefined {
  const algorithm = state.algorithms.get(id);
  if (algorithm?.spec.kind !== 'bracket') return undefined;
  const { entry } = algorithm.spec;
  if (side === entry.side) return undefined;
  const open = Decimal.min(openedBy(algorithm, state), availableHolding(algorithm, entry, state));
  return open.gt(0) ? roundToLot(open, securityOf(entry.symbol)?.lotSize ?? 1) : ZERO;
}

/** Returns what an order may still execute after a pending reduction by replace. */
function openAfterReplace({ facets }: TrackedOrder): Quantity {
  const { replacement, ordered, executed } = facets;
  if (replacement === undefined || replacement.gte(ordered)) return openRest(facets);
  return Decimal.max(ZERO, replacement.minus(executed));
}
