import { MINUTE_MS, SECOND_MS } from '../../model/time.ts';

/** Socket connections that one account may have. @see docs/wire-protocol.md, "A signed request" */
export const CONNECTIONS_PER_ACCOUNT = 10;

/** Bytes of a body that places or changes an order, and of any other. @see docs/reliability.md, S-19 */
export const ORDER_BODY_BYTES = 16_384;
export const BODY_BYTES = 65_536;

/** Bytes of a request target. @see docs/wire-protocol.md, "Calls" */
export const TARGET_BYTES = 8_192;

/**
 * How long a client may take for its headers, for a whole request, and between two requests.
 * @see docs/reliability.md, S-20
 */
export const HEADERS_MS = 10 * SECOND_MS;
export const REQUEST_MS = 30 * SECOND_MS;
export const IDLE_MS = 5 * SECOND_MS;

/** Connections from one address, and in all. @see docs/reliability.md, S-20 */
export const CONNECTIONS_PER_ADDRESS = 64;
export const CONNECTIONS_MAX = 256;

/** Bytes of one socket message. */
export const MESSAGE_BYTES = 1_048_576;

/** Fragments that one socket message may come in. @see docs/reliability.md, S-21 */
export const MESSAGE_FRAGMENTS = 1_024;

/**
 * Bytes that wait for a slow client before it is dropped, and before quotes are conflated.
 * @see docs/reliability.md, S-21
 */
export const QUEUE_BYTES = 1_048_576;
export const CONFLATE_BYTES = 65_536;

/**
 * The published limit of one command of the quote socket.
 * @see docs/wire-protocol.md, "The sockets"
 */
export interface CommandLimit {
  /** Calls in a second. */
  readonly limit: number;
  /** Calls at once. */
  readonly burst: number;
}

/** Limits of the quote socket's commands; history has its own. @see docs/wire-protocol.md, "Calls" */
export const QUOTE_LIMIT: CommandLimit = { limit: 10, burst: 10 };
export const HISTORY_LIMIT: CommandLimit = { limit: 2, burst: 60 };

/**
 * Messages of one client in a second of machine time: more than all announced limits together admit, so a client that keeps
 * them is never cut. Not counted where call limits are off. @see docs/reliability.md, S-21
 */
export const MESSAGES_PER_SECOND = 600;

/** The same against a stepped market, whose bot goes through weeks in a second. */
export const STEPPED_MESSAGES_PER_SECOND = 20_000;

/** Pings of one client in a second of machine time. @see docs/reliability.md, S-21 */
export const PINGS_PER_SECOND = 100;

/** How long a socket may stay open without logging in. @see docs/reliability.md, S-21 */
export const LOGIN_MS = 5 * SECOND_MS;

/** Between two pings; a client that did not answer the one before is dropped. @see docs/wire-protocol.md, "The sockets" */
export const PING_EVERY_MS = 15 * SECOND_MS;

/** How long we wait for clients to hang up when the venue closes. */
export const FAREWELL_MS = SECOND_MS;

/** A signed request is remembered at least so long when the clock is not checked. */
export const REPLAY_MEMORY_MS = 5 * MINUTE_MS;

/** Calls from one address in a second of machine time. @see docs/wire-protocol.md, "Calls" */
export const CALLS_PER_ADDRESS = 100;
