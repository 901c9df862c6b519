import type { BotState, TrackedOrder } from '../../events/bot-state.ts';
import type { Cause } from '../../events/cause.ts';
import { SENDS_LATER, type TrackedAlgorithm } from '../../events/records/algorithm-record.ts';
import { heldBy } from '../../events/records/bracket-shares.ts';
import { isWaiting, openWithoutExits } from '../../events/records/open-orders.ts';
import { oddLotText, roundToLot } from '../../markets/lots.ts';
import {
  type AlgorithmId,
  type AlgorithmSpec,
  algorithmId,
  concerns,
  type OrderLink,
  otherSide,
  type RebalanceSpec,
} from '../../model/algorithm.ts';
import { type Quantity, ZERO } from '../../model/decimal.ts';
import type { GateState } from '../../model/gate.ts';
import type { StateNote } from '../../model/kept-state.ts';
import type { Alarm } from '../../model/notice.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { IntentId, OrderIntent, OrderTerms, Side } from '../../model/order.ts';
import { isLive } from '../../model/order-state.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { MINUTE_MS, type Millis, millis, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Task } from '../../ports/task.ts';
import type { StrategyEvent } from '../../strategy/strategy-event.ts';
import type { OrderAmender } from '../orders/order-amender.ts';
import type { OrderNews } from '../orders/order-news.ts';
import { type OrderTracker, toIntent } from '../orders/order-tracker.ts';
import type { Recorder } from '../recorder.ts';
import { LATE_MS, LESS_HELD, RESTARTED } from './children.ts';
import type { ExitWatch } from './exit-watch.ts';
import type { AlgorithmSources } from './facts-for.ts';
import type { AlgorithmAction, Kept } from './plan.ts';
import { isStillWanted, planOf, submittedAgainAt } from './plans.ts';
import { roundsOf, slotsOfLeg } from './rebalance.ts';
import { type ProtectiveOrder, waitsForShares, waitsForUnknown } from './shares-in-transition.ts';

/** A timer of an algorithm, or its first turn after a restart. */
export interface AlgorithmTask {
  readonly kind: 'algorithm';
  readonly algorithm: AlgorithmId;
}

/** What a strategy asked of an algorithm, and why. */
export interface AlgorithmRequest {
  readonly spec: AlgorithmSpec;
  readonly reason: string;
  readonly cause: Cause;
  /** Which of the bot's strategies asks; absent in a bot with one. */
  readonly strategy?: string;
  /** What the strategy remembers from then on, written down together with it. */
  readonly note?: StateNote;
}

type Submit = Extract<AlgorithmAction, { kind: 'submit' }>;

/** Algorithms whose first orders are sent as they start, or never; the others bound by themselves how late they send. */
const SENDS_AT_ONCE: ReadonlySet<AlgorithmSpec['kind']> = new Set(['bracket', 'oco', 'chase']);

/** Where algorithms turn what they were asked for into orders, one after the other. */
export type AlgorithmRunner = ReturnType<typeof createAlgorithmRunner>;

/** Dependencies of the algorithm runner. */
interface AlgorithmRunnerParts {
  readonly recorder: Recorder;
  readonly clock: Clock;
  /** Queues a task. */
  readonly due: (task: AlgorithmTask) => void;
  readonly sources: AlgorithmSources;
  readonly tracker: Pick<OrderTracker, 'cancel'>;
  readonly amender: OrderAmender;
  readonly mintIntentId: () => IntentId;
  /** Takes a drafted intent through the gate and to the venue. */
  readonly carryOut: (intent: OrderIntent) => Task<OrderNews>;
  /** Writes down that an intent is not sent. */
  readonly deny: (
    intent: OrderIntent,
    why: { readonly rule: string; readonly reason: string },
  ) => Task<OrderNews>;
  /** Whether the bot still has the strategy that asked for something; undefined is the one of a bot with one. */
  readonly hasStrategy: (strategy: string | undefined) => boolean;
  /** State of the gate, which a command changes before it is journaled. */
  readonly gateState: () => GateState;
  /** Whether nothing that restricts the gate keeps a position of a symbol from being opened. */
  readonly mayOpen: (symbol: SecuritySymbol) => boolean;
  /** No timer is set beyond this instant. */
  readonly until: Millis;
  readonly onAlarm: ((alarm: Alarm) => void) | undefined;
  /** Sees to it that a position does not lose its exits unnoticed; absent: no alarms are heard. */
  readonly exitWatch?: Pick<ExitWatch, 'ended'> | undefined;
}

/**
 * Longest time that a protective order waits for shares which other orders of the bot are about to release; the gate judges it then. It
 * covers a cancel that the venue accepted without effect, and its second attempt 30 s later. Each order that is sent has its own minute.
 * The wait for an unknown order has no such limit: the gate would deny the exit, and the order is found or abandoned in any case.
 */
export const SHARES_WAIT_MAX_MS = MINUTE_MS;
/** Both waits are ended by an event of an order, and are checked in this interval as well. */
const SHARES_LOOK_MS = SECOND_MS;

/** Everything an algorithm knows is in the journal, and so is which orders wait for their turn; what is kept here is when it wakes. */
export function createAlgorithmRunner(parts: AlgorithmRunnerParts) {
  const { recorder, clock, due, sources, tracker, amender, mintIntentId, carryOut } = parts;
  const { state } = recorder;
  const wakesAt = new Map<AlgorithmId, Millis>();
  /** Since when protective orders of an algorithm wait for shares; after a restart the time begins again. */
  const waitsSince = new Map<AlgorithmId, Millis>();
  /** Exits whose expiry raised an alarm. */
  const reported = new Set<string>();
  /** Alarms that algorithms raised, as "ALGORITHM code". */
  const alarmed = new Set<string>();
  let held: readonly OrderIntent[] = [];
  /**
   * Orders of algorithms of which the strategy has heard nothing yet, and whether another was submitted in their place since: a
   * rebalance may do so, and end, before its first denial is handed over.
   */
  const unheard = new Map<IntentId, 'newest' | 'replaced'>();

  /** Journals the request and starts its algorithm. */
  function* start(request: AlgorithmRequest): Task<OrderNews> {
    const id = algorithmId(mintIntentId());
    recorder.record({ kind: 'algorithm-started', at: clock.now(), algorithmId: id, ...request });
    replaceOlder(id);
    yield* step(id);
  }

  /** A rebalance sets all positions of the strategy: pending orders of an older algorithm are no longer wanted. */
  function replaceOlder(id: AlgorithmId): void {
    const known = state.algorithms.get(id);
    if (known?.spec.kind !== 'rebalance') return;
    const all = [...state.algorithms.values()];
    const older = all
      .slice(0, all.indexOf(known))
      .filter(({ strategy, spec }) => strategy === known.strategy && spec.kind !== 'bracket');
    callOff(older, 'a rebalance takes its place');
  }

  /** Ends what a strategy still wants to send in a symbol, as an exclusive order takes its place; brackets end with their positions. */
  function makeRoom(symbol: SecuritySymbol, owner?: string): void {
    const theirs = [...state.algorithms.values()].filter(
      ({ spec, strategy }) => isOneSymbol(spec) && strategy === owner && concerns(spec, symbol),
    );
    callOff(theirs, 'an exclusive order takes its place');
  }

  /** Ends algorithms whatever they wanted next. */
  function callOff(called: readonly TrackedAlgorithm[], why: string): void {
    for (const { id: algorithmId } of called)
      recorder.record({ kind: 'algorithm-ended', at: clock.now(), algorithmId, outcome: 'canceled', why });
  }

  /** These would open positions without an owner, and a rebalance would claim the positions of all other strategies. */
  function* endOrphans(): Task<OrderNews> {
    const orphans = [...state.algorithms.values()].filter(
      ({ spec, strategy }) => SENDS_LATER.has(spec.kind) && !parts.hasStrategy(strategy),
    );
    // A chase would have cancelled its order when its time is over.
    const chases = orphans.filter(({ spec }) => spec.kind === 'chase');
    for (const { children } of chases)
      for (const intentId of [...children.values()].flat())
        if (state.live.has(intentId)) yield* tracker.cancel(intentId);
    callOff(orphans, 'the bot does not have its strategy any more');
  }

  /** Asks one algorithm what it wants, and does that. */
  function* step(id: AlgorithmId): Task<OrderNews> {
    const algorithm = state.algorithms.get(id);
    if (algorithm === undefined) return;
    if (algorithm.spec.kind === 'rebalance') yield* inRounds(id, algorithm.spec);
    else yield* fulfilAll(algorithm, actionsOf(algorithm));
  }

  function actionsOf(algorithm: TrackedAlgorithm): readonly AlgorithmAction[] {
    return planOf(algorithm, { sources, state, held: waitingOrders(), now: clock.now() });
  }

  function* fulfilAll(algorithm: TrackedAlgorithm, actions: readonly AlgorithmAction[]): Task<OrderNews> {
    let waits = false;
    for (const action of actions)
      if (mustWait(algorithm, action)) waits = true;
      else yield* fulfil(algorithm, action);
    if (!waits) waitsSince.delete(algorithm.id);
  }

  /**
   * Holds a protective order back, or new terms of one, while other orders reserve its shares that are about to release them, or one of them
   * has no known outcome.
   */
  function mustWait(algorithm: TrackedAlgorithm, action: AlgorithmAction): boolean {
    const order = protectiveOrder(algorithm, action);
    if (order === undefined) return false;
    const now = clock.now();
    if (!waitsForUnknown(order, state)) {
      if (!waitsForShares(order, state, sources)) return false;
      const since = waitsSince.get(algorithm.id) ?? now;
      waitsSince.set(algorithm.id, since);
      if (now - since >= SHARES_WAIT_MAX_MS) return false;
    }
    wake(algorithm.id, millis(now + SHARES_LOOK_MS));
    return true;
  }

  /** The protective order that an action sends or changes; undefined for any other. */
  function protectiveOrder(
    { id, strategy }: TrackedAlgorithm,
    action: AlgorithmAction,
  ): ProtectiveOrder | undefined {
    if (action.kind === 'submit' && action.exit === true) {
      const { terms, slot, exclusive, exit } = action;
      return { terms, strategy, link: { algorithm: id, slot, exit, ...omitUndefined({ exclusive }) } };
    }
    if (action.kind !== 'replace') return undefined;
    const order = state.order(action.intentId);
    if (order?.link?.exit !== true) return undefined;
    const quantity = action.terms.quantity.minus(order.facets.executed);
    return { terms: { ...action.terms, quantity }, strategy, link: order.link, replaces: order.intentId };
  }

  /** A rebalance is planned again after each of its orders, until it has none to send. */
  function* inRounds(id: AlgorithmId, spec: RebalanceSpec): Task<OrderNews> {
    for (let round = 0; round < roundsOf(spec); round += 1) {
      const algorithm = state.algorithms.get(id);
      if (algorithm === undefined) return;
      const actions = actionsOf(algorithm);
      yield* fulfilAll(algorithm, actions);
      if (!actions.some(({ kind }) => kind === 'submit')) return;
    }
  }

  function* fulfil(algorithm: TrackedAlgorithm, action: AlgorithmAction): Task<OrderNews> {
    const stamp = { at: clock.now(), algorithmId: algorithm.id };
    switch (action.kind) {
      case 'submit':
        if (isInTime(action) && isWanted(algorithm, action)) yield* submit(algorithm, action);
        return;
      case 'cancel': {
        const { intentId, why } = action;
        recorder.record({ ...stamp, kind: 'algorithm-withdrew', intentId, why });
        yield* tracker.cancel(intentId);
        return;
      }
      case 'replace':
        yield* amender.replace(action.intentId, action.terms);
        return;
      case 'wake':
        wake(algorithm.id, action.at);
        return;
      case 'alarm': {
        const { code, message, symbol } = action;
        const key = `${algorithm.id} ${code}`;
        if (alarmed.has(key)) return;
        alarmed.add(key);
        parts.onAlarm?.({ code, message, at: clock.now(), facts: { symbol } });
        return;
      }
      case 'end': {
        const { outcome, why, keeps, alarm } = action;
        if (keeps !== undefined) tellKept(keeps);
        parts.exitWatch?.ended(algorithm, why);
        if (alarm !== undefined) parts.onAlarm?.(endedAlarm(alarm, algorithm.spec.kind, why, clock.now()));
        recorder.record({ ...stamp, kind: 'algorithm-ended', outcome, why });
      }
    }
  }

  function isWanted(algorithm: TrackedAlgorithm, { terms }: Submit): boolean {
    const known = state.algorithms.get(algorithm.id) ?? algorithm;
    return isStillWanted(known, terms, { sources, state, held: waitingOrders(), now: clock.now() });
  }

  /** After the last bar an exit would be sent again every quarter for ever, and a position be closed whose time is over by then. */
  function isInTime({ again, slot }: Submit): boolean {
    if (again !== undefined) return clock.now() < parts.until;
    return slot !== 'close' || clock.now() <= parts.until;
  }

  function tellKept({ symbol, quantity }: Kept): void {
    const lotSize = sources.security(symbol)?.lotSize ?? 1;
    const message = oddLotText({ symbol, quantity, lotSize });
    parts.onAlarm?.({ code: 'odd-lot-kept', message, at: clock.now(), facts: { symbol } });
  }

  function* submit(algorithm: TrackedAlgorithm, action: Submit): Task<OrderNews> {
    const intent = draft(algorithm, action);
    yield* hold(intent) ?? carryOut(intent);
  }

  /** Journals an order of an algorithm before the gate sees it. */
  function draft(
    algorithm: TrackedAlgorithm,
    { slot, terms, reason, exclusive, exit, again, missed }: Submit,
  ): OrderIntent {
    const link: OrderLink = {
      algorithm: algorithm.id,
      slot,
      ...omitUndefined({ exclusive, exit, again }),
    };
    if (again !== undefined) reportExpired(algorithm.id, slot, terms);
    if (missed !== undefined) parts.onAlarm?.(missedSlicesAlarm(missed, terms.symbol, clock.now()));
    const { cause, spec, strategy } = algorithm;
    const isAged = spec.kind === 'rebalance' || (spec.kind === 'bracket' && slot === 'entry');
    const cancelAfterMs = isAged ? spec.cancelAfterMs : undefined;
    const isTarget = exit !== true && 'isTarget' in spec ? spec.isTarget : undefined;
    const more = { link, ...omitUndefined({ strategy, cancelAfterMs, isTarget }) };
    const intent: OrderIntent = { id: mintIntentId(), terms, reason, decidedAt: clock.now(), ...more };
    const { id: intentId, decidedAt: at } = intent;
    for (const name of slotsOfLeg(slot)) {
      const before = algorithm.children.get(name)?.at(-1);
      if (before !== undefined && unheard.has(before)) unheard.set(before, 'replaced');
    }
    unheard.set(intentId, 'newest');
    recorder.record({ kind: 'intent-drafted', at, intentId, terms, reason, cause, ...more });
    return intent;
  }

  /** Drops an algorithm whose first order was not sent before the bot ended, as an order is dropped that was decided and not sent. */
  function* dropUnsent(algorithm: TrackedAlgorithm): Task<OrderNews> {
    if (!SENDS_AT_ONCE.has(algorithm.spec.kind) || algorithm.children.size > 0) return;
    for (const action of actionsOf(algorithm))
      if (action.kind === 'submit') yield* parts.deny(draft(algorithm, action), RESTARTED);
  }

  /** Once for each exit of a bracket: a position that is held for years has its exits sent again every quarter. */
  function reportExpired(id: AlgorithmId, slot: string, terms: OrderTerms): void {
    if (reported.has(`${id} ${slot}`)) return;
    reported.add(`${id} ${slot}`);
    parts.onAlarm?.(expiredExitAlarm(slot, terms, clock.now()));
  }

  function wake(id: AlgorithmId, at: Millis): void {
    const known = wakesAt.get(id);
    if (at > parts.until || (known !== undefined && known <= at && known > clock.now())) return;
    wakesAt.set(id, at);
    clock.at(at, 'timer', () => {
      if (wakesAt.get(id) === at) wakesAt.delete(id);
      due({ kind: 'algorithm', algorithm: id });
    });
  }

  /** Orders that wait, for the quantities of now, without those that were cancelled in the meantime. */
  function waitingOrders(): readonly OrderIntent[] {
    const isCurrent = ({ id, terms }: OrderIntent): boolean => {
      const order = state.live.get(id);
      return order?.facets.submission.kind === 'drafted' && order.terms === terms;
    };
    if (held.length > 0 && !held.every(isCurrent))
      held = held.flatMap((intent) => {
        const order = state.live.get(intent.id);
        return order?.facets.submission.kind === 'drafted' ? [{ ...intent, terms: order.terms }] : [];
      });
    return held;
  }

  /** Holds an order back until the exits of the position that it closes are gone; undefined where there are none. */
  function hold(intent: OrderIntent): Task<OrderNews> | undefined {
    return mustBeHeld(intent) && !isStopped(intent) ? keepBack(intent) : undefined;
  }

  /** Whether the gate would deny an order once its exits are gone: they stay then, as no others could be sent. */
  function isStopped(intent: OrderIntent): boolean {
    const gate = parts.gateState();
    if (gate === 'halted' || gate === 'killed') return true;
    return !parts.mayOpen(intent.terms.symbol) && isBeyondHeld(intent, state);
  }

  function* keepBack(intent: OrderIntent): Task<OrderNews> {
    held = [...held, intent];
    const { id: intentId, terms, link } = intent;
    recorder.record({ kind: 'intent-held', at: clock.now(), intentId });
    // The algorithm that sends it may be about to send more, and has its turn with the next event.
    yield* stepAll(terms.symbol, link?.algorithm);
  }

  function mustBeHeld(intent: OrderIntent): boolean {
    return exitsStand(intent) || waitsForOthers(intent);
  }

  /**
   * True while exits of other strategies reserve the shares that an order closes, and are about to release them: the gate would deny it. As for
   * exits, the gate judges it after a minute in any case. An order that opens waits for none.
   */
  function waitsForOthers(intent: OrderIntent): boolean {
    const { id, terms, link, strategy, decidedAt } = intent;
    if (strategy === undefined || link?.exit === true || isBeyondHeld(intent, state)) return false;
    const exits = [...state.live.values()].filter((order) => order.link?.exit === true);
    if (!exits.some((exit) => exit.strategy !== strategy && isAlike(exit.terms, terms))) return false;
    const until = millis(decidedAt + SHARES_WAIT_MAX_MS);
    if (clock.now() >= until || !waitsForShares({ terms, link, strategy }, state, sources)) return false;
    // No algorithm has this id: its turn releases what is held.
    wake(algorithmId(id), until);
    return true;
  }

  /** True while an exit of the same strategy at the venue protects the position that the order closes. */
  function exitsStand({ terms, link, strategy }: OrderIntent): boolean {
    if (link?.exit === true || state.algorithms.size === 0) return false;
    for (const order of state.live.values()) {
      if (order.link?.exit !== true || !isLive(order.facets) || order.strategy !== strategy) continue;
      if (isAlike(order.terms, terms)) return true;
    }
    return false;
  }

  function* stepAll(symbol: SecuritySymbol, except?: AlgorithmId): Task<OrderNews> {
    const concerned = [...state.algorithms.values()].filter(
      ({ id, spec }) => id !== except && concerns(spec, symbol),
    );
    for (const { id } of concerned) yield* step(id);
  }

  function* release(symbol: SecuritySymbol): Task<OrderNews> {
    const free = waitingOrders().filter((intent) => intent.terms.symbol === symbol && !mustBeHeld(intent));
    if (free.length === 0) return;
    held = held.filter((intent) => !free.includes(intent));
    for (const intent of free) {
      const due = resized(intent);
      yield* isLessHeld(due, state) ? parts.deny(due, lessHeld(due)) : carryOut(due);
    }
  }

  /** An order that leads to a target, in whole lots: it is for what leads there from what is held now. */
  function resized(intent: OrderIntent): OrderIntent {
    if (intent.isTarget !== true) return intent;
    const { symbol, quantity } = intent.terms;
    const whole = roundToLot(quantity, sources.security(symbol)?.lotSize ?? 1);
    return { ...intent, terms: { ...intent.terms, quantity: whole }, isResized: true };
  }

  /**
   * Orders that waited when the process ended wait on; where their exits are gone by now, they go at once. One that also opens is dropped
   * if that was long ago. A rebalance that had just begun may not have ended the older ones yet.
   */
  function* resume(): Task<OrderNews> {
    yield* endOrphans();
    for (const id of [...state.algorithms.keys()]) replaceOlder(id);
    for (const algorithm of [...state.algorithms.values()]) yield* dropUnsent(algorithm);
    held = [...state.live.values()].filter(isWaiting).map(waitingIntent);
    for (const intent of held)
      if (isBeyondHeld(intent, state) && clock.now() >= intent.decidedAt + LATE_MS)
        yield* parts.deny(intent, RESTARTED);
    for (const id of [...state.algorithms.keys()]) yield* step(id);
    for (const symbol of new Set(held.map(({ terms }) => terms.symbol))) yield* release(symbol);
  }

  function* follow({ algorithm }: AlgorithmTask): Task<OrderNews> {
    yield* step(algorithm);
    for (const symbol of new Set(waitingOrders().map(({ terms }) => terms.symbol))) yield* release(symbol);
  }

  /** Lets algorithms react to an order event; undefined while none is active. */
  function attend(event: StrategyEvent): Task<OrderNews> | undefined {
    if (event.kind !== 'fill' && event.kind !== 'order') return undefined;
    const replaced = amender.resumePending(event.kind === 'fill' ? event.fill.intentId : event.intentId);
    return state.algorithms.size === 0 && waitingOrders().length === 0
      ? replaced
      : react(event.symbol, replaced);
  }

  /** The event as its strategy receives it, after algorithms had their turn: annotated where an order of theirs is submitted again. */
  function annotated(event: StrategyEvent): StrategyEvent {
    if (event.kind !== 'order' && event.kind !== 'fill') return event;
    const intentId = event.kind === 'fill' ? event.fill.intentId : event.intentId;
    const isReplaced = unheard.get(intentId) === 'replaced';
    unheard.delete(intentId);
    if (event.kind === 'fill' || (event.outcome !== 'denied' && event.outcome !== 'refused')) return event;
    return isReplaced || isSubmittedAgain(intentId) ? { ...event, willRetry: true } : event;
  }

  function isSubmittedAgain(intentId: IntentId): boolean {
    const order = state.order(intentId);
    const algorithm = order?.link === undefined ? undefined : state.algorithms.get(order.link.algorithm);
    if (order === undefined || algorithm === undefined) return false;
    const gate = parts.gateState();
    if (gate === 'killed' || (gate === 'halted' && algorithm.spec.kind === 'rebalance')) return false;
    const again = submittedAgainAt(algorithm, order, {
      sources,
      state,
      held: waitingOrders(),
      now: clock.now(),
    });
    return again !== undefined && again <= parts.until;
  }

  function* react(symbol: SecuritySymbol, replaced: Task<OrderNews> | undefined): Task<OrderNews> {
    if (replaced !== undefined) yield* replaced;
    yield* stepAll(symbol);
    yield* release(symbol);
  }

  return {
    /** Gives every algorithm a turn: what is held changed without an order of ours, or the gate moved. */
    reconsider: () => {
      for (const algorithm of state.algorithms.keys()) due({ kind: 'algorithm', algorithm });
    },
    follow,
    annotated,
    start,
    attend,
    hold,
    /** Orders that wait until exits are gone. */
    held: waitingOrders,
    makeRoom,
    /** Shares of orders that wait for exits to be gone; those of one strategy where an owner is named. */
    waiting: (symbol: SecuritySymbol, side: Side, owner?: string) =>
      waitingOrders()
        .filter(({ terms, strategy }) => terms.symbol === symbol && terms.side === side && strategy === owner)
        .reduce((sum, { terms }) => sum.plus(terms.quantity), ZERO),
    /** Lets the algorithms of a symbol see to their orders, which a split made void. */
    afterSplit: (symbol: SecuritySymbol) => stepAll(symbol),
    resume,
  };
}

/** The alarm of an exit that expired at the venue and is sent again. */
export function expiredExitAlarm(slot: string, { symbol, quantity }: OrderTerms, at: Millis): Alarm {
  const follows = slot === 'trail' ? '; it follows the price from where it is now' : '';
  return {
    code: 'exit-expired',
    message: `The ${slot} of ${quantity} "${symbol}" expired at the venue while the position is held, and is placed again${follows}`,
    at,
    facts: { symbol, slot },
  };
}

/** The alarm of slices that were missed directly before one that is sent. */
export function missedSlicesAlarm(
  { slices, of, how }: NonNullable<Submit['missed']>,
  symbol: SecuritySymbol,
  at: Millis,
): Alarm {
  const which = `${slices} of ${of} slices in "${symbol}" could not be sent in their time`;
  const message =
    how === 'drop'
      ? `${which} and are dropped (execution.missedSlices: drop)`
      : `${which} and are spread over the slices still to come (execution.missedSlices: spread)`;
  return { code: 'slices-missed', message, at, facts: { symbol } };
}

const ENDINGS: Readonly<Record<AlgorithmSpec['kind'], string>> = {
  bracket: 'A bracket ended',
  oco: 'An OCO is called off',
  slices: 'An order in parts ended',
  chase: 'A chase ended',
  rebalance: 'A rebalance is given up',
};

/** The alarm of an algorithm that ended without what it was asked for. */
export function endedAlarm(code: string, kind: AlgorithmSpec['kind'], why: string, at: Millis): Alarm {
  return { code, message: `${ENDINGS[kind]}: ${why}`, at, facts: {} };
}

/** True for an order that would close more than its strategy holds. */
function isBeyondHeld({ terms, strategy }: OrderIntent, state: BotState): boolean {
  const { symbol, side, quantity } = terms;
  return quantity.gt(heldBy(strategy, { symbol, side: otherSide(side) }, state));
}

/** How much of a signed position an order of a side closes; negative where it adds to it. */
function closable({ side }: Pick<OrderTerms, 'side'>, signed: Quantity): Quantity {
  return side === 'sell' ? signed : signed.neg();
}

/**
 * True for an order that would close more than is left to its strategy, and would not if exits had taken nothing since it began to wait. What
 * the strategy's other orders closed, or may still close, makes no difference: one beyond that is to turn the position round.
 */
function isLessHeld(intent: OrderIntent, state: BotState): boolean {
  const { terms, strategy } = intent;
  if (intent.isResized === true) return terms.quantity.isZero();
  const open = openWithoutExits(state, terms.symbol, terms.side, strategy);
  const withOpen = { ...intent, terms: { ...terms, quantity: terms.quantity.plus(open) } };
  if (!isBeyondHeld(withOpen, state)) return false;
  const expected = state.order(intent.id)?.holdingExpected;
  return expected === undefined || withOpen.terms.quantity.lte(closable(terms, expected));
}

/** An exit was filled before it was gone: the whole order would turn the position round, or its target is reached without it. */
function lessHeld({ terms }: OrderIntent): { readonly rule: string; readonly reason: string } {
  const { quantity, symbol } = terms;
  if (quantity.isZero())
    return { rule: LESS_HELD, reason: `Exits left nothing to do for the target of "${symbol}"` };
  return { rule: LESS_HELD, reason: `Exits left less of "${symbol}" than the ${quantity} of this order` };
}

const isAlike = (one: OrderTerms, other: OrderTerms): boolean =>
  one.symbol === other.symbol && one.side === other.side;

/** One that sends orders in one symbol, and owns no position. */
const isOneSymbol = ({ kind }: AlgorithmSpec): boolean => kind !== 'rebalance' && kind !== 'bracket';

function waitingIntent(order: TrackedOrder): OrderIntent {
  const { link, strategy } = order;
  return { ...toIntent(order), ...omitUndefined({ strategy, link }) };
}
