import type { ExecutionId } from './order.ts';

/** A strategy's saved state: the JSON text exactly as returned, and the version of its shape. */
export interface KeptState {
  readonly version: number;
  readonly text: string;
}

/**
 * What a strategy's response adds to its saved state, written to disk together with the first order of the same
 * response.
 */
export interface StateNote {
  readonly strategy: string;
  /** The new state; absent if unchanged. */
  readonly state?: KeptState;
  /** The execution that this response handles; it need not be delivered again. */
  readonly told?: ExecutionId;
}
