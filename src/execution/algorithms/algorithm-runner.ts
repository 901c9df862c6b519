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
  type OcoSpec,
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
import { type OrderTracker, toIntent } from '../orders/order-tracker.ts';
import type { OrderUpdate } from '../orders/order-update.ts';
import type { Recorder } from '../recorder.ts';
import { LATE_MS, LESS_HELD, RESTARTED } from './children.ts';
import type { ExitWatch } from './exit-watch.ts';
import { type AlgorithmSources, hasFreeShares } from './facts-for.ts';
import { hasWorked } from './oco.ts';
import type { AlgorithmAction, OddLot } from './plan.ts';
import { isStillWanted, planOf, retryAt } from './plans.ts';
import { maxRounds, slotsOfLeg } from './rebalance.ts';
import { type ProtectiveOrder, waitsForShares, waitsForUnknown } from './shares-in-transition.ts';

/** Runs an algorithm: when its timer fires, and once after a restart. */
export interface AlgorithmTask {
  readonly kind: 'algorithm';
  readonly algorithm: AlgorithmId;
}

/** A strategy's request for an algorithm, and its cause. */
export interface AlgorithmRequest {
  readonly spec: AlgorithmSpec;
  readonly reason: string;
  readonly cause: Cause;
  /** The requesting strategy of several; absent in a bot with one. */
  readonly strategy?: string;
  /** State that the strategy saves with the request, journaled together. */
  readonly note?: StateNote;
}

type Submit = Extract<AlgorithmAction, { kind: 'submit' }>;

/** Algorithms whose first orders are sent at the start or never; the others limit how late they send. */
const SENDS_IMMEDIATELY: ReadonlySet<AlgorithmSpec['kind']> = new Set(['bracket', 'oco', 'chase']);

/** Runs algorithms one after another, and turns their actions into orders. */
export type AlgorithmRunner = ReturnType<typeof createAlgorithmRunner>;

interface AlgorithmRunnerParts {
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly queueTask: (task: AlgorithmTask) => void;
  readonly sources: AlgorithmSources;
  readonly tracker: Pick<OrderTracker, 'cancel'>;
  readonly amender: OrderAmender;
  readonly mintIntentId: () => IntentId;
  /** Passes a drafted intent to the gate and submits it. */
  readonly submitIntent: (intent: OrderIntent) => Task<OrderUpdate>;
  readonly deny: (
    intent: OrderIntent,
    why: { readonly rule: string; readonly reason: string },
  ) => Task<OrderUpdate>;
  /** Whether the bot still has a strategy; undefined is the only strategy of a bot. */
  readonly hasStrategy: (strategy: string | undefined) => boolean;
  /** State of the gate, which a command changes before it is journaled. */
  readonly gateState: () => GateState;
  readonly mayOpen: (symbol: SecuritySymbol) => boolean;
  /** No timer is set beyond this instant. */
  readonly until: Millis;
  readonly onAlarm: ((alarm: Alarm) => void) | undefined;
  /** Raises alarms for positions that lose their exits; absent: no alarms. */
  readonly exitWatch?: Pick<ExitWatch, 'ended'> | undefined;
}

/**
 * Maximum time for which a protective order waits for shares that other orders of the bot are about to release; then
 * the gate checks it. The time covers a cancel that the venue accepted without effect, and its retry 30 s later. It
 * restarts with each order that is sent. The wait for an unknown order has no limit: the gate would deny the exit, and
 * the order is eventually found or abandoned.
 */
export const SHARES_WAIT_MAX_MS = MINUTE_MS;
/** Interval of checks during both waits, which order events also end. */
const SHARES_CHECK_MS = SECOND_MS;

/**
 * Creates the runner. All state of algorithms and waiting orders is in the journal; only wake-up times are kept here.
 */
export function createAlgorithmRunner(parts: AlgorithmRunnerParts) {
  const { recorder, clock, queueTask, sources, tracker, amender, mintIntentId, submitIntent } = parts;
  const { state } = recorder;
  const wakesAt = new Map<AlgorithmId, Millis>();
  /** Since when protective orders of an algorithm wait for shares; a restart resets it. */
  const waitsSince = new Map<AlgorithmId, Millis>();
  const reported = new Set<string>();
  /** Alarms that algorithms raised, as "ALGORITHM code". */
  const alarmed = new Set<string>();
  let held: readonly OrderIntent[] = [];
  /**
   * Orders of algorithms whose outcome the strategy has not received yet, and whether another order has replaced them:
   * a rebalance may replace an order, and end, before the strategy receives the first denial.
   */
  const unreported = new Map<IntentId, 'newest' | 'replaced'>();

  /** Journals the request and starts its algorithm. */
  function* start(request: AlgorithmRequest): Task<OrderUpdate> {
    const id = algorithmId(mintIntentId());
    const isYielding = hasFreeShares(request.spec, request.strategy, state);
    const spec = isYielding ? ({ ...request.spec, yields: true } as AlgorithmSpec) : request.spec;
    recorder.record({ kind: 'algorithm-started', at: clock.now(), algorithmId: id, ...request, spec });
    endOlder(id);
    yield* step(id);
  }

  /**
   * Ends older algorithms when a rebalance starts, because it sets all positions of the strategy, or when an OCO closes
   * what an older one waits to close.
   */
  function endOlder(id: AlgorithmId): void {
    const known = state.algorithms.get(id);
    if (known?.spec.kind === 'oco') endWaitingOcos(known, known.spec);
    if (known?.spec.kind !== 'rebalance') return;
    const all = [...state.algorithms.values()];
    const older = all
      .slice(0, all.indexOf(known))
      .filter(({ strategy, spec }) => strategy === known.strategy && spec.kind !== 'bracket');
    cancelAlgorithms(older, 'a rebalance takes its place');
  }

  /**
   * Ends older OCOs of which no leg has worked yet, oldest first, if the position is too small for them and a newer one:
   * a strategy may order one at each bar of a halt.
   */
  function endWaitingOcos({ id, strategy }: TrackedAlgorithm, { legs: [leg] }: OcoSpec): void {
    if (leg === undefined) return;
    const { symbol, side } = leg;
    const held = heldBy(strategy, { symbol, side: otherSide(side) }, state);
    const waiting: TrackedAlgorithm[] = [];
    let wanted = leg.quantity;
    for (const older of state.algorithms.values()) {
      if (older.id === id) break;
      const { spec } = older;
      if (spec.kind !== 'oco' || older.strategy !== strategy || hasWorked(older, state)) continue;
      const [first] = spec.legs;
      if (first === undefined || !hasSameSide(first, leg)) continue;
      waiting.push(older);
      wanted = wanted.plus(first.quantity);
    }
    for (const older of waiting) {
      if (wanted.lte(held)) return;
      wanted = wanted.minus(older.spec.kind === 'oco' ? (older.spec.legs[0]?.quantity ?? ZERO) : ZERO);
      cancelAlgorithms([older], 'a newer OCO takes its place');
      if (alarmed.has(`${older.id} protection-waits`)) alarmed.add(`${id} protection-waits`);
    }
  }

  /**
   * Ends the algorithms of a strategy in a symbol that would send further orders, before an exclusive order; brackets
   * end with their positions.
   */
  function endForExclusiveOrder(symbol: SecuritySymbol, owner?: string): void {
    const theirs = [...state.algorithms.values()].filter(
      ({ spec, strategy }) => isOneSymbol(spec) && strategy === owner && concerns(spec, symbol),
    );
    cancelAlgorithms(theirs, 'an exclusive order takes its place');
  }

  /** Ends algorithms without further actions. */
  function cancelAlgorithms(ended: readonly TrackedAlgorithm[], why: string): void {
    for (const { id: algorithmId } of ended)
      recorder.record({ kind: 'algorithm-ended', at: clock.now(), algorithmId, outcome: 'canceled', why });
  }

  /**
   * Ends algorithms whose strategy was removed: they would open positions without an owner, and a rebalance would
   * claim the positions of other strategies.
   */
  function* endOrphans(): Task<OrderUpdate> {
    const orphans = [...state.algorithms.values()].filter(
      ({ spec, strategy }) => SENDS_LATER.has(spec.kind) && !parts.hasStrategy(strategy),
    );
    // A chase would have cancelled its order at the end of its time.
    const chases = orphans.filter(({ spec }) => spec.kind === 'chase');
    for (const { children } of chases)
      for (const intentId of [...children.values()].flat())
        if (state.live.has(intentId)) yield* tracker.cancel(intentId);
    cancelAlgorithms(orphans, 'the bot does not have its strategy any more');
  }

  /** Plans one algorithm and executes its actions. */
  function* step(id: AlgorithmId): Task<OrderUpdate> {
    const algorithm = state.algorithms.get(id);
    if (algorithm === undefined) return;
    if (algorithm.spec.kind === 'rebalance') yield* rebalanceInRounds(id, algorithm.spec);
    else yield* executeAll(algorithm, planActions(algorithm));
  }

  function planActions(algorithm: TrackedAlgorithm): readonly AlgorithmAction[] {
    return planOf(algorithm, { sources, state, held: waitingOrders(), now: clock.now() });
  }

  function* executeAll(algorithm: TrackedAlgorithm, actions: readonly AlgorithmAction[]): Task<OrderUpdate> {
    let waits = false;
    for (const action of actions)
      if (mustWait(algorithm, action)) waits = true;
      else yield* execute(algorithm, action);
    if (!waits) waitsSince.delete(algorithm.id);
  }

  /**
   * Delays a protective order, or new terms of one, while other orders are about to release shares that it needs, or
   * while one of them has an unknown outcome.
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
    wake(algorithm.id, millis(now + SHARES_CHECK_MS));
    return true;
  }

  /** Returns the protective order that an action sends or changes; undefined for any other. */
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

  /** Plans a rebalance again after each of its orders, until it sends none. */
  function* rebalanceInRounds(id: AlgorithmId, spec: RebalanceSpec): Task<OrderUpdate> {
    for (let round = 0; round < maxRounds(spec); round += 1) {
      const algorithm = state.algorithms.get(id);
      if (algorithm === undefined) return;
      const actions = planActions(algorithm);
      yield* executeAll(algorithm, actions);
      if (!actions.some(({ kind }) => kind === 'submit')) return;
    }
  }

  function* execute(algorithm: TrackedAlgorithm, action: AlgorithmAction): Task<OrderUpdate> {
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
        const { outcome, why, oddLot, alarm } = action;
        if (oddLot !== undefined) alarmOddLot(oddLot);
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

  /**
   * False after the last bar of a backtest: an expired exit would otherwise be renewed forever, and a position closed
   * after the end.
   */
  function isInTime({ again, slot }: Submit): boolean {
    if (again !== undefined) return clock.now() < parts.until;
    return slot !== 'close' || clock.now() <= parts.until;
  }

  function alarmOddLot({ symbol, quantity }: OddLot): void {
    const lotSize = sources.security(symbol)?.lotSize ?? 1;
    const message = oddLotText({ symbol, quantity, lotSize });
    parts.onAlarm?.({ code: 'odd-lot-kept', message, at: clock.now(), facts: { symbol } });
  }

  function* submit(algorithm: TrackedAlgorithm, action: Submit): Task<OrderUpdate> {
    const intent = draft(algorithm, action);
    yield* hold(intent) ?? submitIntent(intent);
  }

  /** Journals an order of an algorithm before the gate checks it. */
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
      if (before !== undefined && unreported.has(before)) unreported.set(before, 'replaced');
    }
    unreported.set(intentId, 'newest');
    recorder.record({ kind: 'intent-drafted', at, intentId, terms, reason, cause, ...more });
    return intent;
  }

  /**
   * Drops an algorithm whose first order was not sent before the bot ended, like an order that was decided and not
   * sent.
   */
  function* dropUnsent(algorithm: TrackedAlgorithm): Task<OrderUpdate> {
    if (!SENDS_IMMEDIATELY.has(algorithm.spec.kind) || algorithm.children.size > 0) return;
    for (const action of planActions(algorithm))
      if (action.kind === 'submit') yield* parts.deny(draft(algorithm, action), RESTARTED);
  }

  /** Raises one alarm per exit of a bracket: the exits of a position held for years expire every quarter. */
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
      queueTask({ kind: 'algorithm', algorithm: id });
    });
  }

  /** Returns waiting orders with their current quantities, without those cancelled in the meantime. */
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

  /** Holds an order until the exits of the position that it closes are cancelled; undefined if there are none. */
  function hold(intent: OrderIntent): Task<OrderUpdate> | undefined {
    return mustBeHeld(intent) && !isStopped(intent) ? holdBack(intent) : undefined;
  }

  /**
   * True if the gate would deny an order after its exits were cancelled: they then remain, as they could not be
   * replaced.
   */
  function isStopped(intent: OrderIntent): boolean {
    const gate = parts.gateState();
    if (gate === 'halted' || gate === 'killed') return true;
    return !parts.mayOpen(intent.terms.symbol) && exceedsHolding(intent, state);
  }

  function* holdBack(intent: OrderIntent): Task<OrderUpdate> {
    held = [...held, intent];
    const { id: intentId, terms, link } = intent;
    recorder.record({ kind: 'intent-held', at: clock.now(), intentId });
    // The algorithm of the order may have more orders to send; it runs with the next event.
    yield* stepSymbol(terms.symbol, link?.algorithm);
  }

  function mustBeHeld(intent: OrderIntent): boolean {
    return hasOpenExits(intent) || waitsForOthers(intent);
  }

  /**
   * True while exits of other strategies are about to release shares that an order needs to close: the gate would
   * deny it. As with exits, the gate checks it after a minute in any case. An opening order does not wait.
   */
  function waitsForOthers(intent: OrderIntent): boolean {
    const { id, terms, link, strategy, decidedAt } = intent;
    if (strategy === undefined || link?.exit === true || exceedsHolding(intent, state)) return false;
    const exits = [...state.live.values()].filter((order) => order.link?.exit === true);
    if (!exits.some((exit) => exit.strategy !== strategy && hasSameSide(exit.terms, terms))) return false;
    const until = millis(decidedAt + SHARES_WAIT_MAX_MS);
    if (clock.now() >= until || !waitsForShares({ terms, link, strategy }, state, sources)) return false;
    // No algorithm has this id: its task only releases held orders.
    wake(algorithmId(id), until);
    return true;
  }

  /** True while an exit of the same strategy protects the position that the order closes. */
  function hasOpenExits({ terms, link, strategy }: OrderIntent): boolean {
    if (link?.exit === true || state.algorithms.size === 0) return false;
    for (const order of state.live.values()) {
      if (order.link?.exit !== true || !isLive(order.facets) || order.strategy !== strategy) continue;
      if (hasSameSide(order.terms, terms)) return true;
    }
    return false;
  }

  function* stepSymbol(symbol: SecuritySymbol, except?: AlgorithmId): Task<OrderUpdate> {
    const concerned = [...state.algorithms.values()].filter(
      ({ id, spec }) => id !== except && concerns(spec, symbol),
    );
    for (const { id } of concerned) yield* step(id);
  }

  function* release(symbol: SecuritySymbol): Task<OrderUpdate> {
    const released = waitingOrders().filter(
      (intent) => intent.terms.symbol === symbol && !mustBeHeld(intent),
    );
    if (released.length === 0) return;
    held = held.filter((intent) => !released.includes(intent));
    for (const intent of released) {
      const due = roundedToLots(intent);
      yield* exceedsHoldingAfterExits(due, state) ? parts.deny(due, lessHeldDenial(due)) : submitIntent(due);
    }
  }

  /** Rounds an order for a target, which follows the current position, to whole lots. */
  function roundedToLots(intent: OrderIntent): OrderIntent {
    if (intent.isTarget !== true) return intent;
    const { symbol, quantity } = intent.terms;
    const whole = roundToLot(quantity, sources.security(symbol)?.lotSize ?? 1);
    return { ...intent, terms: { ...intent.terms, quantity: whole }, isResized: true };
  }

  /**
   * Resumes algorithms and held orders after a restart. A held order without open exits is sent at once, but one that
   * would also open a position is denied if it is too old. A rebalance that had just started may not have ended older
   * algorithms yet.
   */
  function* resume(): Task<OrderUpdate> {
    yield* endOrphans();
    for (const id of [...state.algorithms.keys()]) endOlder(id);
    for (const algorithm of [...state.algorithms.values()]) yield* dropUnsent(algorithm);
    held = [...state.live.values()].filter(isWaiting).map(waitingIntent);
    for (const intent of held)
      if (exceedsHolding(intent, state) && clock.now() >= intent.decidedAt + LATE_MS)
        yield* parts.deny(intent, RESTARTED);
    for (const id of [...state.algorithms.keys()]) yield* step(id);
    for (const symbol of new Set(held.map(({ terms }) => terms.symbol))) yield* release(symbol);
  }

  function* run({ algorithm }: AlgorithmTask): Task<OrderUpdate> {
    yield* step(algorithm);
    for (const symbol of new Set(waitingOrders().map(({ terms }) => terms.symbol))) yield* release(symbol);
  }

  /** Runs the algorithms that an order event concerns; undefined while none is active. */
  function handleOrderEvent(event: StrategyEvent): Task<OrderUpdate> | undefined {
    if (event.kind !== 'fill' && event.kind !== 'order') return undefined;
    const replaced = amender.resumePending(event.kind === 'fill' ? event.fill.intentId : event.intentId);
    return state.algorithms.size === 0 && waitingOrders().length === 0
      ? replaced
      : handleSymbol(event.symbol, replaced);
  }

  /** Returns the event for the strategy, after algorithms have run, with a mark if its order is submitted again. */
  function withRetryMark(event: StrategyEvent): StrategyEvent {
    if (event.kind !== 'order' && event.kind !== 'fill') return event;
    const intentId = event.kind === 'fill' ? event.fill.intentId : event.intentId;
    const isReplaced = unreported.get(intentId) === 'replaced';
    unreported.delete(intentId);
    if (event.kind === 'fill' || (event.outcome !== 'denied' && event.outcome !== 'refused')) return event;
    return isReplaced || isSubmittedAgain(intentId) ? { ...event, willRetry: true } : event;
  }

  function isSubmittedAgain(intentId: IntentId): boolean {
    const order = state.order(intentId);
    const algorithm = order?.link === undefined ? undefined : state.algorithms.get(order.link.algorithm);
    if (order === undefined || algorithm === undefined) return false;
    const gate = parts.gateState();
    if (gate === 'killed' || (gate === 'halted' && algorithm.spec.kind === 'rebalance')) return false;
    const again = retryAt(algorithm, order, {
      sources,
      state,
      held: waitingOrders(),
      now: clock.now(),
    });
    return again !== undefined && again <= parts.until;
  }

  function* handleSymbol(symbol: SecuritySymbol, replaced: Task<OrderUpdate> | undefined): Task<OrderUpdate> {
    if (replaced !== undefined) yield* replaced;
    yield* stepSymbol(symbol);
    yield* release(symbol);
  }

  return {
    /** Queues all algorithms, after the position changed without one of our orders, or the gate changed. */
    queueAll: () => {
      for (const algorithm of state.algorithms.keys()) queueTask({ kind: 'algorithm', algorithm });
    },
    run,
    withRetryMark,
    start,
    handleOrderEvent,
    hold,
    /** Orders that wait for exits to be cancelled. */
    held: waitingOrders,
    endForExclusiveOrder,
    /** Quantity of the orders of a strategy that wait for exits to be cancelled. */
    waiting: (symbol: SecuritySymbol, side: Side, owner?: string) =>
      waitingOrders()
        .filter(({ terms, strategy }) => terms.symbol === symbol && terms.side === side && strategy === owner)
        .reduce((sum, { terms }) => sum.plus(terms.quantity), ZERO),
    /** Runs the algorithms of a symbol, because a split voided their orders. */
    afterSplit: (symbol: SecuritySymbol) => stepSymbol(symbol),
    resume,
  };
}

export function expiredExitAlarm(slot: string, { symbol, quantity }: OrderTerms, at: Millis): Alarm {
  const follows = slot === 'trail' ? '; it follows the price from where it is now' : '';
  return {
    code: 'exit-expired',
    message: `The ${slot} of ${quantity} "${symbol}" expired at the venue while the position is held, and is placed again${follows}`,
    at,
    facts: { symbol, slot },
  };
}

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

/** Alarm of an algorithm that ended without success. */
export function endedAlarm(code: string, kind: AlgorithmSpec['kind'], why: string, at: Millis): Alarm {
  return { code, message: `${ENDINGS[kind]}: ${why}`, at, facts: {} };
}

/** True for an order that would close more than its strategy holds. */
function exceedsHolding({ terms, strategy }: OrderIntent, state: BotState): boolean {
  const { symbol, side, quantity } = terms;
  return quantity.gt(heldBy(strategy, { symbol, side: otherSide(side) }, state));
}

/** Returns how much of a signed position an order of a side closes; negative if it adds to it. */
function closableQuantity({ side }: Pick<OrderTerms, 'side'>, signed: Quantity): Quantity {
  return side === 'sell' ? signed : signed.neg();
}

/**
 * True for an order that would close more than its strategy holds only because exits filled while it waited. The
 * strategy's other orders do not count: an order beyond those reverses the position on purpose.
 */
function exceedsHoldingAfterExits(intent: OrderIntent, state: BotState): boolean {
  const { terms, strategy } = intent;
  if (intent.isResized === true) return terms.quantity.isZero();
  const open = openWithoutExits(state, terms.symbol, terms.side, strategy);
  const withOpen = { ...intent, terms: { ...terms, quantity: terms.quantity.plus(open) } };
  if (!exceedsHolding(withOpen, state)) return false;
  const expected = state.order(intent.id)?.holdingExpected;
  return expected === undefined || withOpen.terms.quantity.lte(closableQuantity(terms, expected));
}

/**
 * Returns the denial after an exit filled before it was cancelled: the order would reverse the position, or its
 * target is already reached.
 */
function lessHeldDenial({ terms }: OrderIntent): { readonly rule: string; readonly reason: string } {
  const { quantity, symbol } = terms;
  if (quantity.isZero())
    return { rule: LESS_HELD, reason: `Exits left nothing to do for the target of "${symbol}"` };
  return { rule: LESS_HELD, reason: `Exits left less of "${symbol}" than the ${quantity} of this order` };
}

const hasSameSide = (one: OrderTerms, other: OrderTerms): boolean =>
  one.symbol === other.symbol && one.side === other.side;

/** True for algorithms that send orders in one symbol and own no position. */
const isOneSymbol = ({ kind }: AlgorithmSpec): boolean => kind !== 'rebalance' && kind !== 'bracket';

function waitingIntent(order: TrackedOrder): OrderIntent {
  const { link, strategy } = order;
  return { ...toIntent(order), ...omitUndefined({ strategy, link }) };
}
