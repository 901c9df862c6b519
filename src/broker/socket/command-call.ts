import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Observable } from 'rxjs';
import type { RequestCommand } from '../../wire/commands.ts';
import { decodeMessage, encodeMessage } from '../../wire/message.ts';

/** The request message of a command; undefined if its body is empty. */
export type FieldsOf<C extends RequestCommand> = C['request'] extends DescMessage
  ? MessageInitShape<C['request']>
  : undefined;

export type ResponseTo<C extends RequestCommand> = MessageShape<C['response']>;

/**
 * Sends one command over a socket. Cold; emits the answer and completes, or errors with BrokerError: refused, timed
 * out, connection lost, or an answer that cannot be read.
 */
export type SocketCall = <C extends RequestCommand>(
  command: C,
  fields: FieldsOf<C>,
) => Observable<ResponseTo<C>>;

const EMPTY_BODY = new Uint8Array(0);

export function encodeBody<C extends RequestCommand>(command: C, fields: FieldsOf<C>): Uint8Array {
  if (command.request === undefined) return EMPTY_BODY;
  return encodeMessage(command.request, fields as MessageInitShape<DescMessage>);
}

/** Throws WireError if the body is not such an answer. */
export function decodeBody<C extends RequestCommand>(command: C, body: Uint8Array): ResponseTo<C> {
  return decodeMessage(command.response, body) as ResponseTo<C>;
}
