import type { Observable } from 'rxjs';
import {
  type Command,
  type QuoteCommandName,
  type QuoteCommands,
  quoteCommands,
  type RequestCommand,
} from '../../wire/commands.ts';
import type { WireProfile } from '../../wire/profiles.ts';
import type { FieldsOf, ResponseTo, SocketCall } from '../socket/command-call.ts';

/** Names of the query commands; the others are pushes. */
export type QuoteRequestName = {
  [Name in QuoteCommandName]: QuoteCommands[Name] extends RequestCommand ? Name : never;
}[QuoteCommandName];

type RequestOf<Name extends QuoteRequestName> = Extract<QuoteCommands[Name], RequestCommand>;
type Parameters<C extends RequestCommand> = C['request'] extends undefined ? [] : [fields: FieldsOf<C>];

/**
 * One method per command of the quote socket: depth, brokers, trades, candlesticks, capital flow and the rest.
 * Answers are the wire's own messages, decimals as text and times in Unix seconds. Each emits once; errors with
 * BrokerError. `subscribe` and `unsubscribe` change the subscriptions of the connection in addition to the feed's
 * quotes.
 */
export type QuoteApi = {
  readonly [Name in QuoteRequestName]: (
    ...parameters: Parameters<RequestOf<Name>>
  ) => Observable<ResponseTo<RequestOf<Name>>>;
};

/** @see docs/wire-protocol.md, "The sockets" */
export function createQuoteApi(call: SocketCall, profile: WireProfile): QuoteApi {
  const methods = Object.entries<Command>(quoteCommands(profile)).flatMap(([name, command]) =>
    command.kind === 'request' ? [[name, (fields?: never) => call(command, fields as never)] as const] : [],
  );
  return Object.fromEntries(methods) as unknown as QuoteApi;
}
