import type { JsonValue } from '@bufbuild/protobuf';
import { dayOf } from '../../markets/sessions.ts';
import { parseOptionSymbol } from '../../model/option-symbol.ts';
import { marketOf, parseSymbol } from '../../model/symbol.ts';
import { DAY_MS, dayToUtc, type Millis } from '../../model/time.ts';
import type { QuoteCommands } from '../../wire/commands.ts';
import { decodeMessage } from '../../wire/message.ts';
import {
  type HttpQuoteName,
  OPTION_CONTRACTS_PATH,
  QUOTE_PATHS,
  requestFromJson,
  responseToJson,
} from '../../wire/quote-paths.ts';
import { RESPONSE_STATUS, SOCKET_REFUSALS, type SocketRefusal } from '../../wire/socket-status.ts';
import { WireError } from '../../wire/wire-error.ts';
import { type CallResult, ok } from '../calls/call.ts';
import type { EncodedResponse } from './quote-response.ts';

export type CallQuoteService = (code: number, body: Uint8Array, accountId: string) => EncodedResponse;

/** Paths of quotes over HTTP; the method is POST. */
export const PULL_PATHS: readonly string[] = [...Object.keys(QUOTE_PATHS), OPTION_CONTRACTS_PATH];

const TOO_MANY_CALLS = 429;
const BAD_PARAMETERS = 400;
const INTERNAL_ERROR = 500;

/** Answers quote requests over HTTP with the commands of the quote socket. @see QUOTE_PATHS */
export function httpPulls(commands: QuoteCommands, ask: CallQuoteService, now: () => Millis) {
  const byPath: Readonly<Record<string, HttpQuoteName>> = QUOTE_PATHS;
  return (path: string, bodyText: string, accountId: string): CallResult => {
    const name = path === OPTION_CONTRACTS_PATH ? 'optionChainStrikes' : byPath[path];
    if (name === undefined) return refusal(SOCKET_REFUSALS.invalidRequest);
    const command = commands[name];
    try {
      const answer = ask(command.code, requestFromJson(command, jsonOf(bodyText)), accountId);
      if (answer.kind === 'refusal') return refusal(answer.refusal);
      if (name === 'optionChainStrikes') return ok({ list: contracts(commands, answer.body, now()) });
      return ok(Object(responseToJson(command, answer.body)));
    } catch (error) {
      if (error instanceof WireError) return refusal(SOCKET_REFUSALS.invalidRequest);
      throw error;
    }
  };
}

function jsonOf(text: string): JsonValue {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw new WireError('bad-message', 'Cannot read the body as JSON', { cause });
  }
}

function refusal({ status, code, message }: SocketRefusal): CallResult {
  const http =
    code === SOCKET_REFUSALS.rateLimited.code
      ? TOO_MANY_CALLS
      : code === SOCKET_REFUSALS.serverError.code && status === RESPONSE_STATUS.serverError
        ? INTERNAL_ERROR
        : BAD_PARAMETERS;
  return { kind: 'refused', code, message, status: http };
}

/** Lists both sides of each strike as single contracts; empty texts mean a monthly expiry and a standard contract. */
function contracts(commands: QuoteCommands, body: Uint8Array, now: Millis) {
  const { strikePriceInfo } = decodeMessage(commands.optionChainStrikes.response, body);
  return strikePriceInfo.flatMap(({ callSymbol, putSymbol }) =>
    [callSymbol, putSymbol].flatMap((text) => {
      const symbol = parseSymbol(text);
      const terms = symbol === undefined ? undefined : parseOptionSymbol(symbol);
      if (symbol === undefined || terms === undefined) return [];
      const today = dayOf(marketOf(symbol), now);
      return [
        {
          symbol,
          expiry_date: terms.expiry.replaceAll('-', ''),
          strike_price: terms.strike.toFixed(),
          direction: terms.right === 'call' ? 'C' : 'P',
          option_type: '',
          standard_attr: '',
          days_to_expiry: Math.max(0, Math.round((dayToUtc(terms.expiry) - dayToUtc(today)) / DAY_MS)),
        },
      ];
    }),
  );
}
