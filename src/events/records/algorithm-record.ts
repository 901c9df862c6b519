import { type AlgorithmId, type AlgorithmSpec, concerns, type OrderLink } from '../../model/algorithm.ts';
import { Decimal, type Quantity, ZERO } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { IntentId } from '../../model/order.ts';
import { isLive } from '../../model/order-state.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { BotState, TrackedOrder } from '../bot-state.ts';
import type { Cause } from '../cause.ts';
import type { CommandName, OperatorCommanded, SluiceEvent } from '../event.ts';
import { closedByOthers, heldBy } from './bracket-shares.ts';
import { specAfterSplit, splitIn } from './split-record.ts';

/** An algorithm and the ids of its orders; their state is in the orders. */
export interface TrackedAlgorithm {
  readonly id: AlgorithmId;
  readonly spec: AlgorithmSpec;
  readonly startedAt: Millis;
  readonly reason: string;
  readonly cause: Cause;
  /** The strategy that started it; undefined in a bot with one. */
  readonly strategy: string | undefined;
  /** Its orders by slot, oldest first; a slot can have several. */
  readonly children: ReadonlyMap<string, readonly IntentId[]>;
  /** Orders that it cancelled itself. */
  readonly withdrawn: ReadonlySet<IntentId>;
  /** Time of the first fill of its orders; undefined before it. */
  readonly firstFillAt: Millis | undefined;
  /** Venue time of its newest fill; absent before the first, and in snapshots of earlier versions. */
  readonly lastFillAt?: Millis;
  /**
   * Shares of a bracket that other orders closed, less shares of others that its exits closed; see
   * `closedByOthers()`. Absent: none.
   */
  readonly closedByOthers?: Quantity;
  /** True after a split of its shares. */
  readonly isSplit: boolean;
  /**
   * Why a rebalance, an order in slices, a chase, an OCO or a bracket sends no further orders; undefined while it is
   * active. Only an operator's command overrules a bracket, because it protects a position.
   */
  readonly overruled: string | undefined;
}

/** The active algorithms, oldest first. */
export type OpenAlgorithms = ReadonlyMap<AlgorithmId, TrackedAlgorithm>;

/** Orders by slot, oldest first. */
export type RelevantChildren = ReadonlyMap<string, readonly IntentId[]>;

/** Commands that cancel open orders or close positions; a kill and a halt move the gate as well. */
const CANCELLING_COMMANDS: ReadonlySet<CommandName> = new Set(['cancel-all', 'flatten']);

/** End of the reason for a bracket whose position an operator closes, by a flatten or a kill. */
const FLATTEN_REASON_END = 'asked for "flatten"';

/**
 * Returns symbols with a bracket that a flatten overruled. Later fills of its entry get no exits and must be closed.
 */
export function flattenedSymbols(open: OpenAlgorithms): readonly SecuritySymbol[] {
  const flattened = [...open.values()].flatMap(({ spec, overruled }) =>
    spec.kind === 'bracket' && isFlattened(overruled) ? [spec.entry.symbol] : [],
  );
  return [...new Set(flattened)];
}

/** True for a reason of a bracket whose position a flatten closes. */
export function isFlattened(overruled: string | undefined): boolean {
  return overruled?.endsWith(FLATTEN_REASON_END) === true;
}

/** Algorithms that send opening orders long after their start. */
export const SENDS_LATER: ReadonlySet<AlgorithmSpec['kind']> = new Set(['rebalance', 'slices', 'chase']);
/** Algorithms that a failed strategy, and commands that cancel or close, stop from sending orders. */
const STOPPED_BY_OPERATOR: ReadonlySet<AlgorithmSpec['kind']> = new Set([...SENDS_LATER, 'oco']);

/**
 * Creates the fold of active algorithms; `orderOf` looks up orders. A bracket can send and cancel any number of
 * exits, so `relevant` excludes the spent ones, to limit the cost of a plan.
 */
export function createAlgorithmFold(orderOf: (id: IntentId) => TrackedOrder | undefined) {
  const open = new Map<AlgorithmId, TrackedAlgorithm>();
  const listsById = new Map<AlgorithmId, AlgorithmLists>();

  function addChild({ algorithm, slot }: OrderLink, intentId: IntentId): void {
    const known = open.get(algorithm);
    const lists = listsById.get(algorithm);
    if (known === undefined || lists === undefined) return;
    const { children, relevant } = lists;
    const all = children.get(slot);
    if (all === undefined) children.set(slot, [intentId]);
    else all.push(intentId);
    relevant.set(slot, [...withoutSpent(relevant.get(slot) ?? [], known), intentId]);
    update(algorithm, () => ({}));
  }

  /** Returns the orders of a slot without its spent exits. */
  function withoutSpent(ids: readonly IntentId[], algorithm: TrackedAlgorithm): readonly IntentId[] {
    const kept: IntentId[] = [];
    for (const id of ids) {
      const order = orderOf(id);
      // Consecutive denials are counted, so an order between two of them is kept.
      const before = kept.at(-1);
      const followsDenial = before !== undefined && orderOf(before)?.facets.submission.kind === 'denied';
      if (order === undefined || followsDenial || !isSpent(order, algorithm)) kept.push(id);
    }
    return kept;
  }

  /** Handles every change of an order: adds it again if it is no longer spent. */
  function orderChanged({ intentId, link, facets }: TrackedOrder): void {
    if (link === undefined || facets.submission.kind === 'drafted') return;
    const { algorithm, slot } = link;
    const known = open.get(algorithm);
    const lists = listsById.get(algorithm);
    const relevantIds = lists?.relevant.get(slot);
    const all = lists?.children.get(slot);
    if (known === undefined || relevantIds === undefined || all === undefined) return;
    if (relevantIds.length === all.length || relevantIds.includes(intentId)) return;
    const order = orderOf(intentId);
    if (order === undefined || isSpent(order, known)) return;
    const kept = new Set([...relevantIds, intentId]);
    lists?.relevant.set(
      slot,
      all.filter((id) => kept.has(id)),
    );
  }

  /** Rebuilds the lists after `open` was restored from a snapshot. */
  function rebuildLists(): void {
    listsById.clear();
    for (const [id, algorithm] of open) {
      const copied = (): Map<string, IntentId[]> =>
        new Map([...algorithm.children].map(([slot, ids]) => [slot, [...ids]]));
      const lists = { children: copied(), withdrawn: new Set(algorithm.withdrawn), relevant: copied() };
      listsById.set(id, lists);
      open.set(id, { ...algorithm, children: lists.children, withdrawn: lists.withdrawn });
    }
  }

  function update(
    id: AlgorithmId | undefined,
    by: (known: TrackedAlgorithm) => Partial<TrackedAlgorithm>,
  ): void {
    const known = id === undefined ? undefined : open.get(id);
    if (known !== undefined) open.set(known.id, { ...known, ...by(known) });
  }

  /** Stops algorithms from sending further orders, for the first reason given. */
  function overrule(why: string, applies: (algorithm: TrackedAlgorithm) => boolean): void {
    for (const algorithm of open.values())
      if (applies(algorithm)) update(algorithm.id, ({ overruled }) => ({ overruled: overruled ?? why }));
  }

  function applyCommand({ taken, command, by, symbols, message }: OperatorCommanded): void {
    const flattens = command === 'flatten' || (command === 'kill' && message.split(', ').includes('flatten'));
    if (!taken || !(CANCELLING_COMMANDS.has(command) || flattens)) return;
    const why = `${by} asked for "${command}"`;
    for (const { id, spec, children } of open.values()) {
      if (symbols?.some((symbol) => concerns(spec, symbol)) === false) continue;
      if (spec.kind === 'bracket' && flattens)
        update(id, () => ({ overruled: `${by} ${FLATTEN_REASON_END}` }));
      else if (
        CANCELLING_COMMANDS.has(command) &&
        (STOPPED_BY_OPERATOR.has(spec.kind) || (spec.kind === 'bracket' && hasExits(children)))
      )
        update(id, ({ overruled }) => ({ overruled: overruled ?? why }));
    }
  }

  /** Folds an event in; `link` relates its order to an algorithm. */
  function apply(event: SluiceEvent, link: OrderLink | undefined): void {
    switch (event.kind) {
      case 'algorithm-started': {
        const { algorithmId: id, spec, at: startedAt, reason, cause, strategy } = event;
        const lists: AlgorithmLists = { children: new Map(), withdrawn: new Set(), relevant: new Map() };
        const { children, withdrawn } = lists;
        const initial = {
          children,
          withdrawn,
          firstFillAt: undefined,
          isSplit: false,
          overruled: undefined,
        };
        listsById.set(id, lists);
        open.set(id, { id, spec, startedAt, reason, cause, strategy, ...initial });
        return;
      }
      case 'intent-drafted':
        if (link !== undefined) addChild(link, event.intentId);
        return;
      case 'order-filled':
        update(link?.algorithm, ({ firstFillAt, lastFillAt }) => ({
          firstFillAt: firstFillAt ?? event.at,
          lastFillAt: lastFillAt === undefined || event.fill.time > lastFillAt ? event.fill.time : lastFillAt,
        }));
        return;
      case 'algorithm-withdrew':
        listsById.get(event.algorithmId)?.withdrawn.add(event.intentId);
        update(event.algorithmId, () => ({}));
        return;
      case 'corporate-action': {
        const split = splitIn(event);
        if (split === undefined) return;
        for (const { id, spec } of [...open.values()])
          if (concerns(spec, event.symbol))
            update(id, ({ closedByOthers }) => ({
              spec: specAfterSplit(spec, split.ratio),
              isSplit: true,
              ...omitUndefined({ closedByOthers: closedByOthers?.times(split.ratio) }),
            }));
        return;
      }
      case 'operator-commanded':
        applyCommand(event);
        return;
      case 'gate-moved':
        // Slices continue after a halt: until then the gate denies opening orders.
        if (event.state === 'halted' || event.state === 'killed')
          overrule(`the gate was ${event.state} by the ${event.by}`, ({ spec }) => spec.kind === 'rebalance');
        return;
      case 'strategy-failed':
        overrule(
          'the strategy failed',
          ({ spec, strategy }) =>
            (event.keepsOrders === true ? SENDS_LATER : STOPPED_BY_OPERATOR).has(spec.kind) &&
            strategy === event.strategy,
        );
        return;
      case 'algorithm-ended':
        open.delete(event.algorithmId);
        listsById.delete(event.algorithmId);
        return;
      default:
    }
  }

  /**
   * Returns the orders of an active algorithm by slot, oldest first, without spent exits; undefined for other
   * algorithms.
   */
  function relevant(id: AlgorithmId): RelevantChildren | undefined {
    return listsById.get(id)?.relevant;
  }

  /** Handles a booked fill. */
  function positionChanged(strategy: string | undefined, symbol: SecuritySymbol, state: BotState): void {
    if (open.size === 0) return;
    for (const { bracket, quantity } of closedByOthers(strategy, symbol, state))
      update(bracket.id, (known) => ({ closedByOthers: (known.closedByOthers ?? ZERO).plus(quantity) }));
  }

  /**
   * Handles shares that a strategy has again, because a trade from outside did not close them: its brackets protect
   * them again, oldest first. Returns the shares that no active bracket protects.
   */
  function regained(strategy: string, symbol: SecuritySymbol, shares: Quantity, state: BotState): Quantity {
    const side = shares.gt(0) ? 'buy' : 'sell';
    const isHeld = heldBy(strategy, { symbol, side }, state).gt(0);
    let left = isHeld ? shares.abs() : ZERO;
    for (const { id, spec, strategy: owner, closedByOthers: closed = ZERO } of [...open.values()]) {
      if (spec.kind !== 'bracket' || owner !== strategy || !left.gt(0) || !closed.gt(0)) continue;
      if (spec.entry.symbol !== symbol || spec.entry.side !== side) continue;
      const back = Decimal.min(left, closed);
      left = left.minus(back);
      update(id, () => ({ closedByOthers: closed.minus(back) }));
    }
    return left;
  }

  return {
    open: open as OpenAlgorithms,
    apply,
    regained,
    positionChanged,
    relevant,
    orderChanged,
    rebuildLists,
  };
}

/** Returns all orders of the active algorithms in a symbol; those of a rebalance may be in other symbols. */
export function ordersIn(open: OpenAlgorithms, symbol: SecuritySymbol): readonly IntentId[] {
  return [...open.values()]
    .filter(({ spec }) => concerns(spec, symbol))
    .flatMap(({ children }) => [...children.values()].flat());
}

/**
 * Returns whether exits of a bracket were created. Otherwise a cancel does not overrule it, so that an entry that
 * fills despite its cancel gets exits.
 */
function hasExits(children: TrackedAlgorithm['children']): boolean {
  return [...children.keys()].some((slot) => slot !== 'entry');
}

/** The growing lists of an active algorithm, modified in place to avoid a copy for each order. */
interface AlgorithmLists {
  readonly children: Map<string, IntentId[]>;
  readonly withdrawn: Set<IntentId>;
  readonly relevant: Map<string, IntentId[]>;
}

/** Slots of a bracket whose orders are sent and cancelled repeatedly. */
const REPLACED_SLOTS: ReadonlySet<string> = new Set(['stop', 'trail', 'target']);

/**
 * True for an exit that its bracket cancelled without any execution or refused change, and that its plan can ignore.
 * Stops of a bracket with a break-even never count, because their prices show whether it was reached.
 */
function isSpent({ intentId, facets, link, change }: TrackedOrder, algorithm: TrackedAlgorithm): boolean {
  const { spec, withdrawn } = algorithm;
  if (spec.kind !== 'bracket' || link?.exit !== true || !REPLACED_SLOTS.has(link.slot)) return false;
  if (link.slot === 'stop' && spec.exits.breakEven !== undefined) return false;
  const hasEnded = facets.submission.kind === 'acked' && facets.venue === 'CanceledStatus' && !isLive(facets);
  if (!hasEnded || !facets.executed.isZero() || !withdrawn.has(intentId)) return false;
  return change === undefined || (change.outcome !== 'refused' && change.losses === 0);
}
