import type { StartFault } from './worker-messages.ts';

/** What a plugin's file did instead of starting. */
export interface StartFailure {
  /** In words that follow the name of the file. */
  readonly what: string;
  readonly stack: string;
  readonly fault: StartFault;
}

/** A plugin could not be loaded in its thread, so nothing was started. */
export class WorkerStartError extends Error {
  readonly code = 'strategy-not-started';
  override readonly name = 'WorkerStartError';
  readonly failure: StartFailure | undefined;

  constructor(message: string, failure?: StartFailure) {
    super(message, failure === undefined || failure.stack === '' ? {} : { cause: failure.stack });
    this.failure = failure;
  }
}
