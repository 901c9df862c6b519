import { Observable, of, tap } from 'rxjs';
import { type Millis, millis } from '../model/time.ts';
import type { CallBudget, CallKind } from '../ports/call-budget.ts';
import type { Cancel, Clock } from '../ports/clock.ts';

/** How many calls leave in any window, how far apart, and who may have how many of them. */
export interface BudgetLimits {
  readonly calls: number;
  readonly windowMs: number;
  readonly spacingMs: number;
  /** Kept for cancels; never lent. */
  readonly cancels: number;
  /** Most of them that orders which open may have, questions included; what those leave is lent to reads. */
  readonly opens: number;
  /** Of those, what no read borrows: one order with its three questions, so that reading alone never stops trading. */
  readonly opensKept: number;
  /** How long a read and an open wait for their places. */
  readonly readWaitMs: number;
  readonly openWaitMs: number;
}

/** The venue allows 30 calls in 30 s, 20 ms apart, where they arrive: this leaves room for 200 ms of jitter on the way. */
export const CALL_BUDGET: BudgetLimits = {
  calls: 28,
  windowMs: 31_000,
  spacingMs: 25,
  cancels: 10,
  opens: 12,
  opensKept: 4,
  readWaitMs: 2_000,
  openWaitMs: 1_000,
};

/** Places held for one order lapse after this long: the estimate that it was judged by is too old then. */
const HELD_MS = 5_000;

/** Lines in which calls wait, in the order in which they are served: what holds its place already goes before reads. */
const LINES = ['cancel', 'held', 'read', 'open'] as const;
type Line = (typeof LINES)[number];

interface Waiting {
  readonly line: Line;
  /** Places it wants at once: several when it only holds them. */
  readonly places: number;
  /** What was counted for it; absent when it only holds places. */
  readonly go: (sent?: Sent) => void;
}

interface Sent {
  readonly at: Millis;
  readonly kind: CallKind;
}

/**
 * The one budget of an account, in market time. Cancels go first and may have whatever is free, reads next, opens last. Calls
 * are counted when they leave, so what waits costs nothing.
 * @see reliability.md, I-17
 */
export function createCallBudget(
  clock: Pick<Clock, 'now' | 'at'>,
  limits: BudgetLimits = CALL_BUDGET,
): CallBudget {
  const sent: Sent[] = [];
  const lines: Readonly<Record<Line, Set<Waiting>>> = {
    ...{ cancel: new Set(), held: new Set(), read: new Set(), open: new Set() },
  };
  let held = { places: 0, until: millis(0) };
  let wake: { readonly at: Millis; readonly cancel: Cancel } | undefined;

  function forgetOld(now: Millis): void {
    while (sent[0] !== undefined && now - sent[0].at >= limits.windowMs) sent.shift();
    if (now >= held.until) held = { places: 0, until: now };
  }

  function count(kind: CallKind): number {
    return sent.reduce((sum, call) => sum + (call.kind === kind ? 1 : 0), 0);
  }

  /** Whether a share has room for so many more; places held are spoken for, but no cancel waits for them. */
  function hasRoom({ line, places }: Waiting): boolean {
    if (sent.length + places > limits.calls) return false;
    if (line === 'cancel' || line === 'held') return true;
    const opens = count('open') + held.places;
    const others = Math.max(opens, line === 'read' ? limits.opensKept : 0) + count('read');
    return (
      others + places <= limits.calls - limits.cancels && (line === 'read' || opens + places <= limits.opens)
    );
  }

  function pump(): void {
    const now = clock.now();
    forgetOld(now);
    for (const line of LINES) {
      for (const next of lines[line]) {
        if (!hasRoom(next)) break;
        const free = (sent.at(-1)?.at ?? Number.NEGATIVE_INFINITY) + limits.spacingMs;
        if (next.places === 1 && now < free) {
          wakeAt(millis(free));
          return;
        }
        lines[line].delete(next);
        next.go(next.places === 1 ? leave(line, now) : undefined);
      }
    }
    const [oldest] = sent;
    if (oldest !== undefined && LINES.some((line) => lines[line].size > 0))
      wakeAt(millis(oldest.at + limits.windowMs));
  }

  function leave(line: Line, at: Millis): Sent {
    const call: Sent = { at, kind: line === 'held' ? 'open' : line };
    sent.push(call);
    if (line === 'held' && held.places > 0) held = { ...held, places: held.places - 1 };
    return call;
  }

  /** A call that never left is not counted: whoever waits may go in its place. */
  function giveBack(call: Sent | undefined): void {
    const place = call === undefined ? -1 : sent.indexOf(call);
    if (place < 0) return;
    sent.splice(place, 1);
    pump();
  }

  /** The earliest wins: a call that goes may ask for the next ones at once, which wait for less than what stands here. */
  function wakeAt(at: Millis): void {
    if (wake !== undefined && wake.at <= at) return;
    wake?.cancel();
    const cancel = clock.at(at, 'timer', () => {
      wake = undefined;
      pump();
    });
    wake = { at, cancel };
  }

  /** Waits in line for so long at most; `late` is called when that was in vain. */
  function stand(waiting: Waiting, waitMs: number | undefined, late: () => void): Cancel {
    const queue = lines[waiting.line];
    queue.add(waiting);
    pump();
    if (!queue.has(waiting) || waitMs === undefined) return () => void queue.delete(waiting);
    const giveUp = clock.at(millis(clock.now() + waitMs), 'timer', () => {
      if (queue.delete(waiting)) late();
    });
    return () => {
      queue.delete(waiting);
      giveUp();
    };
  }

  function through<T>(
    kind: CallKind,
    work: Observable<T>,
    refused: T,
    neverLeft: (result: T) => boolean = () => false,
  ): Observable<T> {
    return new Observable((subscriber) => {
      const go = (call?: Sent): void => {
        const counted$ = work.pipe(tap((result) => neverLeft(result) && giveBack(call)));
        subscriber.add(counted$.subscribe(subscriber));
      };
      const late = (): void => void subscriber.add(of(refused).subscribe(subscriber));
      const line = kind === 'open' && isClaimable() ? 'held' : kind;
      const waits = { cancel: undefined, held: HELD_MS, read: limits.readWaitMs, open: limits.openWaitMs };
      subscriber.add(stand({ line, places: 1, go }, waits[line], late));
    });
  }

  /** Whether a place is held that no call stands in line for yet. */
  function isClaimable(): boolean {
    forgetOld(clock.now());
    return held.places > lines.held.size;
  }

  return {
    through,
    hold: (places) =>
      new Observable((subscriber) => {
        const tell = (isHeld: boolean): void => {
          if (isHeld) held = { places: held.places + places, until: millis(clock.now() + HELD_MS) };
          subscriber.next(isHeld);
          subscriber.complete();
        };
        held = { places: 0, until: clock.now() };
        const waiting: Waiting = { line: 'open', places, go: () => tell(true) };
        subscriber.add(stand(waiting, limits.openWaitMs, () => tell(false)));
      }),
    isHolding() {
      forgetOld(clock.now());
      return held.places > 0;
    },
    release() {
      if (held.places === 0) return;
      held = { places: 0, until: clock.now() };
      pump();
    },
    used() {
      forgetOld(clock.now());
      const counted = { cancel: count('cancel'), read: count('read'), open: count('open') };
      return { ...counted, max: limits.calls, windowMs: limits.windowMs };
    },
  };
}
