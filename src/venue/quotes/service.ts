import type { RequestFrame } from '../../wire/frame.ts';
import type { SocketConnection } from '../server/socket-connection.ts';

/** Who deals with the business commands of one socket, once a line has logged in. */
export interface SocketService {
  /** Answers on the line; throws WireError when the body cannot be read. */
  serve(line: SocketConnection, request: RequestFrame): void;
  /** A line that was congested can take more. */
  drained(line: SocketConnection): void;
  /** The line is gone. */
  forget(line: SocketConnection): void;
}
