import type { Socket } from 'node:net';
import type { Clock } from '../../ports/clock.ts';
import { failure } from '../../wire/envelope.ts';
import { closeGracefully } from '../server/close-gracefully.ts';

const BAD_PARAMETERS = 602001;

/** Reasons why Node could not parse a request, by Node's error code; any other error means that it is not HTTP. */
const REASONS: Readonly<Record<string, { readonly status: string; readonly reason: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', reason: 'the request took too long' },
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', reason: 'the headers are too long' },
};
const NOT_HTTP = { status: '400 Bad Request', reason: 'the bytes are no HTTP/1.1 request' };

/** Answers unparsable bytes with an error envelope and closes the connection. */
export function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Socket, machine: Clock): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, reason } = REASONS[error.code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify(failure(BAD_PARAMETERS, `Cannot read the request: ${reason}`));
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8`;
  closeGracefully(socket, `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, machine);
}
