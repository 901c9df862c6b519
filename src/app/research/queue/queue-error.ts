/** The queue of a sweep cannot be used: no server, no right, other settings, or another sweep in the way. Names no secret. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
  readonly code = 'queue';
}
