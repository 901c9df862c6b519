import type { TrackedOrder } from '../../events/bot-state.ts';
import type { CommandName, GateMoved } from '../../events/event.ts';
import type { Restriction } from '../../model/gate.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { IntentId } from '../../model/order.ts';
import { facetsText } from '../../model/order-facets.ts';
import { isLive } from '../../model/order-state.ts';
import { plural } from '../../model/plural.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { OpenOrder, OperatorCommand, OperatorRequest } from '../../ports/operator.ts';
import { awaitAnswer, type Request, type Task, type TaskFactory } from '../../ports/task.ts';
import type { GateTransition } from '../../risk/gate-state.ts';
import type { Gate } from '../gate/gate.ts';
import type { Restrictions, SeenRestrictions } from '../gate/restrictions.ts';
import type { Cancelled } from '../orders/order-canceller.ts';
import type { OrderIncident } from '../orders/order-incident.ts';
import type { StrategyFailurePolicy } from '../orders/order-style.ts';
import type { OrderTracker } from '../orders/order-tracker.ts';
import type { OrderUpdate } from '../orders/order-update.ts';
import type { Recorder } from '../recorder.ts';
import type { AcceptedCancels, KillSwitch } from './kill-switch.ts';
import type { ManualSettlement, SettlementResult } from './manual-settlement.ts';
import type { PositionFlattener } from './position-flattener.ts';

/** Applies commands of the operator, and gate transitions by rules, to the running bot. */
export type OperatorCommands = ReturnType<typeof createOperatorCommands>;

interface OperatorCommandsParts {
  readonly gate: Gate;
  readonly restrictions: Restrictions;
  readonly killSwitch: KillSwitch;
  readonly flattener: PositionFlattener;
  readonly settlement: ManualSettlement;
  readonly tracker: Pick<OrderTracker, 'cancelAll'>;
  /** Queues a task ahead of all others. */
  readonly runNext: (task: TaskFactory<OrderUpdate>) => void;
  /** Makes a task urgent until it ends: no other task waits for an API call in that time. */
  readonly urgently: (task: TaskFactory<OrderUpdate>) => TaskFactory<OrderUpdate>;
  /** Reads the account and reconciles, so that the restrictions on opening are current. */
  readonly reconcile: TaskFactory<OrderUpdate>;
  /** Reads the day's orders to confirm cancels, at a venue that counts calls; absent: pushes confirm them. */
  readonly confirm?: TaskFactory<OrderUpdate> | undefined;
  readonly recorder: Recorder;
  readonly clock: Clock;
}

function causeText({ state, symbol, rule, reason }: Restriction): string {
  return `${state}${symbol === undefined ? '' : ` in ${symbol}`} (${rule}${reason === '' ? '' : `: ${reason}`})`;
}

/** Commands that run before other tasks. */
const URGENT: ReadonlySet<CommandName> = new Set(['kill', 'cancel-all', 'flatten']);

/**
 * A resume that cannot read the account, for example because a kill used up the call budget, retries for longer than
 * a window of that budget.
 */
const READ_RETRY_MS = 1_000;
const READ_FOR_MS = 40_000;

/**
 * A command that cancels is answered when none of its orders is open, or after this time with the orders still open.
 */
const CONFIRM_MS = 10_000;
/** Interval between checks of these orders; a check of foreign orders costs a call. */
const CHECK_EVERY_MS = 250;
const FOREIGN_CHECK_EVERY_MS = 2_000;
/**
 * Interval between reads of the day's orders while one of ours is open: a poll may wait for a call for longer than
 * the answer may take.
 */
const READ_EVERY_MS = 2_000;

/**
 * Time in which ten cancels, which bypass the call budget, are sent.
 * @see docs/reliability.md, I-14
 */
const CANCELS_SENT_WITHIN_MS = 1_500;

/** What was started when a command was accepted, before its task runs. */
interface StartedCommand {
  /** Journals the restriction of the command; undefined if it has none. */
  readonly journalRestriction: (() => unknown) | undefined;
  readonly seen: SeenRestrictions;
  /** Cancels the timer that journals the flatten of a kill. */
  readonly flattening: Cancel | undefined;
}

interface Cancelling {
  readonly orders: readonly IntentId[];
  /** Foreign orders whose cancel the venue accepted; undefined if the command cancels no foreign orders. */
  readonly foreign?: AcceptedCancels;
  /** Since when the status of an order whose cancel was accepted is unrecognised. */
  readonly unreadableSince: Map<IntentId, Millis>;
}

const cancellingOf = (orders: readonly IntentId[], foreign?: AcceptedCancels): Cancelling => ({
  orders,
  unreadableSince: new Map(),
  ...omitUndefined({ foreign }),
});

/** Creates the handler of operator commands, order incidents and loss checks. */
export function createOperatorCommands(parts: OperatorCommandsParts) {
  const { gate, restrictions, killSwitch, flattener, settlement, tracker, recorder, clock, runNext } = parts;
  const { state } = recorder;
  let cancels: Request<readonly Cancelled[]> | undefined;
  let reviewing = false;

  /**
   * Accepts a command. A restriction is in force when this returns; the rest is queued. The caller runs the returned
   * request (the cancels of a kill) at once, outside the event queue.
   */
  function accept(request: OperatorRequest): Request<unknown> | undefined {
    const { command } = request;
    const to = restrictionBy(command);
    const journalRestriction = to === undefined ? undefined : restrictions.begin(transitionFor(request, to));
    // A resume ends the restrictions in force when it was requested, however long its task is queued.
    const seen = restrictions.seen();
    const immediateCancels = command.kind === 'kill' ? killCancels() : undefined;
    const flattening = command.kind === 'kill' && command.flatten ? journalFlattenLater() : undefined;
    const task = () => execute(request, { journalRestriction, seen, flattening });
    runNext(URGENT.has(command.kind) ? parts.urgently(task) : task);
    return immediateCancels;
  }

  /**
   * Journals the flatten of a kill on a timer. The answers to the cancels take up to half a minute, and a crash in
   * that time must not lose the flatten, so it is journaled when they arrive or once the cancels have been sent,
   * whichever is first. A cancel never waits for the disk. Returns a function that cancels the timer.
   */
  function journalFlattenLater(): Cancel {
    return clock.at(millis(clock.now() + CANCELS_SENT_WITHIN_MS), 'timer', () => {
      try {
        flattener.begin(undefined);
      } catch {
        // The record of the kill then fails too, which is reported and ends the bot.
      }
    });
  }

  function killCancels(): Request<readonly Cancelled[]> {
    cancels ??= killSwitch.cancelAll();
    return cancels;
  }

  function* execute(
    request: OperatorRequest,
    { journalRestriction, seen, flattening }: StartedCommand,
  ): Task<OrderUpdate> {
    const { command } = request;
    switch (command.kind) {
      case 'kill':
        yield* kill(request, command, { journalRestriction, flattening });
        return;
      case 'halt':
      case 'reduce-only':
        acknowledge(request, '');
        journalRestriction?.();
        break;
      case 'resume':
        yield* resume(request, seen);
        return;
      case 'cancel-all':
        acknowledge(request, symbolsText(command.symbols));
        yield* answerWhenDone(request, cancellingOf(yield* cancelAll(command.symbols)));
        return;
      case 'flatten':
        acknowledge(request, symbolsText(command.symbols));
        flattener.begin(command.symbols);
        yield* flattenAndAnswer(request, cancellingOf(yield* cancelAll(command.symbols)));
        return;
      case 'stop-opening':
      case 'start-opening':
        acknowledge(request, '');
        break;
      case 'settle':
        yield* settle(request, settlement.order(request, command), command.intentId);
        return;
      case 'adopt-books':
        yield* settle(request, settlement.books(request), 'books', parts.reconcile);
        return;
      default:
        unreachable(command);
    }
    done(request);
  }

  /** Journals the kill, whose cancels are already sent; retries them, and closes positions if requested. */
  function* kill(
    request: OperatorRequest,
    { flatten, foreign }: Extract<OperatorCommand, { kind: 'kill' }>,
    { journalRestriction, flattening }: Pick<StartedCommand, 'journalRestriction' | 'flattening'>,
  ): Task<OrderUpdate> {
    const extras = [...(flatten ? ['flatten'] : []), ...(foreign ? ['foreign orders, too'] : [])].join(', ');
    const sentCancels = yield* awaitAnswer(killCancels());
    cancels = undefined;
    flattening?.();
    if (flatten) flattener.begin(undefined);
    acknowledge(request, extras);
    journalRestriction?.();
    const orders = [...state.live.keys()];
    yield* killSwitch.completeCancels(sentCancels);
    const cancelling = cancellingOf(orders, foreign ? new Map() : undefined);
    if (cancelling.foreign !== undefined) yield* killSwitch.cancelForeign(cancelling.foreign);
    if (flatten) yield* flattenAndAnswer(request, cancelling);
    else yield* answerWhenDone(request, cancelling);
  }

  function* flattenAndAnswer(request: OperatorRequest, cancelling: Cancelling): Task<OrderUpdate> {
    yield* flattener.closePositions();
    yield* answerWhenDone(request, cancelling);
  }

  /** Answers a command once a read shows that its orders are over, or at `until`. Waits outside the event queue. */
  function* answerWhenDone(
    request: OperatorRequest,
    cancelling: Cancelling,
    { until, readAt }: { readonly until: Millis; readonly readAt: Millis } = confirmation(clock.now()),
  ): Task<OrderUpdate> {
    const { orders, foreign } = cancelling;
    if (request.answer === undefined && foreign === undefined) return;
    const isRead = clock.now() >= readAt && parts.confirm !== undefined && ownOpen(orders).length > 0;
    if (isRead) yield* parts.confirm();
    const foreignOrders = foreign === undefined ? undefined : yield* killSwitch.cancelForeign(foreign);
    const unread = foreignOrders?.kind === 'unread' ? foreignOrders.why : undefined;
    const own = ownOpen(orders);
    const open = [...own, ...(foreignOrders?.kind === 'listed' ? foreignOrders.orders : [])];
    const mayEnd =
      ownMayEnd(cancelling) ||
      (foreignOrders !== undefined && (foreignOrders.kind === 'unread' || foreignOrders.mayEnd));
    if (!mayEnd || clock.now() >= until) {
      done(request, open, unread);
      return;
    }
    const everyMs = foreign === undefined ? CHECK_EVERY_MS : FOREIGN_CHECK_EVERY_MS;
    const next = { until, readAt: isRead ? millis(clock.now() + READ_EVERY_MS) : readAt };
    clock.at(millis(Math.min(until, clock.now() + everyMs)), 'timer', () =>
      runNext(() => answerWhenDone(request, cancelling, next)),
    );
  }

  /**
   * Whether a later read may show the end of one of our orders. As with foreign orders, reads of two seconds decide
   * about one whose cancel was accepted and whose status is unrecognised.
   */
  function ownMayEnd({ orders, unreadableSince }: Cancelling): boolean {
    const now = clock.now();
    return (
      orders.filter((intentId) => {
        const facets = state.live.get(intentId)?.facets;
        if (facets === undefined || !isLive(facets)) return false;
        if (facets.venue !== 'unrecognised' || facets.pending !== 'cancel-acked') {
          unreadableSince.delete(intentId);
          return true;
        }
        const since = unreadableSince.get(intentId) ?? now;
        unreadableSince.set(intentId, since);
        return now - since < READ_EVERY_MS;
      }).length > 0
    );
  }

  function ownOpen(orders: readonly IntentId[]): readonly OpenOrder[] {
    return orders.flatMap((intentId) => openOrder(state.live.get(intentId)));
  }

  /** Lifts restrictions. Refused until every cancel of a kill is confirmed and the books agree (F-O02, F-O04). */
  function* resume(
    request: OperatorRequest,
    seen: SeenRestrictions,
    readUntil = millis(clock.now() + READ_FOR_MS),
  ): Task<OrderUpdate> {
    const now = resumeRefusal(request);
    if (now !== undefined) {
      refuse(request, now);
      return;
    }
    const read = yield* gate.differences();
    if (read.kind === 'unread') {
      if (clock.now() < readUntil) resumeLater(request, seen, readUntil);
      else
        refuse(
          request,
          `Cannot resume: the account could not be read for ${READ_FOR_MS / 1_000} s (${read.why})`,
        );
      return;
    }
    if (read.differences.length > 0) {
      refuse(
        request,
        `Cannot resume: our books are not the venue's, settle that first: ${read.differences.join('; ')}`,
      );
      return;
    }
    const later = restrictions.supersededBy(seen);
    if (later !== undefined) {
      refuse(request, `Cannot resume: ${later}`);
      return;
    }
    acknowledge(request, '');
    const move = yield* gate.resume(transitionFor(request, 'active'), seen);
    if (move?.kind === 'refused') refuse(request, move.why);
    else {
      flattener.end();
      done(request);
    }
    yield* parts.reconcile();
  }

  /** Retries a resume in another task, so that queued events are handled first. */
  function resumeLater(request: OperatorRequest, seen: SeenRestrictions, readUntil: Millis): void {
    clock.at(millis(clock.now() + READ_RETRY_MS), 'timer', () =>
      runNext(() => resume(request, seen, readUntil)),
    );
  }

  /** Returns why a resume is refused without a query of the venue. */
  function resumeRefusal(request: OperatorRequest): string | undefined {
    if (request.reason.trim() === '') return 'Cannot resume without a reason';
    const live = [...state.live.values()].filter(({ facets }) => isLive(facets));
    const [first] = live;
    if (restrictions.standing().state !== 'killed' || first === undefined) return undefined;
    return `Cannot resume: ${live.length} of our orders may still be executed, the first is ${first.intentId} (${first.facets.submission.kind}). Wait for their cancels, or settle those of unknown outcome`;
  }

  function* settle(
    request: OperatorRequest,
    settling: Task<never, SettlementResult>,
    what: string,
    after?: TaskFactory<OrderUpdate>,
  ): Task<OrderUpdate> {
    const settled = yield* settling;
    if (settled.kind === 'refused') {
      refuse(request, settled.message);
      return;
    }
    acknowledge(request, what);
    yield* settled.apply();
    if (after !== undefined) yield* after();
    done(request);
  }

  function cancelAll(symbols: readonly SecuritySymbol[] | undefined): Task<OrderUpdate, readonly IntentId[]> {
    return cancelWhere(({ terms }) => symbols === undefined || symbols.includes(terms.symbol));
  }

  function* cancelWhere(
    isSelected: (order: TrackedOrder) => boolean,
  ): Task<OrderUpdate, readonly IntentId[]> {
    const selected = [...state.live.values()].filter(isSelected).map(({ intentId }) => intentId);
    yield* tracker.cancelAll(selected);
    return selected;
  }

  function acknowledge(request: OperatorRequest, message: string, taken = true): void {
    const { command, by, reason } = request;
    const name: CommandName = command.kind;
    const symbols = 'symbols' in command ? command.symbols : undefined;
    recorder.record({
      kind: 'operator-commanded',
      at: clock.now(),
      command: name,
      by,
      reason,
      ...omitUndefined({ symbols }),
      taken,
      message,
    });
  }

  function done(request: OperatorRequest, open: readonly OpenOrder[] = [], unread?: string): void {
    request.answer?.({
      kind: 'done',
      message: [standingText(), ...openTexts(open, unread)].join('; '),
      ...(open.length === 0 ? {} : { open }),
      ...omitUndefined({ unread }),
    });
  }

  function refuse(request: OperatorRequest, message: string): void {
    acknowledge(request, message, false);
    request.answer?.({ kind: 'refused', message });
  }

  function standingText(): string {
    const { state: to, rule, reason } = restrictions.standing();
    const [strictest, ...others] = restrictions.all().map(causeText);
    if (strictest === undefined) return `Gate is ${to} (${rule}${reason === '' ? '' : `: ${reason}`})`;
    return `Gate is ${[strictest, ...others.map((text) => `also ${text}`)].join('; ')}`;
  }

  /** Handles an incident of an order: halts opening in its account or symbol. */
  function handle({ alarm, symbol, halt }: OrderIncident): void {
    if (halt === undefined) return;
    const { code: rule, message: reason } = alarm;
    if (halt === 'account') runNext(taskOf(restrictions.begin({ to: 'halted', by: 'books', rule, reason })));
    else runNext(taskOf(restrictions.haltSymbol(symbol, rule, reason)));
  }

  /** Queues a check of the account's losses. */
  function review(): void {
    if (reviewing) return;
    reviewing = true;
    runNext(function* reviewed() {
      yield* gate.reviewLosses();
      reviewing = false;
    });
  }

  /** Cancels orders and closes positions of a failed strategy as its policy declares. Runs within one task. */
  function* abandon(policy: StrategyFailurePolicy): Task<OrderUpdate> {
    if (policy === 'close') flattener.begin(undefined);
    if (policy !== 'keep') yield* cancelAll(undefined);
    if (policy === 'close') yield* flattener.closePositions();
  }

  /** The same for one of several strategies: cancels only its orders; the caller closes its positions. */
  function* abandonStrategy(strategy: string, policy: StrategyFailurePolicy): Task<OrderUpdate> {
    if (policy !== 'keep') yield* cancelWhere((order) => order.strategy === strategy);
  }

  return {
    accept,
    handle,
    review,
    abandon,
    abandonStrategy,
    /** Handles a gate transition made by a rule: a kill cancels all orders, whatever its cause. */
    handleGateMoved({ state: to, by }: Pick<GateMoved, 'state' | 'by'>): void {
      if (to === 'killed' && by !== 'operator') runNext(parts.urgently(() => killSwitch.completeCancels([])));
    },
  };
}

/** Returns an order that may still execute; otherwise an empty list. */
function openOrder(order: TrackedOrder | undefined): readonly OpenOrder[] {
  if (order === undefined || !isLive(order.facets)) return [];
  const { intentId, terms, facets } = order;
  const { submission } = facets;
  const id = submission.kind === 'acked' ? submission.orderId : intentId;
  return [{ id, symbol: terms.symbol, state: facetsText(facets) }];
}

function openTexts(open: readonly OpenOrder[], unread: string | undefined): readonly string[] {
  const texts = open.map(({ id, symbol, state }) => `${id} of ${symbol} (${state})`);
  return [
    ...(open.length === 0
      ? []
      : [
          `NOT confirmed as cancelled, so that it may still be executed: ${plural(open.length, 'order')}, ${texts.join(', ')}`,
        ]),
    ...(unread === undefined ? [] : [`orders of others could not be listed: ${unread}`]),
  ];
}

/**
 * Returns the deadline of a command's answer, and the first read of the day's orders if one of its orders is still
 * open.
 */
function confirmation(now: Millis): { readonly until: Millis; readonly readAt: Millis } {
  return { until: millis(now + CONFIRM_MS), readAt: millis(now + READ_EVERY_MS) };
}

function taskOf(action: () => unknown): TaskFactory<never> {
  return function* task() {
    action();
    yield* [];
  };
}

/** Returns the state to which a command restricts the gate before its task runs. */
function restrictionBy(command: OperatorCommand): GateTransition['to'] | undefined {
  switch (command.kind) {
    case 'kill':
      return 'killed';
    case 'halt':
      return 'halted';
    case 'reduce-only':
      return 'reduce-only';
    default:
      return undefined;
  }
}

/** Returns the gate transition of a command, with its origin and reason. */
export function transitionFor(
  { command, by, reason, cause }: OperatorRequest,
  to: GateTransition['to'],
): GateTransition {
  const transition = {
    to,
    by: 'operator' as const,
    rule: command.kind,
    reason: reason === '' ? '' : `${reason} (${by})`,
  };
  return cause === undefined ? transition : { ...transition, cause };
}

export function symbolsText(symbols: readonly SecuritySymbol[] | undefined): string {
  return symbols === undefined ? 'all symbols' : symbols.join(', ');
}
