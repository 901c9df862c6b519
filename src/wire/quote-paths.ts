import { type DescMessage, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import type { QuoteCommandName, QuoteCommands } from './commands.ts';
import { decodeMessage, encodeMessage } from './message.ts';
import { WireError } from './wire-error.ts';

/**
 * Commands of the quote socket that newer SDKs (longbridge 5) also send over HTTP: `POST` with the same message as
 * JSON, field names as in the schema, enums as numbers, 64-bit numbers as text. The answer's `data` is the command's
 * response in the same form.
 */
export const QUOTE_PATHS = {
  '/quote/static-info': 'staticInfo',
  '/quote/quotes': 'securityQuote',
  '/quote/options/quotes': 'optionQuote',
  '/quote/options/expiry-dates': 'optionChainDates',
  '/quote/warrants': 'warrantFilter',
  '/quote/warrants/quotes': 'warrantQuote',
  '/quote/warrants/issuers': 'warrantIssuers',
  '/quote/depth': 'depth',
  '/quote/brokers': 'brokers',
  '/quote/participants': 'participants',
  '/quote/trades': 'trades',
  '/quote/intraday': 'intraday',
  '/quote/candlesticks': 'candlesticks',
  '/quote/history-candlesticks': 'historyCandlesticks',
  '/quote/markets/trading-sessions': 'marketTradePeriod',
  '/quote/markets/trading-days': 'marketTradeDay',
  '/quote/capital-flow': 'capitalFlow',
  '/quote/capital-distribution': 'capitalDistribution',
  '/quote/calc-indexes': 'calcIndexes',
} as const satisfies Readonly<Record<string, QuoteCommandName>>;

/** Contracts of an option chain, one per row; the socket has only the paired rows of command 21. */
export const OPTION_CONTRACTS_PATH = '/v1/quote/options/strikes';

export type HttpQuoteName = (typeof QUOTE_PATHS)[keyof typeof QUOTE_PATHS] | 'optionChainStrikes';

/**
 * Encodes a JSON request as the body of a socket request. Throws WireError (`bad-message`) for an invalid request.
 */
export function requestFromJson(command: QuoteCommands[HttpQuoteName], json: JsonValue): Uint8Array {
  const schema: DescMessage | undefined = command.request;
  if (schema === undefined) return new Uint8Array();
  try {
    return encodeMessage(schema, fromJson(schema, json, { ignoreUnknownFields: true }));
  } catch (cause) {
    throw new WireError('bad-message', `Cannot read the body as ${schema.name}`, { cause });
  }
}

/** Decodes a socket response as JSON, including empty fields. */
export function responseToJson(command: QuoteCommands[HttpQuoteName], body: Uint8Array): JsonValue {
  const schema: DescMessage = command.response;
  return toJson(schema, decodeMessage(schema, body), {
    alwaysEmitImplicit: true,
    useProtoFieldName: true,
    enumAsInteger: true,
  });
}
