import { MINUTE_MS, SECOND_MS } from '../../model/time.ts';

/** Maximum number of socket connections per account. @see docs/wire-protocol.md, "A signed request" */
export const CONNECTIONS_PER_ACCOUNT = 10;

/**
 * Maximum size in bytes of a body that submits or replaces an order, and of any other. @see docs/reliability.md, S-19
 */
export const ORDER_BODY_BYTES = 16_384;
export const BODY_BYTES = 65_536;

/** Maximum size of a request target in bytes. @see docs/wire-protocol.md, "Calls" */
export const TARGET_BYTES = 8_192;

/**
 * Maximum time for the headers, for a whole request, and between two requests.
 * @see docs/reliability.md, S-20
 */
export const HEADERS_TIMEOUT_MS = 10 * SECOND_MS;
export const REQUEST_TIMEOUT_MS = 30 * SECOND_MS;
export const IDLE_TIMEOUT_MS = 5 * SECOND_MS;

/** Maximum number of connections per address, and in total. @see docs/reliability.md, S-20 */
export const CONNECTIONS_PER_ADDRESS = 64;
export const CONNECTIONS_MAX = 256;

/** Maximum size of a socket message in bytes. */
export const MESSAGE_BYTES = 1_048_576;

/** Maximum number of fragments of a socket message. @see docs/reliability.md, S-21 */
export const MESSAGE_FRAGMENTS = 1_024;

/**
 * Queued bytes above which a slow client is dropped, and above which quotes are conflated.
 * @see docs/reliability.md, S-21
 */
export const QUEUE_BYTES = 1_048_576;
export const CONFLATE_BYTES = 65_536;

/**
 * Published limit of one command of the quote socket.
 * @see docs/wire-protocol.md, "The sockets"
 */
export interface CommandLimit {
  /** Calls per second. */
  readonly limit: number;
  /** Burst size in calls. */
  readonly burst: number;
}

/** Limits of quote socket commands; history has its own. @see docs/wire-protocol.md, "Calls" */
export const QUOTE_LIMIT: CommandLimit = { limit: 10, burst: 10 };
export const HISTORY_LIMIT: CommandLimit = { limit: 2, burst: 60 };

/**
 * Maximum number of messages per client and second of machine time. It exceeds the sum of all announced limits, so a
 * client that respects them is never cut. Not enforced if call limits are off. @see docs/reliability.md, S-21
 */
export const MESSAGES_PER_SECOND = 600;

/** The same in a stepped market, where a bot may process weeks in a second. */
export const STEPPED_MESSAGES_PER_SECOND = 20_000;

/** Maximum number of pings per client and second of machine time. @see docs/reliability.md, S-21 */
export const PINGS_PER_SECOND = 100;

/** Maximum time until login. @see docs/reliability.md, S-21 */
export const LOGIN_TIMEOUT_MS = 5 * SECOND_MS;

/**
 * Ping interval; a client that did not answer the previous ping is dropped. @see docs/wire-protocol.md, "The sockets"
 */
export const PING_INTERVAL_MS = 15 * SECOND_MS;

/** Time that clients have to disconnect when the venue closes. */
export const CLOSE_TIMEOUT_MS = SECOND_MS;

/** Minimum time for which signed requests are remembered if the clock is not checked. */
export const REPLAY_MEMORY_MS = 5 * MINUTE_MS;

/** Maximum number of calls per address and second of machine time. @see docs/wire-protocol.md, "Calls" */
export const CALLS_PER_ADDRESS = 100;
