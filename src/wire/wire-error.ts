/** Kind of error; stable, for alarms and tests. */
export type WireErrorCode =
  | 'bad-json'
  | 'bad-answer'
  | 'bad-value'
  | 'unknown-value'
  | 'not-writable'
  | 'bad-header'
  | 'bad-message'
  | 'frame-too-large';

/**
 * Error for data that cannot be encoded or decoded: a missing field, an invalid number, a value unknown to the
 * protocol. `code` is stable; the message is for people.
 */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: WireErrorCode;

  constructor(code: WireErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
