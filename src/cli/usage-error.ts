/** The command line is invalid; the message states what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
