import { CONTROL_COMMANDS } from '../wire/commands.ts';
import type { RequestFrame } from '../wire/frame.ts';
import { AuthRequestSchema, AuthResponseSchema, ReconnectRequestSchema } from '../wire/gen/control_pb.ts';
import { decodeMessage, encodeMessage } from '../wire/message.ts';
import { RESPONSE_STATUS, SOCKET_REFUSALS } from '../wire/socket-status.ts';
import { languageOf } from './language.ts';
import { CONNECTIONS_PER_ACCOUNT } from './limits.ts';
import type { Line } from './line.ts';
import type { SocketSession, SocketSessions } from './socket-sessions.ts';

/** What logging in on a socket is decided with. */
export interface LoginParts {
  readonly sessions: SocketSessions;
  /** Connections of the account that have logged in. */
  readonly online: (accountId: string) => number;
}

/**
 * Answers the commands that both sockets share: auth, reconnect and heartbeat. Returns false for a business command of a
 * line that has logged in, which is left to its desk. Throws WireError when a body cannot be read.
 */
export function serveControl(line: Line, request: RequestFrame, parts: LoginParts): boolean {
  switch (request.command) {
    case CONTROL_COMMANDS.auth.code: {
      const { token, metadata } = decodeMessage(AuthRequestSchema, request.body);
      logIn(line, request, { metadata, begin: () => parts.sessions.open(token), online: parts.online });
      return true;
    }
    case CONTROL_COMMANDS.reconnect.code: {
      const { sessionId, metadata } = decodeMessage(ReconnectRequestSchema, request.body);
      logIn(line, request, { metadata, begin: () => parts.sessions.resume(sessionId), online: parts.online });
      return true;
    }
  }
  if (line.session === undefined) {
    line.refuse(request, SOCKET_REFUSALS.unauthenticated);
    return true;
  }
  if (request.command !== CONTROL_COMMANDS.heartbeat.code) return false;
  line.respond(request, request.body);
  return true;
}

interface LoginAttempt {
  readonly metadata: Readonly<Record<string, string>>;
  readonly begin: () => SocketSession | undefined;
  readonly online: (accountId: string) => number;
}

/** A password or session is spent by trying, also when the account has too many connections already. */
function logIn(line: Line, request: RequestFrame, { metadata, begin, online }: LoginAttempt): void {
  const session = line.session === undefined ? begin() : undefined;
  if (session === undefined) {
    line.refuse(request, SOCKET_REFUSALS.unauthenticated);
    return;
  }
  const connections = online(session.accountId) + 1;
  if (connections > CONNECTIONS_PER_ACCOUNT) {
    const message = `connections limitation is hit: want at most ${CONNECTIONS_PER_ACCOUNT}`;
    line.refuse(request, {
      ...SOCKET_REFUSALS.noAccess,
      status: RESPONSE_STATUS.permissionDenied,
      message,
    });
    return;
  }
  line.session = session;
  line.language = languageOf(metadata['accept-language']);
  const expires = BigInt(session.expiresAt);
  const fields = { sessionId: session.id, expires, limit: CONNECTIONS_PER_ACCOUNT, online: connections };
  line.respond(request, encodeMessage(AuthResponseSchema, fields));
}
