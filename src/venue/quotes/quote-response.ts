import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { decodeMessage, encodeMessage } from '../../wire/message.ts';
import { SOCKET_REFUSALS, type SocketRefusal, type SocketRefusalName } from '../../wire/socket-status.ts';
import type { SocketConnection } from '../server/socket-connection.ts';
import type { SocketSession } from '../server/socket-sessions.ts';

/** Answer of the quote socket to one request; `afterwards` runs once the answer is sent. */
export type QuoteResponse<Response extends DescMessage> =
  | { readonly kind: 'answer'; readonly fields: MessageInitShape<Response>; readonly afterwards?: () => void }
  | { readonly kind: 'refusal'; readonly refusal: SocketRefusal };

export type EncodedResponse =
  | { readonly kind: 'answer'; readonly body: Uint8Array; readonly afterwards?: () => void }
  | { readonly kind: 'refusal'; readonly refusal: SocketRefusal };

export interface Caller {
  readonly session: Pick<SocketSession, 'accountId'> | undefined;
}

/** One command of the quote socket. `Who`: the facts it needs about the caller. */
export interface QuoteCommand<Who = SocketConnection> {
  readonly code: number;
  /** Throws WireError if the body cannot be decoded. */
  readonly handle: (body: Uint8Array, who: Who) => EncodedResponse;
}

export function respondWith<Response extends DescMessage>(
  fields: MessageInitShape<Response>,
): QuoteResponse<Response> {
  return { kind: 'answer', fields };
}

/** Returns a refusal of the table, optionally with a more precise message. */
export function refuse(
  name: SocketRefusalName,
  message?: string,
): { readonly kind: 'refusal'; readonly refusal: SocketRefusal } {
  const refusal = SOCKET_REFUSALS[name];
  return { kind: 'refusal', refusal: message === undefined ? refusal : { ...refusal, message } };
}

export function onRequest<Request extends DescMessage, Response extends DescMessage, Who = Caller>(
  command: { readonly code: number; readonly request: Request; readonly response: Response },
  reply: (message: MessageShape<Request>, who: Who) => QuoteResponse<Response>,
): QuoteCommand<Who> {
  const { code, request, response } = command;
  return { code, handle: (body, who) => encoded(response, reply(decodeMessage(request, body), who)) };
}

export function onEmptyRequest<Response extends DescMessage>(
  command: { readonly code: number; readonly response: Response },
  reply: () => QuoteResponse<Response>,
): QuoteCommand<unknown> {
  return { code: command.code, handle: () => encoded(command.response, reply()) };
}

function encoded<Response extends DescMessage>(
  schema: Response,
  answer: QuoteResponse<Response>,
): EncodedResponse {
  if (answer.kind === 'refusal') return answer;
  const body = encodeMessage(schema, answer.fields);
  return answer.afterwards === undefined
    ? { kind: 'answer', body }
    : { kind: 'answer', body, afterwards: answer.afterwards };
}
