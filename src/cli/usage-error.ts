/** What was typed cannot be done as it was typed; the text says what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
