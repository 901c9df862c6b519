/** What went wrong with bytes or text of the wire; stable, so that alarms and tests can name it. */
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
 * Thrown when something cannot cross the wire: an answer that lacks what we need, a text that is no number,
 * a value that the protocol has no word for. `code` is stable, the message is for people.
 */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: WireErrorCode;

  constructor(code: WireErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
