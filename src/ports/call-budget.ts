import type { Cancel } from './clock.ts';

/**
 * What a call is for, highest priority first: `kill` is every cancel, and the flattening orders and listings of a kill;
 * `protect` an order that only reduces a position; `poll` the periodic listing that finds fills; `watch` any other read that
 * a protective decision needs; `open` an order that adds exposure, and its questions; `read` everything else.
 */
export const CALL_KINDS = ['kill', 'protect', 'poll', 'watch', 'open', 'read'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** The place of one call, counted from when it was given. */
export interface CallPlace {
  /** Something has to happen before the first byte, such as writing to the journal: other calls do not wait for this one. */
  prepare(): void;
  /** Calls `go` once the prepared call may leave together with others, and counts it from then on. */
  depart(go: () => void): Cancel;
  /** No byte left: another call may have the place. */
  giveBack(): void;
  /** The answer came, or is not waited for any more. */
  answered(): void;
}

/** Lets calls to the trade interface leave no faster than the account may make them. @see docs/reliability.md, I-17 */
export interface CallBudget {
  /**
   * Calls `go` with the place of a call once it has one. A call of `kill` or `protect` waits as long as it takes, the others for a
   * while: then `late` is called instead. What is returned ends the wait.
   */
  enter(kind: CallKind, go: (place: CallPlace) => void, late: () => void): Cancel;
  /**
   * Takes the places of everything that one order which opens, or one comparison of the books, will ask and send, before the
   * first question. False where so many are not free now; what is not used lapses by itself.
   */
  hold(kind: 'open' | 'read' | 'watch', places: number): boolean;
  /** Whether places are held for such calls just now: then questions come out of them. */
  isHolding(kind: 'open'): boolean;
  /** Gives back what is held. */
  release(): void;
  /** Whether so many calls of a kind would have places now. */
  hasRoom(kind: CallKind, places?: number): boolean;
  /**
   * What may have to be sent at any moment: exits that are due, and something to reduce what is held. `open`, `watch` and `read`
   * leave places for them, up to a maximum.
   */
  keepFor(protection: Protection): void;
  /**
   * While a kill or a flatten waits for its turn: whatever waits for a place below it is refused, and what protects may have
   * the places that are kept for cancels.
   */
  hurry(isUrgent: boolean): void;
  /** Usage of the current window, for the bot's status. */
  used(): CallsUsed;
}

/** What the account may have to protect. */
export interface Protection {
  /** Exits that are still to be sent. */
  readonly exitsDue: () => number;
  /** Whether anything is held. */
  readonly isHeld: () => boolean;
  /** Calls that a kill which closes everything would make now: a cancel for each open order, and an order for each position. */
  readonly killDue: () => number;
  /** Whether the push connection is up: then polls only find lost pushes. */
  readonly isPushed: () => boolean;
}

/** Calls of the newest window by kind, and what may leave in one. */
export interface CallsUsed {
  /** Cancels, and the flattening orders and listings of a kill. */
  readonly cancel: number;
  readonly protect: number;
  readonly read: number;
  readonly open: number;
  /** Calls of other processes on the account. */
  readonly others: number;
  /** Calls that an order which opens leaves free for cancels, exits, reductions and polls. */
  readonly reserved: number;
  readonly max: number;
  readonly windowMs: number;
}

/** Calls that every process of the user on this machine made on an account: one window counts them all. */
export interface SharedCalls {
  /** When processes other than this one made calls since an instant, oldest first. */
  others(since: number): readonly number[];
  /** Writes down a call of this process; the result takes it back, or moves it to when it left. */
  add(at: number): SharedCall;
  /**
   * Does work while no other process writes down a call: what `others` returns in it is up to date, and what it adds is seen by every process
   * that looks later. Undefined, without doing it, while another process writes. Where calls cannot be shared, it is done all the same.
   */
  exclusively<T>(work: () => T): { readonly result: T } | undefined;
}

/** One call of this process among all. */
export interface SharedCall {
  moveTo(at: number): void;
  remove(): void;
}
