import type { ExecutionId } from './order.ts';

/** A strategy's state as it is kept: JSON text, exactly as the strategy gave it, and the version of its shape. */
export interface KeptState {
  readonly version: number;
  readonly text: string;
}

/** What a strategy's answer leaves to be remembered, on disk together with the first order of that same answer. */
export interface StateNote {
  /** Whose state it is. */
  readonly strategy: string;
  /** The state from now on; absent when it stays as it was. */
  readonly state?: KeptState;
  /** The execution that this answers: it need not be delivered again. */
  readonly told?: ExecutionId;
}
