import type { Cancel } from './clock.ts';

/**
 * Purpose of a call, highest priority first. `kill`: every cancel, and the flattening orders and listings of a kill.
 * `protect`: an order that only reduces a position. `poll`: the periodic listing that finds fills. `watch`: any other
 * read for a protective decision. `open`: an order that adds exposure, and its queries. `read`: everything else.
 */
export const CALL_KINDS = ['kill', 'protect', 'poll', 'watch', 'open', 'read'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** The permit for one call, which counts from when it was granted. */
export interface CallPermit {
  /** States that work comes before the first byte, such as writing to the journal: other calls do not wait for this one. */
  prepare(): void;
  /** Calls `send` when the prepared call may be sent in addition to the others, and counts it from then on. */
  whenReady(send: () => void): Cancel;
  /** States that no byte was sent: another call may use the permit. */
  refund(): void;
  /** States that the answer arrived, or is no longer awaited. */
  answered(): void;
}

/** Limits calls to the trade interface to the rate of the account. @see docs/reliability.md, I-17 */
export interface CallBudget {
  /**
   * Calls `onGranted` when a call has its permit. Calls of `kill` or `protect` wait as long as necessary; for others
   * `onTimeout` is called after a while. The returned function ends the wait.
   */
  acquire(kind: CallKind, onGranted: (permit: CallPermit) => void, onTimeout: () => void): Cancel;
  /**
   * Reserves permits for all calls of one opening order, or of one comparison of the books, before the first of them.
   * Returns false if not enough are free now; unused ones expire.
   */
  reserve(kind: 'open' | 'read' | 'watch', calls: number): boolean;
  /** True if permits are reserved for such calls now; their queries then use these. */
  hasReservation(kind: 'open'): boolean;
  /** Releases reserved permits. */
  release(): void;
  /** True if that many calls of a kind would be granted now. */
  hasCapacity(kind: CallKind, calls?: number): boolean;
  /**
   * Sets what may have to be sent at any moment: exits that are due, and orders that close positions. `open`, `watch`
   * and `read` leave permits for them, up to a maximum.
   */
  setProtection(protection: Protection): void;
  /**
   * While a kill or a flatten waits in the event queue, waiting calls of lower priority time out at once, and protective
   * calls may use permits that are reserved for cancels.
   */
  setUrgent(isUrgent: boolean): void;
  /** Usage of the current window, for the bot's status. */
  used(): CallsUsed;
}

/** Calls that the account may need for protection. */
export interface Protection {
  /** Number of exits that are still to be sent. */
  readonly pendingExits: () => number;
  /** True if there is a position. */
  readonly hasPosition: () => boolean;
  /**
   * Number of calls of a kill that closes everything: a cancel for each open order, and an order for each position.
   */
  readonly killCalls: () => number;
  /** True if the push connection is up: then polls only find lost pushes. */
  readonly isPushConnected: () => boolean;
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
  withLock<T>(work: () => T): { readonly result: T } | undefined;
}

/** A recorded call of this process. */
export interface SharedCall {
  moveTo(at: number): void;
  remove(): void;
}
