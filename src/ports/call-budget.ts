import type { Observable } from 'rxjs';

/** What a call is for; the order is that of priority. */
export const CALL_KINDS = ['cancel', 'read', 'open'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** Lets calls to the trade interface leave no faster than the account may make them. @see reliability.md, I-17 */
export interface CallBudget {
  /**
   * Does `work` once it has a place; gives `refused` instead when none was free in time. A cancel waits as long as it takes.
   * Where `neverLeft` says so of the result, no byte left and the place is free again.
   */
  through<T>(
    kind: CallKind,
    work: Observable<T>,
    refused: T,
    neverLeft?: (result: T) => boolean,
  ): Observable<T>;
  /**
   * Takes the places of everything that one order which opens will ask and send, before the first question. Emits once
   * whether they are held; what is not used lapses by itself.
   */
  hold(places: number): Observable<boolean>;
  /** Whether places are held just now: then questions for an order come out of them. */
  isHolding(): boolean;
  /** Gives back what is held. */
  release(): void;
  /** How the window stands, for whoever asks how the bot stands. */
  used(): CallsUsed;
}

/** Calls of the newest window by kind, and what may leave in one. */
export interface CallsUsed {
  readonly cancel: number;
  readonly read: number;
  readonly open: number;
  readonly max: number;
  readonly windowMs: number;
}
