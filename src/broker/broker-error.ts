/** Stable code of a failure between us and the venue, for alarms and tests. */
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
  /** True if the same request may be repeated unchanged. */
  readonly retryable: boolean;
  /** The venue's own code, if it gave one. */
  readonly venueCode?: number;
  readonly cause?: unknown;
}

/**
 * Thrown if the venue cannot be reached, refuses us, or sends something unreadable. Refusals of orders are values,
 * never this error. The text contains no secret.
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
