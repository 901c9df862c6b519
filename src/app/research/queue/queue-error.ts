/**
 * The queue of a sweep cannot be used: no server, no permission, other settings, or a conflicting sweep. Contains no
 * secret.
 */
export class QueueError extends Error {
  override readonly name = 'QueueError';
  readonly code = 'queue';
}
