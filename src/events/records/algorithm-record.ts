import { type AlgorithmId, type AlgorithmSpec, concerns, type OrderLink } from '../../model/algorithm.ts';
import { type Quantity, ZERO } from '../../model/decimal.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { IntentId } from '../../model/order.ts';
import { isLive } from '../../model/order-state.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { BotState, TrackedOrder } from '../bot-state.ts';
import type { Cause } from '../cause.ts';
import type { CommandName, OperatorCommanded, SluiceEvent } from '../event.ts';
import { closedByOthers } from './bracket-shares.ts';
import { specAfterSplit, splitIn } from './split-record.ts';

/** An algorithm and the orders that it asked for so far; their outcome is in the orders themselves. */
export interface TrackedAlgorithm {
  readonly id: AlgorithmId;
  readonly spec: AlgorithmSpec;
  readonly startedAt: Millis;
  readonly reason: string;
  readonly cause: Cause;
  /** Which of the bot's strategies asked for it; undefined in a bot with one. */
  readonly strategy: string | undefined;
  /** Its orders by slot, oldest first; a slot can have several. */
  readonly children: ReadonlyMap<string, readonly IntentId[]>;
  /** Orders that it took back itself. */
  readonly withdrawn: ReadonlySet<IntentId>;
  /** When the first of its orders began to be filled; undefined before. */
  readonly firstFillAt: Millis | undefined;
  /** Venue time of its newest fill; absent before the first, and in snapshots of earlier versions. */
  readonly lastFillAt?: Millis;
  /** Shares of a bracket that other orders closed, less those that its exits closed of others: see `closedByOthers()`. Absent: none. */
  readonly closedByOthers?: Quantity;
  /** True once its shares were split. */
  readonly isSplit: boolean;
  /**
   * Why a rebalance, an order in parts, a chase or a bracket is to send nothing more: a command or event since it began; undefined
   * while it is active. A bracket ends by an operator's command alone, as it protects a position. The others have sent all that opens at once.
   */
  readonly overruled: string | undefined;
}

/** The active algorithms, oldest first. */
export type OpenAlgorithms = ReadonlyMap<AlgorithmId, TrackedAlgorithm>;

/** Orders by slot, oldest first. */
export type RelevantChildren = ReadonlyMap<string, readonly IntentId[]>;

/** Commands that cancel what is open, or close all positions; a kill and a halt move the gate as well. */
const GIVES_UP: ReadonlySet<CommandName> = new Set(['cancel-all', 'flatten']);

/** How the reason ends of a bracket whose position an operator closes, by itself or with a kill. */
const FLATTENS = 'asked for "flatten"';

/** Symbols with a bracket that a flatten overruled: what its entry still opens gets no exits, and has to be closed. */
export function flattenedSymbols(open: OpenAlgorithms): readonly SecuritySymbol[] {
  const flattened = [...open.values()].flatMap(({ spec, overruled }) =>
    spec.kind === 'bracket' && overruled?.endsWith(FLATTENS) === true ? [spec.entry.symbol] : [],
  );
  return [...new Set(flattened)];
}

/** Algorithms that send orders which open something long after they were asked for. */
export const SENDS_LATER: ReadonlySet<AlgorithmSpec['kind']> = new Set(['rebalance', 'slices', 'chase']);

/**
 * The fold's part for algorithms. It starts with none; an algorithm that ended is forgotten, as nothing can come of it any more. `orderOf` finds the orders.
 *
 * A bracket in a position that is held for long sends and cancels exits without end. Those of which nothing can come any more are
 * left out of `relevant`, so that a plan costs what is open, whatever was sent before.
 */
export function createAlgorithmFold(orderOf: (id: IntentId) => TrackedOrder | undefined) {
  const open = new Map<AlgorithmId, TrackedAlgorithm>();
  const grown = new Map<AlgorithmId, Grown>();

  function addChild({ algorithm, slot }: OrderLink, intentId: IntentId): void {
    const known = open.get(algorithm);
    const lists = grown.get(algorithm);
    if (known === undefined || lists === undefined) return;
    const { children, relevant } = lists;
    const all = children.get(slot);
    if (all === undefined) children.set(slot, [intentId]);
    else all.push(intentId);
    relevant.set(slot, [...withoutSpent(relevant.get(slot) ?? [], known), intentId]);
    change(algorithm, () => ({}));
  }

  /** Exits before the newest of a slot, without the spent ones. */
  function withoutSpent(ids: readonly IntentId[], algorithm: TrackedAlgorithm): readonly IntentId[] {
    const kept: IntentId[] = [];
    for (const id of ids) {
      const order = orderOf(id);
      // Consecutive denials are counted: an order between two of them is kept.
      const before = kept.at(-1);
      const followsDenial = before !== undefined && orderOf(before)?.facets.submission.kind === 'denied';
      if (order === undefined || followsDenial || !isSpent(order, algorithm)) kept.push(id);
    }
    return kept;
  }

  /** Called with every order that changed: one that is not spent any more counts again. */
  function orderChanged({ intentId, link, facets }: TrackedOrder): void {
    if (link === undefined || facets.submission.kind === 'drafted') return;
    const { algorithm, slot } = link;
    const known = open.get(algorithm);
    const lists = grown.get(algorithm);
    const counted = lists?.relevant.get(slot);
    const all = lists?.children.get(slot);
    if (known === undefined || counted === undefined || all === undefined) return;
    if (counted.length === all.length || counted.includes(intentId)) return;
    const order = orderOf(intentId);
    if (order === undefined || isSpent(order, known)) return;
    const kept = new Set([...counted, intentId]);
    lists?.relevant.set(
      slot,
      all.filter((id) => kept.has(id)),
    );
  }

  /** Called after `open` was filled from a snapshot. */
  function restored(): void {
    grown.clear();
    for (const [id, algorithm] of open) {
      const copied = (): Map<string, IntentId[]> =>
        new Map([...algorithm.children].map(([slot, ids]) => [slot, [...ids]]));
      const lists = { children: copied(), withdrawn: new Set(algorithm.withdrawn), relevant: copied() };
      grown.set(id, lists);
      open.set(id, { ...algorithm, children: lists.children, withdrawn: lists.withdrawn });
    }
  }

  function change(
    id: AlgorithmId | undefined,
    by: (known: TrackedAlgorithm) => Partial<TrackedAlgorithm>,
  ): void {
    const known = id === undefined ? undefined : open.get(id);
    if (known !== undefined) open.set(known.id, { ...known, ...by(known) });
  }

  /** Nothing more is sent for positions that an operator closed. */
  function overrule(why: string, isMeant: (algorithm: TrackedAlgorithm) => boolean): void {
    for (const algorithm of open.values())
      if (isMeant(algorithm)) change(algorithm.id, ({ overruled }) => ({ overruled: overruled ?? why }));
  }

  function handle({ taken, command, by, symbols, message }: OperatorCommanded): void {
    const flattens = command === 'flatten' || (command === 'kill' && message.split(', ').includes('flatten'));
    if (!taken || !(GIVES_UP.has(command) || flattens)) return;
    const why = `${by} asked for "${command}"`;
    for (const { id, spec, children } of open.values()) {
      if (symbols?.some((symbol) => concerns(spec, symbol)) === false) continue;
      if (spec.kind === 'bracket' && flattens) change(id, () => ({ overruled: `${by} ${FLATTENS}` }));
      else if (
        GIVES_UP.has(command) &&
        (SENDS_LATER.has(spec.kind) || (spec.kind === 'bracket' && hasExits(children)))
      )
        change(id, ({ overruled }) => ({ overruled: overruled ?? why }));
    }
  }

  /** Folds an event in; `link` is what its order is to an algorithm. */
  function apply(event: SluiceEvent, link: OrderLink | undefined): void {
    switch (event.kind) {
      case 'algorithm-started': {
        const { algorithmId: id, spec, at: startedAt, reason, cause, strategy } = event;
        const lists: Grown = { children: new Map(), withdrawn: new Set(), relevant: new Map() };
        const { children, withdrawn } = lists;
        const nothingYet = {
          children,
          withdrawn,
          firstFillAt: undefined,
          isSplit: false,
          overruled: undefined,
        };
        grown.set(id, lists);
        open.set(id, { id, spec, startedAt, reason, cause, strategy, ...nothingYet });
        return;
      }
      case 'intent-drafted':
        if (link !== undefined) addChild(link, event.intentId);
        return;
      case 'order-filled':
        change(link?.algorithm, ({ firstFillAt, lastFillAt }) => ({
          firstFillAt: firstFillAt ?? event.at,
          lastFillAt: lastFillAt === undefined || event.fill.time > lastFillAt ? event.fill.time : lastFillAt,
        }));
        return;
      case 'algorithm-withdrew':
        grown.get(event.algorithmId)?.withdrawn.add(event.intentId);
        change(event.algorithmId, () => ({}));
        return;
      case 'corporate-action': {
        const split = splitIn(event);
        if (split === undefined) return;
        for (const { id, spec } of [...open.values()])
          if (concerns(spec, event.symbol))
            change(id, ({ closedByOthers }) => ({
              spec: specAfterSplit(spec, split.ratio),
              isSplit: true,
              ...omitUndefined({ closedByOthers: closedByOthers?.times(split.ratio) }),
            }));
        return;
      }
      case 'operator-commanded':
        handle(event);
        return;
      case 'gate-moved':
        // Parts continue after a halt: until then the gate denies orders that open.
        if (event.state === 'halted' || event.state === 'killed')
          overrule(`the gate was ${event.state} by the ${event.by}`, ({ spec }) => spec.kind === 'rebalance');
        return;
      case 'strategy-failed':
        overrule(
          'the strategy failed',
          ({ spec, strategy }) => SENDS_LATER.has(spec.kind) && strategy === event.strategy,
        );
        return;
      case 'algorithm-ended':
        open.delete(event.algorithmId);
        grown.delete(event.algorithmId);
        return;
      default:
    }
  }

  /** Orders of an active algorithm by slot, oldest first, without spent exits; undefined for any other. */
  function relevant(id: AlgorithmId): RelevantChildren | undefined {
    return grown.get(id)?.relevant;
  }

  /** Called after a fill was booked. */
  function positionChanged(strategy: string | undefined, symbol: SecuritySymbol, state: BotState): void {
    if (open.size === 0) return;
    for (const { bracket, quantity } of closedByOthers(strategy, symbol, state))
      change(bracket.id, (known) => ({ closedByOthers: (known.closedByOthers ?? ZERO).plus(quantity) }));
  }

  return { open: open as OpenAlgorithms, apply, positionChanged, relevant, orderChanged, restored };
}

/** Orders that active algorithms of a symbol sent, in any state; a rebalance may have some in others. */
export function ordersIn(open: OpenAlgorithms, symbol: SecuritySymbol): readonly IntentId[] {
  return [...open.values()]
    .filter(({ spec }) => concerns(spec, symbol))
    .flatMap(({ children }) => [...children.values()].flat());
}

/**
 * Exits that were never sent were not cancelled: an entry that fills in spite of its cancel gets them. A flatten closes what it opened, so that
 * none are sent.
 */
function hasExits(children: TrackedAlgorithm['children']): boolean {
  return [...children.keys()].some((slot) => slot !== 'entry');
}

/** What grows while an algorithm is active. It is changed in place: a copy for each order would cost more with every one. */
interface Grown {
  readonly children: Map<string, IntentId[]>;
  readonly withdrawn: Set<IntentId>;
  readonly relevant: Map<string, IntentId[]>;
}

/** Slots of a bracket whose orders are sent and cancelled again and again. */
const RESENT: ReadonlySet<string> = new Set(['stop', 'trail', 'target']);

/**
 * True for an exit that its bracket cancelled before anything of it was executed, and that the venue refused nothing of: the plan
 * of its bracket is the same without it. Stops of a bracket with a break-even stay, as their prices tell whether it was reached.
 */
function isSpent({ intentId, facets, link, change }: TrackedOrder, algorithm: TrackedAlgorithm): boolean {
  const { spec, withdrawn } = algorithm;
  if (spec.kind !== 'bracket' || link?.exit !== true || !RESENT.has(link.slot)) return false;
  if (link.slot === 'stop' && spec.exits.breakEven !== undefined) return false;
  const isOver = facets.submission.kind === 'acked' && facets.venue === 'CanceledStatus' && !isLive(facets);
  if (!isOver || !facets.executed.isZero() || !withdrawn.has(intentId)) return false;
  return change === undefined || (change.outcome !== 'refused' && change.losses === 0);
}
