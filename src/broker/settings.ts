import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../model/time.ts';

/** All numeric settings of the client. Durations are milliseconds of machine time. */
export interface BrokerSettings {
  /** From the first attempt to connect to the last byte of the answer. */
  readonly submitDeadlineMs: number;
  readonly readDeadlineMs: number;
  /**
   * How long the connection of an unanswered submit is kept open after its deadline, and the maximum number of such
   * connections.
   */
  readonly lateAnswerMs: number;
  readonly lateAnswersMax: number;
  /** A submit, replace or cancel uses a connection that was idle for at most this time, otherwise a new one. */
  readonly idleMsMax: number;
  readonly readConnectionsMax: number;
  /** Maximum size of an answer to a change, and to a query: a list of the day has about 650 bytes per order. */
  readonly answerBytesMax: number;
  readonly listBytesMax: number;
  /** Maximum number of pages of one listing. */
  readonly pagesMax: number;

  /** How long `connect` repeats calls that the venue refuses because it received too many. */
  readonly connectRetryMs: number;
  readonly socketOpenMs: number;
  readonly socketAnswerMs: number;
  /** Interval of pings; a connection without data, ping and pong for `silenceMs` counts as dead. */
  readonly pingEveryMs: number;
  readonly silenceMs: number;
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  /** Duration of a connection after which the backoff restarts. */
  readonly stableMs: number;
  /** More drops than this within `flapWindowMs` raise an alarm. */
  readonly flapsMax: number;
  readonly flapWindowMs: number;
  /** Bounds of a session's duration, whatever the venue states. */
  readonly sessionMsMin: number;
  readonly sessionMsMax: number;

  /** Requests of the quote socket: maximum number in any `quoteWindowMs`, and at once. */
  readonly quoteCallsMax: number;
  readonly quoteWindowMs: number;
  readonly quoteInFlightMax: number;
  /** Maximum number of waiting requests. */
  readonly quoteWaitingMax: number;
}

/**
 * The quote socket allows 10 requests a second, counted where they arrive; 1.1 s leaves room for jitter on the way.
 * @see docs/wire-protocol.md, "Calls"; docs/reliability.md, I-17, F-N06, F-N10, F-N11, F-N12
 */
export const DEFAULT_BROKER_SETTINGS: BrokerSettings = {
  submitDeadlineMs: 5 * SECOND_MS,
  readDeadlineMs: 5 * SECOND_MS,
  lateAnswerMs: 10 * MINUTE_MS,
  lateAnswersMax: 16,
  idleMsMax: 2 * SECOND_MS,
  readConnectionsMax: 4,
  answerBytesMax: 4 * 1_048_576,
  listBytesMax: 32 * 1_048_576,
  pagesMax: 20,
  connectRetryMs: 0,
  socketOpenMs: 5 * SECOND_MS,
  socketAnswerMs: 10 * SECOND_MS,
  pingEveryMs: 4 * SECOND_MS,
  silenceMs: 10 * SECOND_MS,
  backoffFirstMs: 500,
  backoffMaxMs: 30 * SECOND_MS,
  stableMs: 30 * SECOND_MS,
  flapsMax: 5,
  flapWindowMs: 5 * MINUTE_MS,
  sessionMsMin: MINUTE_MS,
  sessionMsMax: 24 * HOUR_MS,
  quoteCallsMax: 10,
  quoteWindowMs: 1_100,
  quoteInFlightMax: 5,
  quoteWaitingMax: 1_000,
};
