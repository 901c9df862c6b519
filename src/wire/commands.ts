import type { DescMessage } from '@bufbuild/protobuf';
import {
  AuthRequestSchema,
  AuthResponseSchema,
  CloseSchema,
  HeartbeatSchema,
  ReconnectRequestSchema,
  ReconnectResponseSchema,
} from './gen/control_pb.ts';
import { SecurityProvenanceResponseSchema } from './gen/provenance_pb.ts';
import * as quote from './gen/quote_pb.ts';
import {
  NotificationSchema,
  SubResponseSchema,
  SubSchema,
  UnsubResponseSchema,
  UnsubSchema,
} from './gen/trade_pb.ts';
import type { WireProfile } from './profiles.ts';

/** A request and its response. `request` is undefined if the request has no body. */
export interface RequestCommand {
  readonly kind: 'request';
  readonly code: number;
  readonly request: DescMessage | undefined;
  readonly response: DescMessage;
}

export interface PushCommand {
  readonly kind: 'push';
  readonly code: number;
  readonly push: DescMessage;
}

export type Command = RequestCommand | PushCommand;

function requestCommand<Request extends DescMessage | undefined, Response extends DescMessage>(
  code: number,
  request: Request,
  response: Response,
) {
  return { kind: 'request', code, request, response } as const;
}

function pushCommand<Push extends DescMessage>(code: number, push: Push) {
  return { kind: 'push', code, push } as const;
}

/** Commands of both sockets. @see docs/wire-protocol.md, "The sockets" */
export const CONTROL_COMMANDS = {
  close: pushCommand(0, CloseSchema),
  heartbeat: requestCommand(1, HeartbeatSchema, HeartbeatSchema),
  auth: requestCommand(2, AuthRequestSchema, AuthResponseSchema),
  reconnect: requestCommand(3, ReconnectRequestSchema, ReconnectResponseSchema),
} as const satisfies Readonly<Record<string, Command>>;

/** Commands of the trade socket. @see docs/wire-protocol.md, "The sockets" */
export const TRADE_COMMANDS = {
  subscribe: requestCommand(16, SubSchema, SubResponseSchema),
  unsubscribe: requestCommand(17, UnsubSchema, UnsubResponseSchema),
  notify: pushCommand(18, NotificationSchema),
} as const satisfies Readonly<Record<string, Command>>;

const MULTI = quote.MultiSecurityRequestSchema;
const SINGLE = quote.SecurityRequestSchema;

/** Static info (10), decoded only for Sluice's own addition: the provenance of prices. */
export const PROVENANCE_COMMAND = requestCommand(10, MULTI, SecurityProvenanceResponseSchema);

/**
 * Returns the commands of the quote socket; the profile assigns the codes 24 and 25.
 * @see docs/wire-protocol.md, "The sockets"
 */
export function quoteCommands(profile: WireProfile) {
  return {
    userQuoteProfile: requestCommand(
      4,
      quote.UserQuoteProfileRequestSchema,
      quote.UserQuoteProfileResponseSchema,
    ),
    subscriptions: requestCommand(5, quote.SubscriptionRequestSchema, quote.SubscriptionResponseSchema),
    subscribe: requestCommand(6, quote.SubscribeRequestSchema, quote.SubscriptionResponseSchema),
    unsubscribe: requestCommand(7, quote.UnsubscribeRequestSchema, quote.UnsubscribeResponseSchema),
    marketTradePeriod: requestCommand(8, undefined, quote.MarketTradePeriodResponseSchema),
    marketTradeDay: requestCommand(9, quote.MarketTradeDayRequestSchema, quote.MarketTradeDayResponseSchema),
    staticInfo: requestCommand(10, MULTI, quote.SecurityStaticInfoResponseSchema),
    securityQuote: requestCommand(11, MULTI, quote.SecurityQuoteResponseSchema),
    optionQuote: requestCommand(12, MULTI, quote.OptionQuoteResponseSchema),
    warrantQuote: requestCommand(13, MULTI, quote.WarrantQuoteResponseSchema),
    depth: requestCommand(14, SINGLE, quote.SecurityDepthResponseSchema),
    brokers: requestCommand(15, SINGLE, quote.SecurityBrokersResponseSchema),
    participants: requestCommand(16, undefined, quote.ParticipantBrokerIdsResponseSchema),
    trades: requestCommand(17, quote.SecurityTradeRequestSchema, quote.SecurityTradeResponseSchema),
    intraday: requestCommand(18, quote.SecurityIntradayRequestSchema, quote.SecurityIntradayResponseSchema),
    candlesticks: requestCommand(
      19,
      quote.SecurityCandlestickRequestSchema,
      quote.SecurityCandlestickResponseSchema,
    ),
    optionChainDates: requestCommand(20, SINGLE, quote.OptionChainDateListResponseSchema),
    optionChainStrikes: requestCommand(
      21,
      quote.OptionChainDateStrikeInfoRequestSchema,
      quote.OptionChainDateStrikeInfoResponseSchema,
    ),
    warrantIssuers: requestCommand(22, undefined, quote.IssuerInfoResponseSchema),
    warrantFilter: requestCommand(
      23,
      quote.WarrantFilterListRequestSchema,
      quote.WarrantFilterListResponseSchema,
    ),
    capitalFlow: requestCommand(
      profile.capitalFlowCommand,
      quote.CapitalFlowIntradayRequestSchema,
      quote.CapitalFlowIntradayResponseSchema,
    ),
    capitalDistribution: requestCommand(
      profile.capitalDistributionCommand,
      SINGLE,
      quote.CapitalDistributionResponseSchema,
    ),
    calcIndexes: requestCommand(
      26,
      quote.SecurityCalcQuoteRequestSchema,
      quote.SecurityCalcQuoteResponseSchema,
    ),
    historyCandlesticks: requestCommand(
      27,
      quote.SecurityHistoryCandlestickRequestSchema,
      quote.SecurityCandlestickResponseSchema,
    ),
    pushQuote: pushCommand(101, quote.PushQuoteSchema),
    pushDepth: pushCommand(102, quote.PushDepthSchema),
    pushBrokers: pushCommand(103, quote.PushBrokersSchema),
    pushTrade: pushCommand(104, quote.PushTradeSchema),
  } as const satisfies Readonly<Record<string, Command>>;
}

export type QuoteCommands = ReturnType<typeof quoteCommands>;
export type QuoteCommandName = keyof QuoteCommands;

export function commandByCode<Table extends Readonly<Record<string, Command>>>(
  table: Table,
  code: number,
): { readonly name: keyof Table & string; readonly command: Command } | undefined {
  for (const [name, command] of Object.entries(table)) {
    if (command.code === code) return { name, command };
  }
  return undefined;
}
