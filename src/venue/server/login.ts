import { SECOND_MS } from '../../model/time.ts';
import { CONTROL_COMMANDS } from '../../wire/commands.ts';
import type { RequestFrame } from '../../wire/frame.ts';
import { AuthRequestSchema, AuthResponseSchema, ReconnectRequestSchema } from '../../wire/gen/control_pb.ts';
import { decodeMessage, encodeMessage } from '../../wire/message.ts';
import { RESPONSE_STATUS, SOCKET_REFUSALS } from '../../wire/socket-status.ts';
import { languageOf } from '../calls/language.ts';
import type { ReplyFault } from '../faults/fault-specs.ts';
import type { Faults } from '../faults/faults.ts';
import { CONNECTIONS_PER_ACCOUNT } from './limits.ts';
import type { SocketConnection } from './socket-connection.ts';
import { SESSION_LIFE_MS, type SocketSession, type SocketSessions } from './socket-sessions.ts';

export interface LoginParts {
  readonly sessions: SocketSessions;
  /** Returns the number of the account's logged-in connections. */
  readonly online: (accountId: string) => number;
  readonly faults: Pick<Faults, 'onReply'>;
}

/**
 * Answers the commands common to both sockets: auth, reconnect and heartbeat. Returns false for a business command of
 * a logged-in connection, which its service handles. Throws WireError if a body cannot be decoded.
 */
export function serveControl(
  connection: SocketConnection,
  request: RequestFrame,
  parts: LoginParts,
): boolean {
  switch (request.command) {
    case CONTROL_COMMANDS.auth.code: {
      const { token, metadata } = decodeMessage(AuthRequestSchema, request.body);
      logIn(connection, request, { metadata, ...parts, begin: () => parts.sessions.open(token) });
      return true;
    }
    case CONTROL_COMMANDS.reconnect.code: {
      const { sessionId, metadata } = decodeMessage(ReconnectRequestSchema, request.body);
      logIn(connection, request, { metadata, ...parts, begin: () => parts.sessions.resume(sessionId) });
      return true;
    }
  }
  if (connection.session === undefined) {
    connection.refuse(request, SOCKET_REFUSALS.unauthenticated);
    return true;
  }
  if (request.command !== CONTROL_COMMANDS.heartbeat.code) return false;
  connection.respond(request, request.body);
  return true;
}

interface LoginAttempt {
  readonly metadata: Readonly<Record<string, string>>;
  readonly begin: () => SocketSession | undefined;
  readonly online: (accountId: string) => number;
  readonly faults: Pick<Faults, 'onReply'>;
}

/**
 * Logs a connection in. The attempt consumes the password or session, even if the account has too many connections.
 */
function logIn(
  connection: SocketConnection,
  request: RequestFrame,
  { metadata, begin, online, faults }: LoginAttempt,
): void {
  const session = connection.session === undefined ? begin() : undefined;
  if (session === undefined) {
    connection.refuse(request, SOCKET_REFUSALS.unauthenticated);
    return;
  }
  const connections = online(session.accountId) + 1;
  if (connections > CONNECTIONS_PER_ACCOUNT) {
    const message = `connections limitation is hit: want at most ${CONNECTIONS_PER_ACCOUNT}`;
    connection.refuse(request, {
      ...SOCKET_REFUSALS.noAccess,
      status: RESPONSE_STATUS.permissionDenied,
      message,
    });
    return;
  }
  connection.session = session;
  connection.language = languageOf(metadata['accept-language']);
  const fault = faults.onReply('venue.expires', { side: connection.side });
  const expires = BigInt(
    fault === undefined ? session.expiresAt : otherExpiry(fault.form, session.expiresAt),
  );
  const fields = { sessionId: session.id, expires, limit: CONNECTIONS_PER_ACCOUNT, online: connections };
  connection.respond(request, encodeMessage(AuthResponseSchema, fields));
}

/** Returns the session's expiry in another server's format. */
function otherExpiry(
  form: Extract<ReplyFault, { knob: 'venue.expires' }>['form'],
  expiresAt: number,
): number {
  switch (form) {
    case 'absolute-s':
      return Math.floor(expiresAt / SECOND_MS);
    case 'relative-ms':
      return SESSION_LIFE_MS;
    case 'relative-s':
      return SESSION_LIFE_MS / SECOND_MS;
    case 'zero':
      return 0;
    case 'far':
      return expiresAt * 1_000;
  }
}
