import type { RequestFrame } from '../../wire/frame.ts';
import type { SocketConnection } from '../server/socket-connection.ts';

/** Handles the business commands of one socket after its login. */
export interface SocketService {
  /** Answers on the line; throws WireError when the body cannot be read. */
  serve(line: SocketConnection, request: RequestFrame): void;
  /** A line that was congested can take more. */
  drained(line: SocketConnection): void;
  /** The line is gone. */
  forget(line: SocketConnection): void;
}
