/** A plugin could not be loaded in its thread, so nothing was started. */
export class WorkerStartError extends Error {
  readonly code = 'strategy-not-started';
  override readonly name = 'WorkerStartError';

  /** `stack` is that of what the author's code threw; empty when it threw nothing. */
  constructor(message: string, stack = '') {
    super(message, stack === '' ? {} : { cause: stack });
  }
}
