import { concat, concatMap, defer, EMPTY, from, ignoreElements, type Observable, of, throwError } from 'rxjs';
import type { SluiceEvent } from '../events/event.ts';
import type { TrackedOrder } from '../events/fold.ts';
import type { ExecutionId } from '../model/order.ts';
import { plural } from '../model/plural.ts';
import type { SecuritySymbol } from '../model/symbol.ts';
import { DAY_MS, MINUTE_MS, type Millis, millis } from '../model/time.ts';
import { unreachable } from '../model/unreachable.ts';
import type { Alarms } from '../ports/alarms.ts';
import type { Broker } from '../ports/broker.ts';
import type { CallBudget } from '../ports/call-budget.ts';
import type { Clock } from '../ports/clock.ts';
import type { GateWish } from '../risk/gate-state.ts';
import { cashOf } from './books.ts';
import { inTurn } from './in-turn.ts';
import { type OrderNews, orderNews } from './order-news.ts';
import type { OrderTracker } from './order-tracker.ts';
import { patientReads } from './patient-reads.ts';
import type { Reconciler } from './reconciler.ts';
import type { Recorder } from './recorder.ts';
import { type AccountRead, openOrders, STABLE_TRIES, type StableRead, stableRead } from './stable-read.ts';

/** Nothing was started: the venue could not tell what the account holds, or a newer program has traded it. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: 'account-unknown' | 'older-program';

  constructor(code: StartError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** What a start says about itself in the journal. */
export interface StartFacts {
  readonly strategy: string;
  readonly config: string;
  readonly currency: string;
}

/** Who holds the account's lease, and with what. */
export interface LeaseFacts {
  /** Counts the holders, from 1. */
  readonly epoch: number;
  readonly version: string;
  /** SHA-256 of the config as it was read. */
  readonly configHash: string;
  /** Machine time of the start. */
  readonly machineAt: Millis;
}

/** What recovery works with. */
export interface RecoveryParts {
  readonly broker: Broker;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly tracker: OrderTracker;
  readonly reconciler: Reconciler;
  readonly start: StartFacts;
  readonly alarms: Alarms;
  readonly lease: LeaseFacts | undefined;
  readonly move: (wish: GateWish) => Observable<unknown>;
  /** Asks for the price of a position that nothing else prices. Emits when it is told, or not at all. */
  readonly pullMark: (symbol: SecuritySymbol) => Observable<unknown>;
  /** Asks for exchange rates that the config does not have. */
  readonly rates: () => Observable<never>;
  /** Where the account may make only so many calls; absent: calls are not counted. */
  readonly budget?: CallBudget | undefined;
}

/** So many starts without an end within so long, and the next one is halted. @see docs/reliability.md, F-P03 */
const CRASHES_MAX = 3;
const CRASH_WINDOW_MS = 10 * MINUTE_MS;
/** Earlier days that a start reads: the five trading days for which a tag is looked for, and the days off between them. */
const LOOK_BACK_MS = 10 * DAY_MS;

/**
 * The one way to start: what the journal says was under way is brought to a known state, the venue is asked, its answers are
 * taken in, and the books are compared. With an empty journal there is nothing under way and the books open with the venue's.
 * Nothing here depends on having run before, so a crash within it is recovered by running it again (F-P09). Emits what
 * became of orders meanwhile; errors with StartError when the venue does not answer.
 * @see docs/reliability.md, I-21
 */
export function recover(parts: RecoveryParts): Observable<OrderNews> {
  const { recorder, clock, tracker, reconciler, start } = parts;
  const { state } = recorder;
  const broker = patientReads(parts.broker, parts);

  function takeIn(account: AccountRead): Observable<OrderNews> {
    if (state.openedAt === undefined)
      return concat(opening(account), tracker.heed(account.orders, account.executions));
    return concat(
      tracker.heed(account.orders, account.executions),
      defer(() => lookBack()),
      defer(() => reconciler.compare(account)),
      defer(() => started(account, [])),
    );
  }

  /** The first start of a journal: executions that the opening figures hold already are not booked again. */
  function opening(account: AccountRead): Observable<never> {
    return started(
      account,
      account.executions.map((row) => row.executionId),
    );
  }

  function started(
    { balance, positions }: AccountRead,
    executions: readonly ExecutionId[],
  ): Observable<never> {
    return record({
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

  function record(event: SluiceEvent): Observable<never> {
    return recorder.record(event).pipe(ignoreElements());
  }

  /** Orders of earlier days: tags that nobody found yet, and what others did while the bot was away. */
  function lookBack(): Observable<OrderNews> {
    const from = millis(Math.max(state.openedAt ?? 0, clock.now() - LOOK_BACK_MS));
    return broker
      .ordersBefore(from)
      .pipe(concatMap((read) => (read.kind === 'ok' ? tracker.find(read.value) : EMPTY)));
  }

  /** Writes down who writes from now on; too many starts without an end make a start that opens nothing (F-P03). */
  function hold(): Observable<never> {
    const { lease } = parts;
    if (lease === undefined) return EMPTY;
    const { starts, configHash, version, epoch } = state.starts;
    const crashes = starts.filter(
      ({ ended, machineAt }) => !ended && lease.machineAt - machineAt <= CRASH_WINDOW_MS,
    ).length;
    if (epoch > 0 && (configHash !== lease.configHash || version !== lease.version)) changed(lease);
    if (isOlder(lease.version, version)) return throwError(() => tooOld(lease.version, version));
    const reason = `${plural(crashes, 'start')} within ${CRASH_WINDOW_MS / MINUTE_MS} minutes ended without a word`;
    return concat(
      record({ kind: 'lease-taken', at: clock.now(), ...lease }),
      crashes < CRASHES_MAX
        ? EMPTY
        : defer(() => parts.move({ to: 'halted', by: 'gate', rule: 'crash-loop', reason })).pipe(
            ignoreElements(),
          ),
    );
  }

  function changed(lease: LeaseFacts): void {
    const { configHash, version } = state.starts;
    const what = version === lease.version ? 'config' : `version (was ${version}, is ${lease.version})`;
    parts.alarms.raise({
      code: 'bot-changed',
      message: `The ${what} is not the one that this journal was last written with; ${plural(state.live.size, 'order')} ${state.live.size === 1 ? 'is' : 'are'} under way`,
      at: clock.now(),
      facts: { was: configHash ?? '', is: lease.configHash },
    });
  }

  function interrupted(): Observable<OrderNews> {
    return from([...state.live.values()]).pipe(
      inTurn((order) =>
        ending(order, clock.now()).pipe(concatMap((event) => concat(record(event), told(order, event)))),
      ),
    );
  }

  /** Whoever wanted an order that never left hears of it, as of any that is denied. */
  function told(order: TrackedOrder, event: SluiceEvent): Observable<OrderNews> {
    if (event.kind !== 'intent-denied') return EMPTY;
    return of(orderNews(order, { outcome: 'denied', why: event.reason, time: event.at }));
  }

  function price(): Observable<never> {
    return from([...state.portfolio.holdings.keys()]).pipe(inTurn(parts.pullMark), ignoreElements());
  }

  return concat(
    defer(hold),
    defer(interrupted),
    defer(() => stableRead(broker, start.currency, () => openOrders(state))).pipe(
      concatMap((read) => {
        if (read.kind === 'stable') return takeIn(read.account);
        return throwError(() => new StartError('account-unknown', whyNot(read)));
      }),
    ),
    defer(price),
    defer(parts.rates),
    defer(() => {
      for (const order of state.live.values()) tracker.resume(order);
      return EMPTY;
    }),
  );
}

/** What a crash leaves behind of a step, brought to the state that is true whatever came of it. */
function ending({ intentId, facets, held }: TrackedOrder, at: Millis): Observable<SluiceEvent> {
  const { submission, pending } = facets;
  switch (submission.kind) {
    case 'drafted':
      // What waits for exits to be gone goes on waiting, and is judged by fresh facts when they are.
      if (held) return EMPTY;
      return of({ kind: 'intent-denied', at, intentId, rule: 'restart', reason: RESTARTED, numbers: [] });
    case 'armed':
      // Nothing was sent: a submit is on disk as sending before its first byte leaves (T-03).
      return of({ kind: 'intent-denied', at, intentId, rule: 'restart', reason: RESTARTED, numbers: [] });
    case 'sending':
      return of({ kind: 'submit-unknown', at, intentId, message: SENDING });
    case 'acked':
      if (pending === 'cancel-sending')
        return of({ kind: 'cancel-answered', at, intentId, answer: 'unknown', message: SENDING });
      if (pending === 'replace-sending')
        return of({ kind: 'replace-answered', at, intentId, answer: 'unknown', message: SENDING });
      return EMPTY;
    case 'unknown':
    case 'abandoned':
    case 'denied':
    case 'refused':
    case 'not-sent':
    case 'settled':
      return EMPTY;
    default:
      return unreachable(submission);
  }
}

function tooOld(version: string, last: string | undefined): StartError {
  return new StartError(
    'older-program',
    `Cannot trade with version ${version} of this program: version ${last} has written this account's journal, and an older one would read it wrongly. Use that version or a newer one`,
  );
}

/**
 * True for a version below another, number by number; false where one of them is no version.
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

const RESTARTED = 'The bot ended before this order was sent, and what it was decided on is old now';
const SENDING = 'The bot ended while this was on its way';

function whyNot(read: Exclude<StableRead, { kind: 'stable' }>): string {
  if (read.kind === 'busy')
    return `Cannot start: the account changed during each of ${STABLE_TRIES} readings; try again when it trades less`;
  return `Cannot start: the venue did not tell the account's ${read.what} (${read.code}: ${read.message})`;
}
