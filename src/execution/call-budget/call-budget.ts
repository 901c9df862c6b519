import { type Millis, millis } from '../../model/time.ts';
import type {
  CallBudget,
  CallKind,
  CallPermit,
  Protection,
  SharedCall,
  SharedCalls,
} from '../../ports/call-budget.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';

/** Number of calls per window, their minimum distance, and the share of each class. */
interface BudgetLimits {
  readonly calls: number;
  readonly windowMs: number;
  /** Minimum time between the answer to one call and the next call. */
  readonly spacingMs: number;
  /** Maximum time for which an unanswered call delays the next one, in addition to `spacingMs`. */
  readonly answerWaitMs: number;
  /** Maximum calls reserved for cancels, kill and flatten; never lent. */
  readonly kills: number;
  /** Part of these reserved in addition to `Protection.killCalls`: for new entries, external orders, and retries. */
  readonly killsSpare: number;
  /**
   * Calls reserved for the periodic list, except from `kill` and `protect`; `pollsPushed` applies while pushes report
   * fills as well.
   */
  readonly polls: number;
  readonly pollsPushed: number;
  /** Calls reserved for orders that reduce a position while there is one; opens and other reads do not use them. */
  readonly protects: number;
  /** Maximum calls reserved for exits that are still to be sent. */
  readonly exitsMax: number;
  /** Calls of orders that no other read borrows: one order with its three queries. */
  readonly opensReserved: number;
  /** Maximum wait of a call; short, because a protective order may be queued behind it. */
  readonly waitMs: Readonly<Record<Exclude<CallKind, 'kill' | 'protect'>, number>>;
}

/**
 * The venue allows 30 calls in 30 s, 20 ms apart on arrival. A call sent 25 ms after the answer to the previous one
 * arrives more than 20 ms after it, whatever the network does. Without an answer, a transit time of up to 130 ms is
 * covered. A poll every 4.5 s makes at most seven in 31 s.
 */
export const CALL_BUDGET: BudgetLimits = {
  calls: 28,
  windowMs: 31_000,
  spacingMs: 25,
  answerWaitMs: 125,
  kills: 10,
  killsSpare: 5,
  polls: 7,
  pollsPushed: 1,
  protects: 2,
  exitsMax: 6,
  opensReserved: 4,
  waitMs: { poll: 2_000, watch: 100, open: 200, read: 100 },
};

/**
 * For commands of a user: calls wait instead of failing, and leave a bot on the same account its calls for cancels,
 * exits and the next poll. The bot reserves the rest itself.
 */
export const MANUAL_BUDGET: BudgetLimits = {
  ...CALL_BUDGET,
  polls: 1,
  protects: 2,
  exitsMax: 0,
  opensReserved: 0,
  waitMs: { poll: 35_000, watch: 35_000, open: 35_000, read: 35_000 },
};

/** For cancels without a bot that hangs: each is sent at once and counted, and none is reserved. */
export const KILL_BUDGET: BudgetLimits = { ...CALL_BUDGET, calls: Number.POSITIVE_INFINITY };

/**
 * Attempts to get a call while another process has locked the shared file, 1 ms apart and of 2 ms each. After 150 ms
 * a call is sent regardless of the other process, whose call has arrived by then. A cancel makes only three attempts.
 */
const LOCKED_ATTEMPTS_MAX = 50;
const LOCKED_ATTEMPTS_MAX_KILL = 3;

/** Reserved calls of one order expire after this time: its estimate is then too old. */
const RESERVATION_MS = 5_000;

/**
 * Queues in order of service: calls that are counted and ready to be sent, then by priority. An order with reserved calls
 * is served before any read.
 */
const QUEUE_NAMES = ['ready', 'kill', 'protect', 'reserved', 'poll', 'watch', 'open', 'read'] as const;
type QueueName = (typeof QUEUE_NAMES)[number];

interface QueuedCall {
  readonly queue: QueueName;
  /** Calls that it needs at once; 0 if it is already counted. */
  readonly calls: number;
  /** The call that is already counted for it. */
  readonly own?: CountedCall;
  /** Grants and counts the call; the returned function is called next. */
  readonly grant: (at: Millis) => () => void;
  /** Called if it waited too long; absent: it waits without limit. */
  readonly onTimeout?: () => void;
  /** Attempts that failed because another process was writing to the shared file. */
  lockFailures: number;
}

interface CountedCall {
  at: Millis;
  readonly kind: CallKind;
  readonly shared: SharedCall | undefined;
  /** When its answer arrived, or its outcome was declared unknown. */
  answeredAt?: Millis;
  /** True while the call is counted but not ready to be sent. */
  isPreparing: boolean;
}

interface Reservation {
  readonly kind: 'open' | 'read' | 'watch';
  readonly calls: number;
  readonly until: Millis;
}

const NO_RESERVATION: Reservation = { kind: 'open', calls: 0, until: millis(0) };

/**
 * Creates the call budget of an account, in market time. Each class leaves the calls reserved for higher ones; a call
 * is counted when it is granted, so waiting costs nothing. `shared`: calls of all processes on the account.
 * @see docs/reliability.md, I-17
 */
export function createCallBudget(
  clock: Clock,
  limits: BudgetLimits = CALL_BUDGET,
  shared?: SharedCalls,
): CallBudget {
  const sent: CountedCall[] = [];
  const queues = Object.fromEntries(QUEUE_NAMES.map((queue) => [queue, new Set<QueuedCall>()])) as Readonly<
    Record<QueueName, Set<QueuedCall>>
  >;
  let others: readonly number[] = [];
  let reservation = NO_RESERVATION;
  let protection: Protection = {
    pendingExits: () => 0,
    hasPosition: () => true,
    killCalls: () => limits.kills,
    isPushConnected: () => false,
  };
  let isUrgent = false;
  let wake: { readonly at: Millis; readonly cancel: Cancel } | undefined;

  function removeExpired(now: Millis): void {
    while (sent[0] !== undefined && now - sent[0].at >= limits.windowMs) sent.shift();
    if (now >= reservation.until) reservation = NO_RESERVATION;
    if (shared !== undefined) others = shared.others(now - limits.windowMs);
  }

  function count(kind: CallKind): number {
    return sent.reduce((sum, call) => sum + (call.kind === kind ? 1 : 0), 0);
  }

  /** Returns the calls that all classes leave unused, except cancels, kill and flatten. */
  function reservedForKills(): number {
    return Math.min(
      limits.kills - count('kill'),
      protection.killCalls() + protection.pendingExits() + limits.killsSpare,
    );
  }

  /** Calls that a class leaves unused for higher ones. */
  function reservedFor(queue: QueueName): number {
    if (queue !== 'watch' && queue !== 'open' && queue !== 'read') return 0;
    const exits = Math.min(limits.exitsMax, protection.pendingExits());
    const pollLimit = protection.isPushConnected() ? limits.pollsPushed : limits.polls;
    const polls = Math.max(0, pollLimit - count('poll'));
    if (queue === 'watch') return polls + exits;
    const reductions = protection.hasPosition() ? limits.protects - count('protect') : 0;
    const orders = polls + Math.max(exits, reductions);
    if (queue === 'open') return orders;
    return (
      orders +
      Math.max(
        0,
        limits.opensReserved - count('open') - (reservation.kind === 'open' ? reservation.calls : 0),
      )
    );
  }

  /**
   * Whether there is room for more calls. Reserved calls count for all classes except cancels, which never wait for an
   * opening order.
   */
  function hasCapacity(queue: QueueName, calls: number): boolean {
    if (queue === 'ready') return true;
    const all = sent.length + others.length;
    if (all + calls > limits.calls) return false;
    if (queue === 'kill' || queue === 'reserved' || (queue === 'protect' && isUrgent)) return true;
    const used = all + (queue === 'protect' ? 0 : reservation.calls);
    return used + calls + reservedFor(queue) + reservedForKills() <= limits.calls;
  }

  function serveQueues(): void {
    const now = clock.now();
    removeExpired(now);
    for (const queue of QUEUE_NAMES) {
      for (const next of queues[queue]) {
        if (!hasCapacity(queue, next.calls)) break;
        if (isTooEarly(next, now)) return;
        const onGranted = tryGrant(next);
        if (onGranted !== undefined) onGranted();
        else {
          // Another process was faster, or is writing.
          if (!hasCapacity(queue, next.calls)) break;
          if (!isTooEarly(next, now)) wakeAt(millis(now + 1));
          return;
        }
      }
    }
    const oldest = Math.min(sent[0]?.at ?? Number.POSITIVE_INFINITY, others[0] ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(oldest) && QUEUE_NAMES.some((queue) => queues[queue].size > 0))
      wakeAt(millis(Math.max(oldest + limits.windowMs, now + 1)));
  }

  /** True for a call that may not be sent yet; schedules its next check. */
  function isTooEarly(next: QueuedCall, now: Millis): boolean {
    const free = earliestSendAt(next);
    if (now >= free) return false;
    wakeAt(millis(free));
    return true;
  }

  /**
   * Grants and counts a call, and returns what to do next; undefined if it must wait. Checks the calls of
   * other processes again under their lock: two that wake together would both count the same free call.
   */
  function tryGrant(next: QueuedCall): (() => void) | undefined {
    const grant = (): (() => void) => {
      queues[next.queue].delete(next);
      return next.grant(clock.now());
    };
    if (shared === undefined) return grant();
    const granted = shared.withLock(() => {
      removeExpired(clock.now());
      return hasCapacity(next.queue, next.calls) && clock.now() >= earliestSendAt(next) ? grant() : undefined;
    });
    if (granted !== undefined) return granted.result;
    next.lockFailures += 1;
    const isKill = next.queue === 'kill' || next.own?.kind === 'kill';
    return next.lockFailures >= (isKill ? LOCKED_ATTEMPTS_MAX_KILL : LOCKED_ATTEMPTS_MAX)
      ? grant()
      : undefined;
  }

  /**
   * Returns when the next call may be sent: the previous one has arrived by then. Answers to other processes are
   * unknown here, and a cancel does not wait for them: a bot with constant calls would delay a kill of another
   * process.
   */
  function earliestSendAt({ own: except, queue }: QueuedCall): number {
    const isKill = queue === 'kill' || except?.kind === 'kill';
    const last = sent.findLast((call) => call !== except && !call.isPreparing);
    const arrivedBy = (call: CountedCall): number =>
      Math.min(call.answeredAt ?? Number.POSITIVE_INFINITY, call.at + limits.answerWaitMs);
    const own: number = last === undefined ? Number.NEGATIVE_INFINITY : arrivedBy(last);
    const other = (others.at(-1) ?? Number.NEGATIVE_INFINITY) + (isKill ? 0 : limits.answerWaitMs);
    return Math.max(own, other) + limits.spacingMs;
  }

  function countCall(queue: Exclude<QueueName, 'ready'>, at: Millis): CountedCall {
    const kind = queue === 'reserved' ? reservation.kind : queue;
    const call: CountedCall = { at, kind, shared: shared?.add(at), isPreparing: false };
    sent.push(call);
    if (queue === 'reserved' && reservation.calls > 0)
      reservation = { ...reservation, calls: reservation.calls - 1 };
    return call;
  }

  function answered(call: CountedCall): void {
    if (call.answeredAt !== undefined) return;
    call.answeredAt = clock.now();
    serveQueues();
  }

  /** Uncounts a call that was never sent, so that another can use it. */
  function refund(call: CountedCall): void {
    const index = sent.indexOf(call);
    if (index < 0) return;
    sent.splice(index, 1)[0]?.shared?.remove();
    serveQueues();
  }

  /**
   * Sets the wake-up; the earliest one wins, because a served call may request others at once, with shorter waits.
   */
  function wakeAt(at: Millis): void {
    if (wake !== undefined && wake.at <= at) return;
    wake?.cancel();
    const cancel = clock.at(at, 'timer', () => {
      wake = undefined;
      serveQueues();
    });
    wake = { at, cancel };
  }

  /** Queues a call for at most this time. */
  function enqueue(call: Omit<QueuedCall, 'lockFailures'>, waitMs = 0): Cancel {
    const waiting: QueuedCall = { ...call, lockFailures: 0 };
    const queue = queues[waiting.queue];
    queue.add(waiting);
    serveQueues();
    const { onTimeout } = waiting;
    if (!queue.has(waiting) || onTimeout === undefined) return () => void queue.delete(waiting);
    if (isUrgent && !hasCapacity(waiting.queue, waiting.calls)) {
      queue.delete(waiting);
      onTimeout();
      return () => undefined;
    }
    let cancelTimeout: Cancel = () => undefined;
    // A call that has room, and only waits for its distance to the previous one, is not late.
    const check = (): void => {
      if (!queue.has(waiting)) return;
      if (hasCapacity(waiting.queue, waiting.calls))
        cancelTimeout = clock.at(millis(clock.now() + waitMs), 'timer', check);
      else if (queue.delete(waiting)) onTimeout();
    };
    cancelTimeout = clock.at(millis(clock.now() + waitMs), 'timer', check);
    return () => {
      queue.delete(waiting);
      cancelTimeout();
    };
  }

  function markSent(call: CountedCall): void {
    const index = sent.indexOf(call);
    const at = clock.now();
    // A call that expired in the meantime, because of a slow disk, is counted again regardless of later calls.
    if (index >= 0) sent.splice(index, 1);
    call.at = at;
    call.isPreparing = false;
    call.shared?.moveTo(at);
    sent.push(call);
  }

  function acquire(kind: CallKind, onGranted: (permit: CallPermit) => void, onTimeout: () => void): Cancel {
    const begin = (queue: Exclude<QueueName, 'ready'>) => (at: Millis) => {
      const permit = permitOf(countCall(queue, at));
      return () => onGranted(permit);
    };
    if (kind === 'kill' || kind === 'protect') return enqueue({ queue: kind, calls: 1, grant: begin(kind) });
    const isHeld = hasUnclaimedReservation(kind);
    const waitMs = isHeld ? RESERVATION_MS : limits.waitMs[kind];
    const queue = isHeld ? 'reserved' : kind;
    return enqueue({ queue, calls: 1, grant: begin(queue), onTimeout }, waitMs);
  }

  function permitOf(call: CountedCall): CallPermit {
    return {
      prepare: () => {
        call.isPreparing = true;
      },
      whenReady: (onGranted) =>
        enqueue({
          queue: 'ready',
          calls: 0,
          own: call,
          grant: () => {
            markSent(call);
            return onGranted;
          },
        }),
      refund: () => refund(call),
      answered: () => answered(call),
    };
  }

  /**
   * True if a call is reserved for this class and no queued call uses it yet. Calls of a comparison serve its list
   * reads as well.
   */
  function hasUnclaimedReservation(kind: CallKind): boolean {
    removeExpired(clock.now());
    const isFor = (kind === 'open') === (reservation.kind === 'open') && kind !== 'poll';
    return isFor && reservation.calls > queues.reserved.size;
  }

  function release(): void {
    if (reservation.calls === 0) return;
    reservation = NO_RESERVATION;
    serveQueues();
  }

  return {
    acquire: acquire,
    reserve(kind, calls) {
      removeExpired(clock.now());
      reservation = NO_RESERVATION;
      const isHeld = hasCapacity(kind, calls);
      if (isHeld) reservation = { kind, calls, until: millis(clock.now() + RESERVATION_MS) };
      return isHeld;
    },
    hasReservation(kind) {
      removeExpired(clock.now());
      return reservation.kind === kind && reservation.calls > 0;
    },
    release,
    hasCapacity(kind, calls = 1) {
      removeExpired(clock.now());
      return hasCapacity(kind, calls);
    },
    setProtection(needed) {
      protection = needed;
    },
    setUrgent(urgent) {
      isUrgent = urgent;
      if (!urgent) return;
      release();
      serveQueues();
      for (const queue of QUEUE_NAMES)
        for (const waiting of [...queues[queue]])
          if (
            waiting.onTimeout !== undefined &&
            !hasCapacity(queue, waiting.calls) &&
            queues[queue].delete(waiting)
          )
            waiting.onTimeout();
    },
    used() {
      removeExpired(clock.now());
      return {
        cancel: count('kill'),
        protect: count('protect'),
        read: count('poll') + count('watch') + count('read'),
        open: count('open'),
        others: others.length,
        reserved: Math.max(0, reservedForKills()) + reservedFor('open'),
        max: limits.calls,
        windowMs: limits.windowMs,
      };
    },
  };
}
