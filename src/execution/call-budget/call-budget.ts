import { type Millis, millis } from '../../model/time.ts';
import type {
  CallBudget,
  CallKind,
  CallPlace,
  Protection,
  SharedCall,
  SharedCalls,
} from '../../ports/call-budget.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';

/** Number of calls in any window, their minimum distance, and the share of each class. */
interface BudgetLimits {
  readonly calls: number;
  readonly windowMs: number;
  /** Least distance of a call from the answer to the one before. */
  readonly spacingMs: number;
  /** A call without an answer holds the next one back no longer than this, and `spacingMs`. */
  readonly answerWaitMs: number;
  /** Most that are kept for cancels, kill and flatten; never lent. */
  readonly kills: number;
  /** Of those, kept in addition to `Protection.killDue`: what is about to open, orders of others, and attempts that are repeated. */
  readonly killsSpare: number;
  /** Kept for the periodic listing, from everything but `kill` and `protect`; fewer while pushes tell of fills, too. */
  readonly polls: number;
  readonly pollsPushed: number;
  /** Kept from opens and other reads for orders that reduce a position, while there is one. */
  readonly protects: number;
  /** Most that are kept for exits that are still to be sent. */
  readonly exitsMax: number;
  /** Of what orders may have, what no other read borrows: one order with its three questions. */
  readonly opensKept: number;
  /** How long a call waits for its place: not for long, as what protects a position may wait behind it. */
  readonly waitMs: Readonly<Record<Exclude<CallKind, 'kill' | 'protect'>, number>>;
}

/**
 * The venue allows 30 calls in 30 s, 20 ms apart, where they arrive. A call that leaves 25 ms after the answer to the one before
 * arrives later than that one by more than 20 ms, whatever the network does. Where no answer comes, up to 130 ms on the way
 * do no harm. A poll every 4.5 s makes seven in 31 s at most.
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
 * For what a person asks by hand: it waits for its place instead of failing, and leaves a bot on the same account what the bot
 * needs for cancels, exits and its next polls. The bot keeps the rest of its places itself.
 */
export const HAND_BUDGET: BudgetLimits = {
  ...CALL_BUDGET,
  polls: 1,
  protects: 2,
  exitsMax: 0,
  opensKept: 0,
  waitMs: { poll: 35_000, watch: 35_000, open: 35_000, read: 35_000 },
};

/** For cancels past a bot that hangs: each leaves at once and is counted, and none is kept back. */
export const KILL_BUDGET: BudgetLimits = { ...CALL_BUDGET, calls: Number.POSITIVE_INFINITY };

/**
 * Attempts at a place while another process has locked the shared file, 1 ms apart and of 2 ms each. After 150 ms a call is sent without
 * regard to the other process, whose own call has arrived by then. A cancel waits for three attempts only.
 */
const LOCKED_ATTEMPTS_MAX = 50;
const LOCKED_ATTEMPTS_MAX_KILL = 3;

/** Places held for one order lapse after this long: the estimate that it was judged by is too old then. */
const HELD_MS = 5_000;

/**
 * Queues in the order in which they are served: a call that has its place and is ready to leave, then by priority. One that
 * holds its place already goes before any read.
 */
const LINES = ['departing', 'kill', 'protect', 'held', 'poll', 'watch', 'open', 'read'] as const;
type Line = (typeof LINES)[number];

interface Waiting {
  readonly line: Line;
  /** Places it wants at once; none when it has its place. */
  readonly places: number;
  /** The place that it has already. */
  readonly own?: Sent;
  /** Takes its place at the instant at which its turn came; what is returned is called next. */
  readonly take: (at: Millis) => () => void;
  /** Called instead when it waited in vain; absent: it waits as long as it takes. */
  readonly late?: () => void;
  /** Attempts at its place during which another process wrote down a call. */
  crowded: number;
}

interface Sent {
  at: Millis;
  readonly kind: CallKind;
  readonly shared: SharedCall | undefined;
  /** When its answer came, or it was called unknown. */
  answeredAt?: Millis;
  /** True while it has its place and what comes before its first byte is not done. */
  isPreparing: boolean;
}

interface Held {
  readonly kind: 'open' | 'read' | 'watch';
  readonly places: number;
  readonly until: Millis;
}

const NOTHING_HELD: Held = { kind: 'open', places: 0, until: millis(0) };

/**
 * The one budget of an account, in market time. Each kind of call leaves what is kept for those above it; a place is counted
 * when it is given, so what waits costs nothing. `shared` are the calls of all processes on the account.
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
    exitsDue: () => 0,
    isHeld: () => true,
    killDue: () => limits.kills,
    isPushed: () => false,
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

  /** Places that everything but cancels, kill and flatten leaves free for these. */
  function leftForKills(): number {
    return Math.min(
      limits.kills - count('kill'),
      protection.killDue() + protection.exitsDue() + limits.killsSpare,
    );
  }

  /** Places that a call leaves free for those above it. */
  function leftFor(line: Line): number {
    if (line !== 'watch' && line !== 'open' && line !== 'read') return 0;
    const exits = Math.min(limits.exitsMax, protection.exitsDue());
    const pollLimit = protection.isPushed() ? limits.pollsPushed : limits.polls;
    const polls = Math.max(0, pollLimit - count('poll'));
    if (line === 'watch') return polls + exits;
    const reductions = protection.isHeld() ? limits.protects - count('protect') : 0;
    const orders = polls + Math.max(exits, reductions);
    if (line === 'open') return orders;
    return orders + Math.max(0, limits.opensKept - count('open') - (held.kind === 'open' ? held.places : 0));
  }

  /** Places held count for everybody but cancels: no cancel waits for an order that opens. */
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
          // Another process was faster, or writes just now.
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

  /** True for a call that may not leave yet; it is looked at again when it may. */
  function isTooEarly(next: Waiting, now: Millis): boolean {
    const free = freeFrom(next);
    if (now >= free) return false;
    wakeAt(millis(free));
    return true;
  }

  /**
   * Takes the place of a call whose turn it is, and returns what comes next. What other processes wrote down until this instant is looked at
   * once more, while none of them writes: two that wake together would both count the same free place. Undefined if it has to wait.
   */
  function takeTurn(next: Waiting): (() => void) | undefined {
    const take = (): (() => void) => {
      lines[next.line].delete(next);
      return next.take(clock.now());
    };
    if (shared === undefined) return take();
    const turn = shared.exclusively(() => {
      forgetOld(clock.now());
      return hasRoom(next.line, next.places) && clock.now() >= freeFrom(next) ? take() : undefined;
    });
    if (turn !== undefined) return turn.result;
    next.crowded += 1;
    const isKill = next.line === 'kill' || next.own?.kind === 'kill';
    return next.crowded >= (isKill ? LOCKED_ATTEMPTS_MAX_KILL : LOCKED_ATTEMPTS_MAX) ? take() : undefined;
  }

  /**
   * When the next call may leave: the last one has arrived by then. The answers of other processes are not known here, and a cancel
   * does not wait for them: a bot that calls all the time would hold up a kill from another process.
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

  /** A call that never left is not counted: another may go in its place. */
  function giveBack(call: Sent): void {
    const place = sent.indexOf(call);
    if (place < 0) return;
    sent.splice(place, 1)[0]?.shared?.remove();
    pump();
  }

  /** The earliest wins: a call that goes may ask for the next ones at once, which wait for less than what is set here. */
  function wakeAt(at: Millis): void {
    if (wake !== undefined && wake.at <= at) return;
    wake?.cancel();
    const cancel = clock.at(at, 'timer', () => {
      wake = undefined;
      pump();
    });
    wake = { at, cancel };
  }

  /** Waits for a place for so long at most. */
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
    // One that has a place and waits only for its distance to the call before it is not too late.
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
    // A place that has lapsed in the meantime, behind a disk that took half a minute, is taken again regardless of later calls.
    if (place >= 0) sent.splice(place, 1);
    call.at = at;
    call.isPreparing = false;
    call.shared?.moveTo(at);
    sent.push(call);
  }

  function enter(kind: CallKind, go: (place: CallPlace) => void, late: () => void): Cancel {
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

  function placeOf(call: Sent): CallPlace {
    return {
      prepare: () => {
        call.isPreparing = true;
      },
      depart: (go) =>
        stand({
          line: 'departing',
          places: 0,
          own: call,
          take: () => {
            depart(call);
            return go;
          },
        }),
      giveBack: () => giveBack(call),
      answered: () => answered(call),
    };
  }

  /** Whether a place is held for such a call that no other waits for yet. A comparison reads what is polled, too. */
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
    enter,
    hold(kind, places) {
      forgetOld(clock.now());
      held = NOTHING_HELD;
      const isHeld = hasRoom(kind, places);
      if (isHeld) held = { kind, places, until: millis(clock.now() + HELD_MS) };
      return isHeld;
    },
    isHolding(kind) {
      forgetOld(clock.now());
      return held.kind === kind && held.places > 0;
    },
    release,
    hasRoom(kind, places = 1) {
      forgetOld(clock.now());
      return hasRoom(kind, places);
    },
    keepFor(kept) {
      protection = kept;
    },
    hurry(urgent) {
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
