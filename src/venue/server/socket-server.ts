import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { millis } from '../../model/time.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { decodeFrame } from '../../wire/frame.ts';
import { Close_Code, HeartbeatSchema } from '../../wire/gen/control_pb.ts';
import { encodeMessage } from '../../wire/message.ts';
import { HANDSHAKE_QUERY, SOCKET_REFUSALS } from '../../wire/socket-status.ts';
import { WireError } from '../../wire/wire-error.ts';
import type { Faults } from '../faults/faults.ts';
import type { FaultReport } from '../venue-options.ts';
import { closeGracefully } from './close-gracefully.ts';
import type { ConnectionGate } from './connection-gate.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import {
  CLOSE_TIMEOUT_MS,
  LOGIN_TIMEOUT_MS,
  MESSAGE_BYTES,
  MESSAGE_FRAGMENTS,
  PING_INTERVAL_MS,
  PINGS_PER_SECOND,
} from './limits.ts';
import { serveControl } from './login.ts';
import type { PushCounts, SocketSide } from './push-counts.ts';
import { SocketConnection } from './socket-connection.ts';
import type { SocketService } from './socket-service.ts';
import type { SocketSessions } from './socket-sessions.ts';

/** Paths of the two sockets on the venue's port. */
export const SOCKET_PATHS: Readonly<Record<SocketSide, string>> = { quote: '/quote', trade: '/trade' };

export interface SocketParts {
  readonly services: Readonly<Record<SocketSide, SocketService>>;
  readonly sessions: SocketSessions;
  readonly counts: PushCounts;
  readonly machine: Clock;
  readonly messagesPerSecond: number;
  readonly faults: Faults;
  readonly connectionGate: Pick<ConnectionGate, 'admits'>;
  readonly connectionLimiter: Pick<ConnectionLimiter, 'markAuthenticated'>;
  readonly onFault: FaultReport;
  /** Called before and after a request is served. */
  readonly marketSync: { readonly before: () => void; readonly after: () => void };
}

const GOING_AWAY = 1001;
const PROTOCOL_ERROR = 1002;
const UNSUPPORTED_DATA = 1003;
const POLICY_VIOLATION = 1008;

export class SocketServer {
  readonly #parts: SocketParts;
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES,
    maxFragments: MESSAGE_FRAGMENTS,
  });
  readonly #connections = new Map<SocketConnection, WebSocket>();
  #nextPing: Cancel;

  constructor(parts: SocketParts) {
    this.#parts = parts;
    this.#nextPing = this.#planPings();
  }

  attach(server: Server): void {
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  online(accountId: string): number {
    let count = 0;
    for (const connection of this.#connections.keys())
      if (connection.session?.accountId === accountId) count += 1;
    return count;
  }

  /** Cuts every connection of a side, or of both, without a close frame; returns their number. */
  cut(side: SocketSide | undefined): number {
    const connections = [...this.#connections.keys()].filter(
      (connection) => side === undefined || connection.side === side,
    );
    for (const connection of connections) connection.cut();
    return connections.length;
  }

  /** Closes every connection of a side, or of both, with a reason. */
  closeAll(side: SocketSide | undefined, code: Close_Code): void {
    for (const connection of [...this.#connections.keys()]) {
      if (side === undefined || connection.side === side)
        connection.closeWithReason(code, 'closed by the operator', POLICY_VIOLATION);
    }
  }

  /** Closes every connection with a shutdown reason, and resolves when all are closed. */
  async close(): Promise<void> {
    this.#nextPing();
    const allClosed = [...this.#connections].map(([connection, socket]) => {
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      connection.closeWithReason(Close_Code.ServerShutdown, 'the venue closes', GOING_AWAY);
      return closed;
    });
    const { machine } = this.#parts;
    const cancel = machine.at(millis(machine.now() + CLOSE_TIMEOUT_MS), 'timer', () => {
      for (const connection of this.#connections.keys()) connection.cut();
    });
    await Promise.all(allClosed);
    cancel();
    this.#server.close();
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { machine } = this.#parts;
    const [path, query] = (request.url ?? '').split('?', 2);
    const side = sideOf(path ?? '');
    const parameters = new URLSearchParams(query ?? '');
    const hasProtocolParameters = Object.entries(HANDSHAKE_QUERY).every(
      ([name, value]) => parameters.get(name) === value,
    );
    const { onlyDocumented } = this.#parts.faults;
    if (side === undefined || (side === 'trade' && onlyDocumented)) {
      const reason = onlyDocumented
        ? `want ${SOCKET_PATHS.quote}`
        : `want ${Object.values(SOCKET_PATHS).join(' or ')}`;
      refuseUpgrade(socket, machine, { status: '404 Not Found', reason });
    } else if (!this.#parts.connectionGate.admits(side)) {
      socket.destroy();
    } else if (!hasProtocolParameters) {
      const reason = `want ${new URLSearchParams(HANDSHAKE_QUERY)} in the query`;
      refuseUpgrade(socket, machine, { status: '400 Bad Request', reason });
    } else {
      this.#server.handleUpgrade(request, socket, head, (webSocket) =>
        this.#open(side, webSocket, request.socket),
      );
    }
  }

  #open(side: SocketSide, socket: WebSocket, httpSocket: IncomingMessage['socket']): void {
    const { services, counts, machine, messagesPerSecond, faults } = this.#parts;
    const connection = new SocketConnection({
      side,
      socket,
      counts,
      faults,
      machine,
      drained: (drained) => services[side].onDrained(drained),
    });
    this.#connections.set(connection, socket);
    const cancelLoginTimeout = machine.at(millis(machine.now() + LOGIN_TIMEOUT_MS), 'timer', () => {
      if (connection.session === undefined)
        connection.closeWithReason(Close_Code.AuthError, 'no login in time', POLICY_VIOLATION);
    });
    const admits = (kind: 'message' | 'ping', perSecond: number): boolean => {
      if (connection.admits(kind, machine.now(), perSecond)) return true;
      connection.closeWithReason(Close_Code.ServerError, `too many ${kind}s`, POLICY_VIOLATION);
      return false;
    };
    socket.on('message', (data, isBinary) => {
      if (!admits('message', messagesPerSecond)) return;
      if (isBinary) {
        this.#receive(connection, data);
        if (connection.session !== undefined) this.#parts.connectionLimiter.markAuthenticated(httpSocket);
      } else connection.closeWithReason(Close_Code.UnpackError, 'text message', UNSUPPORTED_DATA);
    });
    socket.on('ping', () => admits('ping', PINGS_PER_SECOND));
    socket.on('pong', () => {
      connection.answersPings = true;
    });
    socket.on('error', () => connection.cut());
    socket.on('close', () => {
      cancelLoginTimeout();
      this.#connections.delete(connection);
      services[side].onClosed(connection);
    });
  }

  #receive(connection: SocketConnection, data: RawData): void {
    const frame = decodeFrame(bytesOf(data));
    if (frame.kind !== 'request') {
      const reason = frame.kind === 'broken' ? frame.code : `a ${frame.kind} from a client`;
      connection.closeWithReason(Close_Code.UnpackError, reason, PROTOCOL_ERROR);
      return;
    }
    this.#parts.marketSync.before();
    try {
      const online = (accountId: string): number => this.online(accountId);
      const { sessions, services, faults } = this.#parts;
      if (!serveControl(connection, frame, { sessions, online, faults }))
        services[connection.side].serve(connection, frame);
    } catch (error) {
      const unreadable = error instanceof WireError;
      connection.refuse(frame, unreadable ? SOCKET_REFUSALS.invalidRequest : SOCKET_REFUSALS.serverError);
      if (!unreadable) this.#parts.onFault(error);
    }
    this.#parts.marketSync.after();
  }

  #planPings(): Cancel {
    const { machine } = this.#parts;
    return machine.at(millis(machine.now() + PING_INTERVAL_MS), 'timer', () => {
      this.#pingAll();
      this.#nextPing = this.#planPings();
    });
  }

  #pingAll(): void {
    const now = this.#parts.machine.now();
    const payload = encodeMessage(HeartbeatSchema, { timestamp: BigInt(now) });
    for (const connection of [...this.#connections.keys()]) {
      if (!connection.answersPings) {
        connection.closeWithReason(Close_Code.HeartbeatTimeout, 'no pong', POLICY_VIOLATION);
        connection.cut();
      } else if (connection.session !== undefined && connection.session.expiresAt <= now) {
        connection.closeWithReason(Close_Code.SessExpired, 'session expired', POLICY_VIOLATION);
      } else connection.ping(payload);
    }
  }
}

/** Returns the side of a path; clients may append a version, as for the live service. */
function sideOf(path: string): SocketSide | undefined {
  const sides = ['quote', 'trade'] as const;
  return sides.find((side) => path === SOCKET_PATHS[side] || path.startsWith(`${SOCKET_PATHS[side]}/`));
}

function refuseUpgrade(
  socket: Duplex,
  machine: Clock,
  { status, reason }: { readonly status: string; readonly reason: string },
): void {
  const body = `Cannot open this socket: ${reason}\n`;
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n`;
  closeGracefully(socket, head + body, machine);
}

function bytesOf(data: RawData): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return Array.isArray(data) ? Buffer.concat(data) : data;
}
