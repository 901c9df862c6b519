import type { RequestFrame } from '../../wire/frame.ts';
import type { Line } from '../server/socket-connection.ts';

/** Who deals with the business commands of one socket, once a line has logged in. */
export interface Desk {
  /** Answers on the line; throws WireError when the body cannot be read. */
  serve(line: Line, request: RequestFrame): void;
  /** A line that was congested can take more. */
  drained(line: Line): void;
  /** The line is gone. */
  forget(line: Line): void;
}
