import { symbolOf } from '../../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import type { IntentId, Side } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { BotState, TrackedOrder } from '../bot-state.ts';
import type { RelevantChildren, TrackedAlgorithm } from './algorithm-record.ts';
import { executionsNow } from './split-record.ts';

/** Slots of the orders that close what the entry of a bracket opened. */
export const EXIT_SLOTS = ['stop', 'trail', 'target', 'close'] as const;
/** Slot of the order that reverses executions of two exits beyond the position (with short sales only). */
export const REVERSAL_SLOT = 'back';

/** Returns the executed quantity of orders, on the current share basis. */
export function executedOf(orders: readonly TrackedOrder[]): Quantity {
  return orders.reduce((sum, order) => sum.plus(executedNow(order)), ZERO);
}

function executedNow(order: TrackedOrder): Quantity {
  if (order.split === undefined) return order.facets.executed;
  return executionsNow(order).reduce((sum, { quantity }) => sum.plus(quantity), ZERO);
}

/** Looks up the orders of an algorithm. */
export interface OrderLookup {
  order(intentId: IntentId): TrackedOrder | undefined;
  /** Orders that the plan of an algorithm depends on; absent: all that it ever sent. */
  relevantChildren?(algorithm: TrackedAlgorithm['id']): RelevantChildren | undefined;
}

/** Returns the shares that a bracket has opened and not closed; negative if its exits executed more. */
export function openedBy(algorithm: TrackedAlgorithm, facts: OrderLookup): Quantity {
  const lists = facts.relevantChildren?.(algorithm.id) ?? algorithm.children;
  const of = (slot: string): readonly TrackedOrder[] =>
    (lists.get(slot) ?? []).flatMap((id) => facts.order(id) ?? []);
  const opened = executedOf([...of('entry'), ...of(REVERSAL_SLOT)]);
  const closed = executedOf(EXIT_SLOTS.flatMap(of));
  return opened.minus(closed).minus(algorithm.closedByOthers ?? ZERO);
}

/**
 * Returns the strategy's position in a direction, less what its older brackets of the symbol have opened and not
 * closed.
 */
export function availableHolding(
  algorithm: TrackedAlgorithm,
  position: { readonly symbol: SecuritySymbol; readonly side: Side },
  state: BotState,
): Quantity {
  let rest = heldBy(algorithm.strategy, position, state);
  for (const other of bracketsOf(algorithm.strategy, position, state)) {
    if (other.id === algorithm.id) break;
    rest = rest.minus(Decimal.max(ZERO, openedBy(other, state)));
  }
  return Decimal.max(ZERO, rest);
}

/**
 * Returns what other orders closed of each bracket of a position since the last call. Brackets own the position in
 * the order of their start, so the newest lacks the closed shares, and a later purchase does not restore them.
 * Negative for a bracket whose exits closed shares of others, unless the position is reversed.
 */
export function closedByOthers(
  strategy: string | undefined,
  symbol: SecuritySymbol,
  state: BotState,
): readonly { readonly bracket: TrackedAlgorithm; readonly quantity: Quantity }[] {
  return (['buy', 'sell'] as const).flatMap((side) => {
    let held = heldBy(strategy, { symbol, side }, state);
    return bracketsOf(strategy, { symbol, side }, state).flatMap((bracket) => {
      const opened = openedBy(bracket, state);
      const own = opened.gt(0)
        ? Decimal.min(opened, Decimal.max(ZERO, held))
        : Decimal.max(opened, Decimal.min(ZERO, held));
      held = held.minus(own);
      return own.eq(opened) ? [] : [{ bracket, quantity: opened.minus(own) }];
    });
  });
}

/** Returns a strategy's position in the direction of a side; negative for the opposite direction. */
export function heldBy(
  strategy: string | undefined,
  { symbol, side }: { readonly symbol: SecuritySymbol; readonly side: Side },
  { portfolio, books }: Pick<BotState, 'portfolio' | 'books'>,
): Quantity {
  const own = strategy === undefined ? portfolio : books.get(strategy);
  const signed = own?.holdings.get(symbol)?.quantity ?? ZERO;
  return side === 'buy' ? signed : signed.neg();
}

/** Returns the active brackets of a strategy in a symbol and direction, oldest first. */
function bracketsOf(
  strategy: string | undefined,
  { symbol, side }: { readonly symbol: SecuritySymbol; readonly side: Side },
  { algorithms }: Pick<BotState, 'algorithms'>,
): readonly TrackedAlgorithm[] {
  const found: TrackedAlgorithm[] = [];
  for (const each of algorithms.values())
    if (
      each.strategy === strategy &&
      each.spec.kind === 'bracket' &&
      symbolOf(each.spec) === symbol &&
      each.spec.entry.side === side
    )
      found.push(each);
  return found;
}
