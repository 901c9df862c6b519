/** The limits of a strategy in a worker thread. Times are its running time: waiting for a busy machine does not count, up to ten times the limit. */
export interface WorkerLimits {
  /** Longest until the thread has loaded the strategy, machine milliseconds. */
  readonly startMsMax: number;
  /** Longest that one answer may take, machine milliseconds. */
  readonly answerMsMax: number;
  /** Most memory that the strategy may hold once it answered, in bytes. */
  readonly heldBytesMax: number;
  /** Most memory in use, garbage included, while it answers, in bytes. */
  readonly workingBytesMax: number;
  /** Most characters that it may write to its console per question. */
  readonly outputCharsMax: number;
  /** Most questions in line, the one that is being answered among them. */
  readonly questionsMax: number;
}

/** The default limits. */
export const WORKER_LIMITS: WorkerLimits = {
  startMsMax: 10_000,
  answerMsMax: 500,
  heldBytesMax: 128 * 2 ** 20,
  workingBytesMax: 512 * 2 ** 20,
  outputCharsMax: 65_536,
  questionsMax: 1_000,
};
