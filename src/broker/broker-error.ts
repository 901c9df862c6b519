/** What went wrong between us and the venue; stable, so that alarms and tests can name it. */
export type BrokerErrorCode =
  | 'bad-option'
  | 'unsafe-address'
  | 'not-sent'
  | 'no-answer'
  | 'refused'
  | 'bad-answer'
  | 'socket-refused'
  | 'socket-lost'
  | 'socket-timeout'
  | 'duplicate-connection'
  | 'closed';

/** Details of a broker error in addition to its text. */
export interface BrokerErrorFacts {
  /** `GET /v1/test` or `quote socket, command 6`; never with parameters. */
  readonly endpoint: string;
  /** True when the same question may be asked again as it is. */
  readonly retryable: boolean;
  /** The venue's own code, when it gave one. */
  readonly venueCode?: number;
  readonly cause?: unknown;
}

/**
 * Thrown when the venue cannot be reached, refuses us, or answers something unreadable. Refusals of orders are values, never
 * this. The text names no secret.
 */
export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  readonly code: BrokerErrorCode;
  readonly endpoint: string;
  readonly retryable: boolean;
  readonly venueCode: number | undefined;

  constructor(code: BrokerErrorCode, message: string, facts: BrokerErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.endpoint = facts.endpoint;
    this.retryable = facts.retryable;
    this.venueCode = facts.venueCode;
  }
}
