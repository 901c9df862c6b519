import type { RequestFrame } from '../../wire/frame.ts';
import type { SocketConnection } from './socket-connection.ts';

export interface SocketService {
  /** Answers a request. Throws WireError if its body cannot be decoded. */
  serve(connection: SocketConnection, request: RequestFrame): void;
  /** Called when a congested connection can send again. */
  onDrained(connection: SocketConnection): void;
  /** Called when the connection has ended. */
  onClosed(connection: SocketConnection): void;
}
