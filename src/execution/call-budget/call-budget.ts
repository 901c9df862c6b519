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
  readonly opensKept: number;
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
  opensKept: 4,
  waitMs: { poll: 2_000, watch: 100, open: 200, read: 100 },
};

/**
 * For commands of a person: calls wait instead of failing, and leave a bot on the same account its calls for cancels,
 * exits and the next poll. The bot reserves the rest itself.
 */
export const HAND_BUDGET: BudgetLimits = {
  ...CALL_BUDGET,
  polls: 1,
  protects: 2,
  exitsMax: 0,
  opensKept: 0,
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

/** Calls held for one order expire after this time: its estimate is then too old. */
const HELD_MS = 5_000;

/**
 * Queues in order of service: calls that are counted and ready to be sent, then by priority. An order with held calls
 * is served before any read.
 */
const LINES = ['departing', 'kill', 'protect', 'held', 'poll', 'watch', 'open', 'read'] as const;
type Line = (typeof LINES)[number];

interface Waiting {
  readonly line: Line;
  /** Calls that it needs at once; 0 if it is already counted. */
  readonly places: number;
  /** The call that is already counted for it. */
  readonly own?: Sent;
  /** Counts the call at the instant of its turn; the returned function is called next. */
  readonly take: (at: Millis) => () => void;
  /** Called if it waited too long; absent: it waits without limit. */
  readonly late?: () => void;
  /** Attempts that failed because another process was writing to the shared file. */
  crowded: number;
}

interface Sent {
  at: Millis;
  readonly kind: CallKind;
  readonly shared: SharedCall | undefined;
  /** When its answer arrived, or its outcome was declared unknown. */
  answeredAt?: Millis;
  /** True while the call is counted but not ready to be sent. */
  isPreparing: boolean;
}

interface Held {
  readonly kind: 'open' | 'read' | 'watch';
  readonly places: number;
  readonly until: Millis;
}

const NOTHING_HELD: Held = { kind: 'open', places: 0, until: millis(0) };

/**
 * Creates the call budget of an account, in market time. Each class leaves the calls reserved for higher ones; a call
 * is counted when it gets its turn, so waiting costs nothing. `shared`: calls of all processes on the account.
 * @see docs/reliability.md, I-17
 */
export function createCallBudget(
  clock: Clock,
  limits: BudgetLimits = CALL_BUDGET,
  shared?: SharedCalls,
): CallBudget {
  const sent: Sent[] = [];
  const lines = Object.fromEntries(LINES.map((line) => [line, new Set<Waiting>()])) as Readonly<
    Record<Line, Set<Waiting>>
  >;
  let others: readonly number[] = [];
  let held = NOTHING_HELD;
  let protection: Protection = {
    pendingExits: () => 0,
    hasPosition: () => true,
    killCalls: () => limits.kills,
    isPushConnected: () => false,
  };
  let isUrgent = false;
  let wake: { readonly at: Millis; readonly cancel: Cancel } | undefined;

  function forgetOld(now: Millis): void {
    while (sent[0] !== undefined && now - sent[0].at >= limits.windowMs) sent.shift();
    if (now >= held.until) held = NOTHING_HELD;
    if (shared !== undefined) others = shared.others(now - limits.windowMs);
  }

  function count(kind: CallKind): number {
    return sent.reduce((sum, call) => sum + (call.kind === kind ? 1 : 0), 0);
  }

  /** Calls that all classes but cancels, kill and flatten leave unused. */
  function leftForKills(): number {
    return Math.min(
      limits.kills - count('kill'),
      protection.killCalls() + protection.pendingExits() + limits.killsSpare,
    );
  }

  /** Calls that a class leaves unused for higher ones. */
  function leftFor(line: Line): number {
    if (line !== 'watch' && line !== 'open' && line !== 'read') return 0;
    const exits = Math.min(limits.exitsMax, protection.pendingExits());
    const pollLimit = protection.isPushConnected() ? limits.pollsPushed : limits.polls;
    const polls = Math.max(0, pollLimit - count('poll'));
    if (line === 'watch') return polls + exits;
    const reductions = protection.hasPosition() ? limits.protects - count('protect') : 0;
    const orders = polls + Math.max(exits, reductions);
    if (line === 'open') return orders;
    return orders + Math.max(0, limits.opensKept - count('open') - (held.kind === 'open' ? held.places : 0));
  }

  /**
   * Whether there is room for more calls. Held calls count for all classes except cancels, which never wait for an
   * opening order.
   */
  function hasRoom(line: Line, places: number): boolean {
    if (line === 'departing') return true;
    const all = sent.length + others.length;
    if (all + places > limits.calls) return false;
    if (line === 'kill' || line === 'held' || (line === 'protect' && isUrgent)) return true;
    const used = all + (line === 'protect' ? 0 : held.places);
    return used + places + leftFor(line) + leftForKills() <= limits.calls;
  }

  function pump(): void {
    const now = clock.now();
    forgetOld(now);
    for (const line of LINES) {
      for (const next of lines[line]) {
        if (!hasRoom(line, next.places)) break;
        if (isTooEarly(next, now)) return;
        const go = takeTurn(next);
        if (go !== undefined) go();
        else {
          // Another process was faster, or is writing.
          if (!hasRoom(line, next.places)) break;
          if (!isTooEarly(next, now)) wakeAt(millis(now + 1));
          return;
        }
      }
    }
    const oldest = Math.min(sent[0]?.at ?? Number.POSITIVE_INFINITY, others[0] ?? Number.POSITIVE_INFINITY);
    if (Number.isFinite(oldest) && LINES.some((line) => lines[line].size > 0))
      wakeAt(millis(Math.max(oldest + limits.windowMs, now + 1)));
  }

  /** True for a call that may not be sent yet; schedules its next check. */
  function isTooEarly(next: Waiting, now: Millis): boolean {
    const free = freeFrom(next);
    if (now >= free) return false;
    wakeAt(millis(free));
    return true;
  }

  /**
   * Counts the call whose turn it is, and returns what to do next; undefined if it must wait. Checks the calls of
   * other processes again under their lock: two that wake together would both count the same free call.
   */
  function takeTurn(next: Waiting): (() => void) | undefined {
    const take = (): (() => void) => {
      lines[next.line].delete(next);
      return next.take(clock.now());
    };
    if (shared === undefined) return take();
    const turn = shared.withLock(() => {
      forgetOld(clock.now());
      return hasRoom(next.line, next.places) && clock.now() >= freeFrom(next) ? take() : undefined;
    });
    if (turn !== undefined) return turn.result;
    next.crowded += 1;
    const isKill = next.line === 'kill' || next.own?.kind === 'kill';
    return next.crowded >= (isKill ? LOCKED_ATTEMPTS_MAX_KILL : LOCKED_ATTEMPTS_MAX) ? take() : undefined;
  }

  /**
   * Returns when the next call may be sent: the previous one has arrived by then. Answers to other processes are
   * unknown here, and a cancel does not wait for them: a bot with constant calls would delay a kill of another
   * process.
   */
  function freeFrom({ own: except, line }: Waiting): number {
    const isKill = line === 'kill' || except?.kind === 'kill';
    const last = sent.findLast((call) => call !== except && !call.isPreparing);
    const arrivedBy = (call: Sent): number =>
      Math.min(call.answeredAt ?? Number.POSITIVE_INFINITY, call.at + limits.answerWaitMs);
    const own: number = last === undefined ? Number.NEGATIVE_INFINITY : arrivedBy(last);
    const other = (others.at(-1) ?? Number.NEGATIVE_INFINITY) + (isKill ? 0 : limits.answerWaitMs);
    return Math.max(own, other) + limits.spacingMs;
  }

  function leave(line: Exclude<Line, 'departing'>, at: Millis): Sent {
    const kind = line === 'held' ? held.kind : line;
    const call: Sent = { at, kind, shared: shared?.add(at), isPreparing: false };
    sent.push(call);
    if (line === 'held' && held.places > 0) held = { ...held, places: held.places - 1 };
    return call;
  }

  function answered(call: Sent): void {
    if (call.answeredAt !== undefined) return;
    call.answeredAt = clock.now();
    pump();
  }

  /** Uncounts a call that was never sent, so that another can use it. */
  function giveBack(call: Sent): void {
    const place = sent.indexOf(call);
    if (place < 0) return;
    sent.splice(place, 1)[0]?.shared?.remove();
    pump();
  }

  /**
   * Sets the wake-up; the earliest one wins, because a served call may request others at once, with shorter waits.
   */
  function wakeAt(at: Millis): void {
    if (wake !== undefined && wake.at <= at) return;
    wake?.cancel();
    const cancel = clock.at(at, 'timer', () => {
      wake = undefined;
      pump();
    });
    wake = { at, cancel };
  }

  /** Queues a call for at most this time. */
  function stand(call: Omit<Waiting, 'crowded'>, waitMs = 0): Cancel {
    const waiting: Waiting = { ...call, crowded: 0 };
    const queue = lines[waiting.line];
    queue.add(waiting);
    pump();
    const { late } = waiting;
    if (!queue.has(waiting) || late === undefined) return () => void queue.delete(waiting);
    if (isUrgent && !hasRoom(waiting.line, waiting.places)) {
      queue.delete(waiting);
      late();
      return () => undefined;
    }
    let giveUp: Cancel = () => undefined;
    // A call that has room, and only waits for its distance to the previous one, is not late.
    const check = (): void => {
      if (!queue.has(waiting)) return;
      if (hasRoom(waiting.line, waiting.places))
        giveUp = clock.at(millis(clock.now() + waitMs), 'timer', check);
      else if (queue.delete(waiting)) late();
    };
    giveUp = clock.at(millis(clock.now() + waitMs), 'timer', check);
    return () => {
      queue.delete(waiting);
      giveUp();
    };
  }

  function depart(call: Sent): void {
    const place = sent.indexOf(call);
    const at = clock.now();
    // A call that expired in the meantime, because of a slow disk, is counted again regardless of later calls.
    if (place >= 0) sent.splice(place, 1);
    call.at = at;
    call.isPreparing = false;
    call.shared?.moveTo(at);
    sent.push(call);
  }

  function enter(kind: CallKind, go: (place: CallPermit) => void, late: () => void): Cancel {
    const begin = (line: Exclude<Line, 'departing'>) => (at: Millis) => {
      const place = placeOf(leave(line, at));
      return () => go(place);
    };
    if (kind === 'kill' || kind === 'protect') return stand({ line: kind, places: 1, take: begin(kind) });
    const isHeld = isClaimable(kind);
    const waitMs = isHeld ? HELD_MS : limits.waitMs[kind];
    const line = isHeld ? 'held' : kind;
    return stand({ line, places: 1, take: begin(line), late }, waitMs);
  }

  function placeOf(call: Sent): CallPermit {
    return {
      prepare: () => {
        call.isPreparing = true;
      },
      whenReady: (go) =>
        stand({
          line: 'departing',
          places: 0,
          own: call,
          take: () => {
            depart(call);
            return go;
          },
        }),
      refund: () => giveBack(call),
      answered: () => answered(call),
    };
  }

  /**
   * True if a call is held for this class and not claimed by a waiting one. Calls of a comparison serve its list
   * reads as well.
   */
  function isClaimable(kind: CallKind): boolean {
    forgetOld(clock.now());
    const isFor = (kind === 'open') === (held.kind === 'open') && kind !== 'poll';
    return isFor && held.places > lines.held.size;
  }

  function release(): void {
    if (held.places === 0) return;
    held = NOTHING_HELD;
    pump();
  }

  return {
    acquire: enter,
    reserve(kind, places) {
      forgetOld(clock.now());
      held = NOTHING_HELD;
      const isHeld = hasRoom(kind, places);
      if (isHeld) held = { kind, places, until: millis(clock.now() + HELD_MS) };
      return isHeld;
    },
    hasReservation(kind) {
      forgetOld(clock.now());
      return held.kind === kind && held.places > 0;
    },
    release,
    hasCapacity(kind, places = 1) {
      forgetOld(clock.now());
      return hasRoom(kind, places);
    },
    setProtection(kept) {
      protection = kept;
    },
    setUrgent(urgent) {
      isUrgent = urgent;
      if (!urgent) return;
      release();
      pump();
      for (const line of LINES)
        for (const waiting of [...lines[line]])
          if (waiting.late !== undefined && !hasRoom(line, waiting.places) && lines[line].delete(waiting))
            waiting.late();
    },
    used() {
      forgetOld(clock.now());
      return {
        cancel: count('kill'),
        protect: count('protect'),
        read: count('poll') + count('watch') + count('read'),
        open: count('open'),
        others: others.length,
        reserved: Math.max(0, leftForKills()) + leftFor('open'),
        max: limits.calls,
        windowMs: limits.windowMs,
      };
    },
  };
}
