import type { TrackedOrder } from '../../events/bot-state.ts';
import type { SluiceEvent } from '../../events/event.ts';
import type { ExecutionId } from '../../model/order.ts';
import { plural } from '../../model/plural.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { DAY_MS, MINUTE_MS, type Millis, millis } from '../../model/time.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Alarms } from '../../ports/alarms.ts';
import type { Broker } from '../../ports/broker.ts';
import type { CallBudget } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import { awaitAnswer, type Request, type Task } from '../../ports/task.ts';
import type { GateTransition } from '../../risk/gate-state.ts';
import { RESTARTED } from '../algorithms/children.ts';
import { retriedReads } from '../call-budget/retried-reads.ts';
import type { OrderTracker } from '../orders/order-tracker.ts';
import { type OrderUpdate, orderUpdate } from '../orders/order-update.ts';
import type { Recorder } from '../recorder.ts';
import { cashOf } from './account-differences.ts';
import type { Reconciler } from './reconciler.ts';
import { type AccountRead, STABLE_TRIES, type StableRead, stableRead } from './stable-read.ts';

/** The bot did not start: the venue did not return the account, or a newer program version has traded it. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: 'account-unknown' | 'older-program';

  constructor(code: StartError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Facts of a start for the journal. */
interface StartFacts {
  readonly strategy: string;
  readonly config: string;
  readonly currency: string;
}

/** Holder of the account's lease, and its program. */
export interface LeaseFacts {
  /** Number of this holder, counted from 1. */
  readonly epoch: number;
  readonly version: string;
  /** SHA-256 of the config as it was read. */
  readonly configHash: string;
  readonly machineAt: Millis;
}

interface RecoveryParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly tracker: OrderTracker;
  readonly reconciler: Reconciler;
  readonly start: StartFacts;
  readonly alarms: Alarms;
  readonly lease: LeaseFacts | undefined;
  readonly move: (transition: GateTransition) => unknown;
  /** Requests the price of a position that has no other price source. */
  readonly requestPrice: (symbol: SecuritySymbol) => Request<unknown>;
  /** Requests exchange rates that the config does not have. */
  readonly rates: () => Task;
  /** Call budget of the account; absent if the venue does not limit calls. */
  readonly budget?: CallBudget | undefined;
}

/**
 * After this many starts without a clean end within the window, the next start is halted.
 * @see docs/reliability.md, F-P03
 */
const CRASHES_MAX = 3;
const CRASH_WINDOW_MS = 10 * MINUTE_MS;
/**
 * Days before today that a start reads: five trading days in which a tag is looked for, and the days off between
 * them.
 */
const EARLIER_ORDERS_MS = 10 * DAY_MS;

/**
 * Starts a bot: resolves interrupted work of the journal, queries the venue, books its answers, and reconciles. With
 * an empty journal the books open with the venue's figures. Every start runs it, so a crash within it is recovered by
 * the next start (F-P09). Emits news of orders; throws StartError if the venue does not answer.
 * @see docs/reliability.md, I-21
 */
export function* recover(parts: RecoveryParts): Task<OrderUpdate> {
  const { recorder, clock, tracker, reconciler, start } = parts;
  const { state } = recorder;
  const broker = retriedReads(parts.broker, parts);

  function* bookAccount(account: AccountRead): Task<OrderUpdate> {
    if (state.openedAt === undefined) {
      // First start of a journal: the opening figures already contain these executions, so they are not booked again.
      started(
        account,
        account.executions.map((row) => row.executionId),
      );
      yield* tracker.handle(account.orders, account.executions);
      return;
    }
    yield* tracker.handle(account.orders, account.executions);
    yield* readEarlierOrders();
    yield* reconciler.compare(account);
    started(account, []);
  }

  function started({ balance, positions }: AccountRead, executions: readonly ExecutionId[]): void {
    recorder.record({
      kind: 'run-started',
      at: clock.now(),
      schema: 1,
      ...start,
      cash: cashOf(balance),
      positions,
      equity: balance.equity,
      ...(executions.length === 0 ? {} : { executions }),
    });
  }

  /** Reads orders of earlier days: tags that were not found yet, and external orders from while the bot was down. */
  function* readEarlierOrders(): Task<OrderUpdate> {
    const from = millis(Math.max(state.openedAt ?? 0, clock.now() - EARLIER_ORDERS_MS));
    const read = yield* awaitAnswer(broker.ordersBefore(from));
    if (read.kind === 'ok') yield* tracker.handleEarlier(read.value);
  }

  /** Journals the new lease holder; after too many starts without a clean end, the gate is halted (F-P03). */
  function recordLease(lease: LeaseFacts): void {
    const { starts, configHash, version, epoch } = state.starts;
    const crashes = starts.filter(
      ({ ended, machineAt }) => !ended && lease.machineAt - machineAt <= CRASH_WINDOW_MS,
    ).length;
    if (epoch > 0 && (configHash !== lease.configHash || version !== lease.version)) alarmBotChanged(lease);
    if (isOlder(lease.version, version)) throw olderProgramError(lease.version, version);
    recorder.record({ kind: 'lease-taken', at: clock.now(), ...lease });
    if (crashes < CRASHES_MAX) return;
    const reason = `${plural(crashes, 'start')} within ${CRASH_WINDOW_MS / MINUTE_MS} minutes ended without an orderly stop`;
    parts.move({ to: 'halted', by: 'gate', rule: 'crash-loop', reason });
  }

  function alarmBotChanged(lease: LeaseFacts): void {
    const { configHash, version } = state.starts;
    const what = version === lease.version ? 'config' : `version (was ${version}, is ${lease.version})`;
    parts.alarms.raise({
      code: 'bot-changed',
      message: `The ${what} is not the one that this journal was last written with; ${plural(state.live.size, 'order')} ${state.live.size === 1 ? 'is' : 'are'} under way`,
      at: clock.now(),
      facts: { was: configHash ?? '', is: lease.configHash },
    });
  }

  /** Ends interrupted orders; the strategy of an order that was never sent is notified as for a denial. */
  function* endInterrupted(): Task<OrderUpdate> {
    for (const order of [...state.live.values()]) {
      const event = interruptionEvent(order, clock.now());
      if (event === undefined) continue;
      recorder.record(event);
      if (event.kind === 'intent-denied')
        yield orderUpdate(order, { outcome: 'denied', why: event.reason, time: event.at });
    }
  }

  if (parts.lease !== undefined) recordLease(parts.lease);
  yield* endInterrupted();
  const read = yield* stableRead(broker, start.currency, state);
  if (read.kind !== 'stable') throw new StartError('account-unknown', unstableReason(read));
  yield* bookAccount(read.account);
  for (const symbol of [...state.portfolio.holdings.keys()]) yield* awaitAnswer(parts.requestPrice(symbol));
  yield* parts.rates();
  for (const order of state.live.values()) tracker.resume(order);
}

/**
 * Returns the event that resolves an interrupted step of an order, valid whatever its outcome; undefined if none was
 * interrupted.
 */
function interruptionEvent({ intentId, facets, held }: TrackedOrder, at: Millis): SluiceEvent | undefined {
  const { submission, pending } = facets;
  switch (submission.kind) {
    case 'drafted':
      // An order that waits for exits to be cancelled keeps waiting, and is checked with current facts afterwards.
      if (held) return undefined;
      return { kind: 'intent-denied', at, intentId, ...RESTARTED, numbers: [] };
    case 'armed':
      // Nothing was sent: a submit is journaled as sending before its first byte leaves (T-03).
      return { kind: 'intent-denied', at, intentId, ...RESTARTED, numbers: [] };
    case 'sending':
      return { kind: 'submit-unknown', at, intentId, message: SENDING };
    case 'acked':
      if (pending === 'cancel-sending')
        return { kind: 'cancel-answered', at, intentId, answer: 'unknown', message: SENDING };
      if (pending === 'replace-sending')
        return { kind: 'replace-answered', at, intentId, answer: 'unknown', message: SENDING };
      return undefined;
    case 'unknown':
    case 'abandoned':
    case 'denied':
    case 'refused':
    case 'not-sent':
    case 'settled':
      return undefined;
    default:
      return unreachable(submission);
  }
}

function olderProgramError(version: string, last: string | undefined): StartError {
  return new StartError(
    'older-program',
    `Cannot trade with version ${version} of this program: version ${last} has written this account's journal, and an older one would read it wrongly. Use that version or a newer one`,
  );
}

/**
 * True if a version is lower than another, compared number by number; false if either is not a version.
 * @see docs/reliability.md, F-F06
 */
function isOlder(version: string, last: string | undefined): boolean {
  const [ours, theirs] = [version, last ?? ''].map((text) => text.split('.').map(Number));
  if (ours === undefined || theirs === undefined || [...ours, ...theirs].some(Number.isNaN)) return false;
  for (const [index, part] of theirs.entries()) {
    const own = ours[index] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}

const SENDING = 'The bot ended while this was on its way';

function unstableReason(read: Exclude<StableRead, { kind: 'stable' }>): string {
  if (read.kind === 'busy')
    return `Cannot start: the account changed during each of ${STABLE_TRIES} readings; try again when it trades less`;
  return `Cannot start: the venue did not state the account's ${read.what} (${read.code}: ${read.message})`;
}
