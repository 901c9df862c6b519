import type { Cancel } from './clock.ts';

/**
 * Purpose of a call, highest priority first. `kill`: every cancel, and the flattening orders and listings of a kill.
 * `protect`: an order that only reduces a position. `poll`: the periodic listing that finds fills. `watch`: any other
 * read for a protective decision. `open`: an order that adds exposure, and its queries. `read`: everything else.
 */
export const CALL_KINDS = ['kill', 'protect', 'poll', 'watch', 'open', 'read'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** The place of one call, counted from when it was granted. */
export interface CallPlace {
  /** Work comes before the first byte, such as writing to the journal; other calls do not wait for this one. */
  prepare(): void;
  /** Calls `go` when the prepared call may be sent together with others, and counts it from then on. */
  depart(go: () => void): Cancel;
  /** No byte was sent: another call may use the place. */
  giveBack(): void;
  /** The answer arrived, or is no longer awaited. */
  answered(): void;
}

/** Limits calls to the trade interface to the rate of the account. @see docs/reliability.md, I-17 */
export interface CallBudget {
  /**
   * Calls `go` when a call has its place. Calls of `kill` or `protect` wait as long as necessary; for others `late`
   * is called after a while. The returned function ends the wait.
   */
  enter(kind: CallKind, go: (place: CallPlace) => void, late: () => void): Cancel;
  /**
   * Reserves places for all calls of one opening order, or of one comparison of the books, before the first of them.
   * Returns false if not enough are free now; unused ones expire.
   */
  hold(kind: 'open' | 'read' | 'watch', places: number): boolean;
  /** True if places are reserved for such calls now; their queries then use these. */
  isHolding(kind: 'open'): boolean;
  /** Releases reserved places. */
  release(): void;
  /** True if that many calls of a kind would have places now. */
  hasRoom(kind: CallKind, places?: number): boolean;
  /**
   * Sets what may have to be sent at any moment: exits that are due, and orders that close positions. `open`, `watch`
   * and `read` leave places for them, up to a maximum.
   */
  keepFor(protection: Protection): void;
  /**
   * While a kill or a flatten waits for its turn, calls of lower priority that wait for a place are refused, and
   * protective calls may use places that are kept for cancels.
   */
  hurry(isUrgent: boolean): void;
  /** Usage of the current window, for the bot's status. */
  used(): CallsUsed;
}

/** Calls that the account may need for protection. */
export interface Protection {
  /** Number of exits that are still to be sent. */
  readonly exitsDue: () => number;
  /** True if there is a position. */
  readonly isHeld: () => boolean;
  /**
   * Number of calls of a kill that closes everything: a cancel for each open order, and an order for each position.
   */
  readonly killDue: () => number;
  /** True if the push connection is up: then polls only find lost pushes. */
  readonly isPushed: () => boolean;
}

/** Calls of the newest window by kind, and the limit of a window. */
export interface CallsUsed {
  /** Cancels, and the flattening orders and listings of a kill. */
  readonly cancel: number;
  readonly protect: number;
  readonly read: number;
  readonly open: number;
  /** Calls of other processes on the account. */
  readonly others: number;
  /** Calls that an opening order leaves free for cancels, exits, reductions and polls. */
  readonly reserved: number;
  readonly max: number;
  readonly windowMs: number;
}

/** Calls of all processes of the user on this machine on an account, counted in one window. */
export interface SharedCalls {
  /** Returns the times of calls of other processes since a time, oldest first. */
  others(since: number): readonly number[];
  /** Records a call of this process; the result removes it, or moves it to when it was sent. */
  add(at: number): SharedCall;
  /**
   * Runs work while no other process records a call, so that `others` is up to date and every process sees the
   * additions. Returns undefined, without running it, while another process writes. If calls cannot be shared, the
   * work runs without exclusion.
   */
  exclusively<T>(work: () => T): { readonly result: T } | undefined;
}

/** A recorded call of this process. */
export interface SharedCall {
  moveTo(at: number): void;
  remove(): void;
}
