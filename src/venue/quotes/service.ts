import type { RequestFrame } from '../../wire/frame.ts';
import type { SocketConnection } from '../server/socket-connection.ts';

/** Handles the business commands of one socket after its login. */
export interface SocketService {
  /** Answers a request; throws WireError if its body cannot be read. */
  serve(connection: SocketConnection, request: RequestFrame): void;
  /** Called when a congested connection can send again. */
  drained(connection: SocketConnection): void;
  /** Called when the connection has ended. */
  forget(connection: SocketConnection): void;
}
