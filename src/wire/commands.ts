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

function ask<Request extends DescMessage | undefined, Response extends DescMessage>(
  code: number,
  request: Request,
  response: Response,
) {
  return { kind: 'request', code, request, response } as const;
}

function news<Push extends DescMessage>(code: number, push: Push) {
  return { kind: 'push', code, push } as const;
}

/** Commands of both sockets. @see docs/wire-protocol.md, "The sockets" */
export const CONTROL_COMMANDS = {
  close: news(0, CloseSchema),
  heartbeat: ask(1, HeartbeatSchema, HeartbeatSchema),
  auth: ask(2, AuthRequestSchema, AuthResponseSchema),
  reconnect: ask(3, ReconnectRequestSchema, ReconnectResponseSchema),
} as const satisfies Readonly<Record<string, Command>>;

/** Commands of the trade socket. @see docs/wire-protocol.md, "The sockets" */
export const TRADE_COMMANDS = {
  subscribe: ask(16, SubSchema, SubResponseSchema),
  unsubscribe: ask(17, UnsubSchema, UnsubResponseSchema),
  notify: news(18, NotificationSchema),
} as const satisfies Readonly<Record<string, Command>>;

const MULTI = quote.MultiSecurityRequestSchema;
const SINGLE = quote.SecurityRequestSchema;

/** Static info (10), decoded only for Sluice's own addition: the provenance of prices. */
export const PROVENANCE_COMMAND = ask(10, MULTI, SecurityProvenanceResponseSchema);

/**
 * Returns the commands of the quote socket; the profile assigns the codes 24 and 25.
 * @see docs/wire-protocol.md, "The sockets"
 */
export function quoteCommands(profile: WireProfile) {
  return {
    userQuoteProfile: ask(4, quote.UserQuoteProfileRequestSchema, quote.UserQuoteProfileResponseSchema),
    subscriptions: ask(5, quote.SubscriptionRequestSchema, quote.SubscriptionResponseSchema),
    subscribe: ask(6, quote.SubscribeRequestSchema, quote.SubscriptionResponseSchema),
    unsubscribe: ask(7, quote.UnsubscribeRequestSchema, quote.UnsubscribeResponseSchema),
    marketTradePeriod: ask(8, undefined, quote.MarketTradePeriodResponseSchema),
    marketTradeDay: ask(9, quote.MarketTradeDayRequestSchema, quote.MarketTradeDayResponseSchema),
    staticInfo: ask(10, MULTI, quote.SecurityStaticInfoResponseSchema),
    securityQuote: ask(11, MULTI, quote.SecurityQuoteResponseSchema),
    optionQuote: ask(12, MULTI, quote.OptionQuoteResponseSchema),
    warrantQuote: ask(13, MULTI, quote.WarrantQuoteResponseSchema),
    depth: ask(14, SINGLE, quote.SecurityDepthResponseSchema),
    brokers: ask(15, SINGLE, quote.SecurityBrokersResponseSchema),
    participants: ask(16, undefined, quote.ParticipantBrokerIdsResponseSchema),
    trades: ask(17, quote.SecurityTradeRequestSchema, quote.SecurityTradeResponseSchema),
    intraday: ask(18, quote.SecurityIntradayRequestSchema, quote.SecurityIntradayResponseSchema),
    candlesticks: ask(19, quote.SecurityCandlestickRequestSchema, quote.SecurityCandlestickResponseSchema),
    optionChainDates: ask(20, SINGLE, quote.OptionChainDateListResponseSchema),
    optionChainStrikes: ask(
      21,
      quote.OptionChainDateStrikeInfoRequestSchema,
      quote.OptionChainDateStrikeInfoResponseSchema,
    ),
    warrantIssuers: ask(22, undefined, quote.IssuerInfoResponseSchema),
    warrantFilter: ask(23, quote.WarrantFilterListRequestSchema, quote.WarrantFilterListResponseSchema),
    capitalFlow: ask(
      profile.capitalFlowCommand,
      quote.CapitalFlowIntradayRequestSchema,
      quote.CapitalFlowIntradayResponseSchema,
    ),
    capitalDistribution: ask(
      profile.capitalDistributionCommand,
      SINGLE,
      quote.CapitalDistributionResponseSchema,
    ),
    calcIndexes: ask(26, quote.SecurityCalcQuoteRequestSchema, quote.SecurityCalcQuoteResponseSchema),
    historyCandlesticks: ask(
      27,
      quote.SecurityHistoryCandlestickRequestSchema,
      quote.SecurityCandlestickResponseSchema,
    ),
    pushQuote: news(101, quote.PushQuoteSchema),
    pushDepth: news(102, quote.PushDepthSchema),
    pushBrokers: news(103, quote.PushBrokersSchema),
    pushTrade: news(104, quote.PushTradeSchema),
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
