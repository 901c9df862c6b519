/** The limits of a plugin in a worker. Time limits count running time, up to ten times as much elapsed time. */
export interface WorkerLimits {
  /** Time limit for loading the plugin, machine milliseconds. */
  readonly startMsMax: number;
  /** Time limit of one answer, machine milliseconds. */
  readonly answerMsMax: number;
  /** Most memory that the plugin may hold after an answer, in bytes. */
  readonly heldBytesMax: number;
  /** Most memory in use during an answer, garbage included, in bytes. */
  readonly workingBytesMax: number;
  /** Most characters of console output per request. */
  readonly outputCharsMax: number;
  /** Most unanswered requests, the one in flight included. */
  readonly requestsMax: number;
}

export const WORKER_LIMITS: WorkerLimits = {
  startMsMax: 10_000,
  answerMsMax: 500,
  heldBytesMax: 128 * 2 ** 20,
  workingBytesMax: 512 * 2 ** 20,
  outputCharsMax: 65_536,
  requestsMax: 1_000,
};
