/**
 * Status byte of a response frame. 2, 4 and 8 are never sent; clients use them internally.
 * @see docs/wire-protocol.md, "Refusals on the socket"
 */
export const RESPONSE_STATUS = {
  success: 0,
  serverTimeout: 1,
  clientTimeout: 2,
  badRequest: 3,
  badResponse: 4,
  unauthenticated: 5,
  permissionDenied: 6,
  serverError: 7,
  clientError: 8,
} as const;

export type ResponseStatus = (typeof RESPONSE_STATUS)[keyof typeof RESPONSE_STATUS];

/** A refusal on the quote socket: status byte of the frame, and the body's code with its default text. */
export interface SocketRefusal {
  readonly status: ResponseStatus;
  readonly code: number;
  readonly message: string;
}

/** Business refusals of the quote socket. @see docs/wire-protocol.md, "Refusals on the socket", "Codes" */
export const SOCKET_REFUSALS = {
  invalidRequest: { status: RESPONSE_STATUS.badRequest, code: 301600, message: 'invalid request' },
  rateLimited: { status: RESPONSE_STATUS.badRequest, code: 301606, message: 'request rate limit' },
  badParameters: { status: RESPONSE_STATUS.serverError, code: 301600, message: 'invalid parameters' },
  unknownSymbol: { status: RESPONSE_STATUS.serverError, code: 301600, message: 'symbol not found' },
  serverError: { status: RESPONSE_STATUS.serverError, code: 301602, message: 'server error' },
  noQuotes: { status: RESPONSE_STATUS.serverError, code: 301603, message: 'no quotes' },
  noAccess: { status: RESPONSE_STATUS.serverError, code: 301604, message: 'no access' },
  tooManySubscriptions: {
    status: RESPONSE_STATUS.serverError,
    code: 301605,
    message: 'too many subscriptions',
  },
  tooMuchData: { status: RESPONSE_STATUS.serverError, code: 301607, message: 'too many items requested' },
  unauthenticated: { status: RESPONSE_STATUS.unauthenticated, code: 401003, message: 'unauthenticated' },
} as const satisfies Readonly<Record<string, SocketRefusal>>;

export type SocketRefusalName = keyof typeof SOCKET_REFUSALS;

/** Query that a client must append to the socket address. */
export const HANDSHAKE_QUERY = { version: '1', codec: '1', platform: '9' } as const;

/** Maximum number of symbols per request, and subscribed per user. */
export const MAX_SYMBOLS = 500;

/** Maximum number of bars or market trades per answer. */
export const MAX_ROWS = 1000;

/** The only topic of the trade socket. */
export const PRIVATE_TOPIC = 'private';
