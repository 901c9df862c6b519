import { type AlgorithmId, type AlgorithmSpec, concerns, type OrderLink } from '../../model/algorithm.ts';
import type { IntentId } from '../../model/order.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Millis } from '../../model/time.ts';
import type { Cause } from '../cause.ts';
import type { SluiceEvent } from '../event.ts';
import type { CommandName, OperatorCommanded } from '../operator-events.ts';
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
  /** True once its shares were split. */
  readonly isSplit: boolean;
  /**
   * Why a rebalance, an order in parts or a bracket is to send nothing more: a command or event since it began; undefined
   * while it is active. A bracket ends by an operator's command alone, as it protects a position. The others have sent all that opens at once.
   */
  readonly overruled: string | undefined;
}

/** The active algorithms, oldest first. */
export type OpenAlgorithms = ReadonlyMap<AlgorithmId, TrackedAlgorithm>;

/** The fold's part for algorithms. */
export interface AlgorithmFold {
  readonly open: OpenAlgorithms;
  /** Folds an event in; `link` is what its order is to an algorithm. */
  apply(event: SluiceEvent, link: OrderLink | undefined): void;
}

/** Commands that cancel what is open, or close all positions; a kill and a halt move the gate as well. */
const GIVES_UP: ReadonlySet<CommandName> = new Set(['cancel-all', 'flatten']);

/** Algorithms that send orders which open something long after they were asked for. */
export const SENDS_LATER: ReadonlySet<AlgorithmSpec['kind']> = new Set(['rebalance', 'slices']);

/** Starts with none; an algorithm that ended is forgotten, as nothing can come of it any more. */
export function createAlgorithmFold(): AlgorithmFold {
  const open = new Map<AlgorithmId, TrackedAlgorithm>();

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

  function handle({ taken, command, by, symbols }: OperatorCommanded): void {
    if (!taken || !GIVES_UP.has(command)) return;
    overrule(
      `${by} asked for "${command}"`,
      ({ spec, children }) =>
        (SENDS_LATER.has(spec.kind) || (spec.kind === 'bracket' && hasExits(children))) &&
        (symbols === undefined || symbols.some((symbol) => concerns(spec, symbol))),
    );
  }

  function apply(event: SluiceEvent, link: OrderLink | undefined): void {
    switch (event.kind) {
      case 'algorithm-started': {
        const { algorithmId: id, spec, at: startedAt, reason, cause, strategy } = event;
        const nothingYet = {
          children: new Map(),
          withdrawn: new Set<IntentId>(),
          firstFillAt: undefined,
          isSplit: false,
          overruled: undefined,
        };
        open.set(id, { id, spec, startedAt, reason, cause, strategy, ...nothingYet });
        return;
      }
      case 'intent-drafted':
        change(link?.algorithm, ({ children }) => ({ children: withChild(children, link, event.intentId) }));
        return;
      case 'order-filled':
        change(link?.algorithm, ({ firstFillAt, lastFillAt }) => ({
          firstFillAt: firstFillAt ?? event.at,
          lastFillAt: lastFillAt === undefined || event.fill.time > lastFillAt ? event.fill.time : lastFillAt,
        }));
        return;
      case 'algorithm-withdrew':
        change(event.algorithmId, ({ withdrawn }) => ({
          withdrawn: new Set([...withdrawn, event.intentId]),
        }));
        return;
      case 'corporate-action': {
        const split = splitIn(event);
        if (split === undefined) return;
        for (const { id, spec } of [...open.values()])
          if (concerns(spec, event.symbol))
            change(id, () => ({ spec: specAfterSplit(spec, split.ratio), isSplit: true }));
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
        return;
      default:
    }
  }

  return { open, apply };
}

/** Orders that active algorithms of a symbol sent, in any state; a rebalance may have some in others. */
export function ordersIn(open: OpenAlgorithms, symbol: SecuritySymbol): readonly IntentId[] {
  return [...open.values()]
    .filter(({ spec }) => concerns(spec, symbol))
    .flatMap(({ children }) => [...children.values()].flat());
}

/** Exits that were never sent were not given up: an entry that is filled in spite of its cancel gets them. */
function hasExits(children: TrackedAlgorithm['children']): boolean {
  return [...children.keys()].some((slot) => slot !== 'entry');
}

function withChild(
  children: TrackedAlgorithm['children'],
  link: OrderLink | undefined,
  intentId: IntentId,
): TrackedAlgorithm['children'] {
  if (link === undefined) return children;
  return new Map(children).set(link.slot, [...(children.get(link.slot) ?? []), intentId]);
}
