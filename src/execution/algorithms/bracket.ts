import type { TrackedAlgorithm } from '../../events/algorithm-record.ts';
import type { TrackedOrder } from '../../events/fold.ts';
import { type BracketSpec, otherSide } from '../../model/algorithm.ts';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { OrderTerms, Side } from '../../model/order.ts';
import { isLive } from '../../model/order-state.ts';
import { type Millis, millis } from '../../model/time.ts';
import {
  averagePrice,
  type Children,
  childrenOf,
  executedOf,
  failureOf,
  isOpen,
  openOf,
  wasWithdrawn,
  withdraw,
} from './children.ts';
import {
  closeTerms,
  distanceFrom,
  isBeyond,
  type Leaving,
  levelOf,
  stopTerms,
  targetTerms,
  trailTerms,
} from './levels.ts';
import type { AlgorithmFacts, Want } from './plan.ts';

/** Slots of the orders that take back what the entry opened. */
const EXIT_SLOTS = ['stop', 'trail', 'target', 'close'] as const;
/** Those that wait at the venue, of which one executes in the end. */
const RESTING = ['stop', 'trail', 'target'] as const;

/** Times that a position is closed at the market before a person has to see to it, and the wait between them. */
const CLOSES_MAX = 3;
const CLOSE_AGAIN_MS = 60_000;

/** Takes back what two exits executed beyond what was opened; only an account with short sales comes to that. */
const BACK_SLOT = 'back';

/** Shares that a bracket has opened and not taken back; below zero where its exits executed more than that. */
export function openedBy(algorithm: TrackedAlgorithm, facts: Pick<AlgorithmFacts, 'order'>): Quantity {
  const children = childrenOf(algorithm, facts);
  const opened = executedOf([...children.of('entry'), ...children.of(BACK_SLOT)]);
  return opened.minus(executedOf(EXIT_SLOTS.flatMap(children.of)));
}

/**
 * Wants the entry, then exits for exactly what the entry has opened and still is held. They make way while the strategy's
 * own orders take the position back, and come again for what is left.
 */
export function planBracket(
  algorithm: TrackedAlgorithm,
  spec: BracketSpec,
  facts: AlgorithmFacts,
): readonly Want[] {
  const children = childrenOf(algorithm, facts);
  const entry = children.newest('entry');
  if (entry === undefined) {
    return [{ kind: 'submit', slot: 'entry', terms: spec.entry, reason: algorithm.reason }];
  }
  const { side, symbol } = spec.entry;
  const quantity = Decimal.min(openedBy(algorithm, facts), facts.held(side));
  const exits = EXIT_SLOTS.flatMap(children.of).filter(isOpen);
  if (quantity.lte(0)) {
    const beyond = Decimal.min(openedBy(algorithm, facts).neg(), facts.held(otherSide(side)));
    return (
      takenTwice({ symbol, side: otherSide(side), quantity: beyond }, exits, children) ??
      nothingHeld(entry, exits, children)
    );
  }
  const ended = endedByOthers(algorithm, children, facts);
  if (ended !== undefined) return exits.length > 0 ? withdraw(exits, ended) : [over('canceled', ended)];
  if (facts.isTaken(otherSide(side)) && children.newest('close') === undefined)
    return withdraw(exits, 'the strategy takes the position back itself');
  const paid = averagePrice(children.of('entry')) ?? ZERO;
  return maintain({ algorithm, spec, facts, children, paid, leaving: { symbol, side, quantity } });
}

/** One order for what exits sold, or bought, twice, once none of them stands any more; undefined where there is none to send. */
function takenTwice(
  beyond: Leaving,
  exits: readonly TrackedOrder[],
  children: Children,
): readonly Want[] | undefined {
  const back = children.newest(BACK_SLOT);
  if (back !== undefined) return isOpen(back) ? [] : undefined;
  if (beyond.quantity.lte(0) || exits.length > 0) return undefined;
  const reason = 'two exits were executed before one could be taken back';
  return [{ kind: 'submit', slot: BACK_SLOT, terms: closeTerms(beyond), reason, exit: true }];
}

function nothingHeld(
  entry: TrackedOrder,
  exits: readonly TrackedOrder[],
  children: Children,
): readonly Want[] {
  const opened = !entry.facets.executed.isZero();
  const open = opened && isOpen(entry) ? [...exits, entry] : exits;
  if (open.length > 0) return withdraw(open, 'nothing is left to take back');
  if (isOpen(entry)) return [];
  if (!opened) return [over('canceled', `nothing was opened: ${failureOf(entry) ?? 'not sent'}`)];
  const out = EXIT_SLOTS.find((slot) => !executedOf(children.of(slot)).isZero());
  return [over('done', out === undefined ? 'the strategy took the position back' : `left by its ${out}`)];
}

/** Why there is to be no exit any more: an operator killed, or somebody took an exit back that we wanted. */
function endedByOthers(
  algorithm: TrackedAlgorithm,
  children: Children,
  { killed }: AlgorithmFacts,
): string | undefined {
  if (killed) return 'the account was killed';
  const gone = RESTING.flatMap((slot) => children.newest(slot) ?? []).find(
    (order) =>
      !isOpen(order) &&
      (order.facets.venue === 'CanceledStatus' || order.facets.venue === 'PartialWithdrawal') &&
      !wasWithdrawn(order, algorithm),
  );
  return gone === undefined ? undefined : `somebody cancelled its ${gone.link?.slot ?? 'exit'}`;
}

/** A bracket that holds something. */
interface Held {
  readonly algorithm: TrackedAlgorithm;
  readonly spec: BracketSpec;
  readonly facts: AlgorithmFacts;
  readonly children: Children;
  /** Average price of the entry. */
  readonly paid: Price;
  readonly leaving: Leaving;
}

function maintain(held: Held): readonly Want[] {
  const { children, leaving, facts } = held;
  const resting = RESTING.flatMap(children.of).filter(isOpen);
  const stop = stopLevel(held);
  const why = reasonToLeave(held, stop);
  if (why !== undefined) return resting.length > 0 ? withdraw(resting, why) : closeNow(held, why);
  // Each is asked for anew once its predecessor with another quantity or price is gone.
  const wrong = resting
    .filter(({ facets }) => isLive(facets))
    .filter((order) => !openOf([order]).eq(leaving.quantity) || isElsewhere(order, stop));
  if (wrong.length > 0) return [...withdraw(wrong, 'the position or its stop moved'), ...wakes(held)];
  const { trail, target } = held.spec.exits;
  const goal = target === undefined ? undefined : gainLevel(held, target);
  return [
    ...(stop === undefined ? [] : leg(held, 'stop', stopTerms(leaving, stop))),
    ...(trail === undefined ? [] : leg(held, 'trail', trailTerms(leaving, trail))),
    ...(goal === undefined ? [] : leg(held, 'target', targetTerms(leaving, goal, facts))),
    ...wakes(held),
  ];
}

function leg(held: Held, slot: (typeof RESTING)[number], terms: OrderTerms): readonly Want[] {
  const newest = held.children.newest(slot);
  if (newest !== undefined && (isOpen(newest) || !wasWithdrawn(newest, held.algorithm))) return [];
  const reason = `${slot} of what was bought or sold at ${held.paid.toDecimalPlaces(6)}`;
  return [{ kind: 'submit', slot, terms, reason, exclusive: true, exit: true }];
}

/** The stop as it should lie now: where it was asked for, or at the price paid once the gain was reached; never back again. */
function stopLevel(held: Held): Price | undefined {
  const { spec, paid, leaving, facts } = held;
  const { toTick } = facts;
  const { side } = leaving;
  const asked = spec.exits.stop;
  const first = asked === undefined ? undefined : levelOf(asked, 'loss', { side, paid, toTick });
  if (spec.exits.breakEven === undefined || !hasBrokenEven(held)) return first;
  const even = toTick(paid, side === 'buy' ? 'up' : 'down');
  return first === undefined ? even : tighter(first, even, side);
}

/** True once a bar closed beyond the gain from which on the stop lies at the price paid; a stop that lies there remembers it. */
function hasBrokenEven({ spec, paid, leaving, facts, children }: Held): boolean {
  const { breakEven } = spec.exits;
  if (breakEven === undefined) return false;
  const { side } = leaving;
  const even = facts.toTick(paid, side === 'buy' ? 'up' : 'down');
  const remembered = children.of('stop').some(({ terms }) => terms.triggerPrice?.eq(even) === true);
  const goal = awayBy(distanceFrom(breakEven, paid), paid, side);
  return remembered || (facts.close !== undefined && isBeyond(facts.close, goal, 'gain', side));
}

function awayBy(distance: Decimal, paid: Price, side: Side): Price {
  return side === 'buy' ? paid.plus(distance) : paid.minus(distance);
}

function tighter(one: Price, other: Price, side: Side): Price {
  return side === 'buy' ? Decimal.max(one, other) : Decimal.min(one, other);
}

function isElsewhere({ terms, link }: TrackedOrder, stop: Price | undefined): boolean {
  return link?.slot === 'stop' && stop !== undefined && terms.triggerPrice?.eq(stop) === false;
}

function gainLevel(
  { paid, leaving, facts }: Held,
  target: NonNullable<BracketSpec['exits']['target']>,
): Price {
  return levelOf(target, 'gain', { side: leaving.side, paid, toTick: facts.toTick });
}

/** Why the position has to be given up at the market now. */
function reasonToLeave(held: Held, stop: Price | undefined): string | undefined {
  const { children, facts, leaving, algorithm } = held;
  if (children.newest('close') !== undefined) return 'it is being closed';
  const due = timesOf(held).find(({ at }) => facts.now >= at);
  if (due !== undefined) return due.why;
  const guard = (['stop', 'trail'] as const).flatMap((slot) => children.newest(slot) ?? []);
  const lost = guard.find((order) => !wasWithdrawn(order, algorithm) && failureOf(order) !== undefined);
  if (lost !== undefined) return `its ${lost.link?.slot ?? 'stop'} did not come to stand: ${failureOf(lost)}`;
  const isGuarded = guard.some(isOpen);
  if (facts.judgesAtFill) return undefined;
  const passed =
    stop !== undefined && facts.last !== undefined && isBeyond(facts.last, stop, 'loss', leaving.side);
  return passed && !isGuarded ? `the price is beyond the stop at ${stop} already` : undefined;
}

/** When the position is left whatever its price is. */
function timesOf({ algorithm, spec, facts }: Held): readonly { readonly at: Millis; readonly why: string }[] {
  const { afterMs, beforeCloseMs } = spec.exits;
  const { firstFillAt } = algorithm;
  const end = beforeCloseMs === undefined ? undefined : facts.sessionEnd();
  return [
    ...(afterMs === undefined || firstFillAt === undefined
      ? []
      : [{ at: millis(firstFillAt + afterMs), why: 'its time is over' }]),
    ...(end === undefined || beforeCloseMs === undefined
      ? []
      : [{ at: millis(end - beforeCloseMs), why: 'the session is about to end' }]),
  ];
}

function wakes(held: Held): readonly Want[] {
  const { facts, spec } = held;
  const next = spec.exits.breakEven === undefined || hasBrokenEven(held) ? undefined : facts.nextClose();
  const times = [...timesOf(held).map(({ at }) => at), ...(next === undefined ? [] : [next])];
  return times.filter((at) => at > facts.now).map((at) => ({ kind: 'wake', at }));
}

function closeNow({ children, leaving, facts }: Held, why: string): readonly Want[] {
  const closes = children.of('close');
  const last = closes.at(-1);
  if (last !== undefined && isOpen(last)) return [];
  const again = last === undefined ? facts.now : millis(last.decidedAt + CLOSE_AGAIN_MS);
  if (again > facts.now) return [{ kind: 'wake', at: again }];
  if (closes.length >= CLOSES_MAX)
    return [over('failed', `could not be closed: ${last === undefined ? '' : (failureOf(last) ?? '')}`)];
  return [{ kind: 'submit', slot: 'close', terms: closeTerms(leaving), reason: why, exit: true }];
}

function over(outcome: 'done' | 'canceled' | 'failed', why: string): Want {
  return { kind: 'end', outcome, why };
}
