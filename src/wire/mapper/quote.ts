import type { MessageInitShape } from '@bufbuild/protobuf';
import { Decimal, type Price, type Quantity, ZERO } from '../../model/decimal.ts';
import type { Quote, TradeSession, TradeStatus } from '../../model/quote.ts';
import { SECOND_MS } from '../../model/time.ts';
import {
  type PushQuoteSchema,
  PushQuoteTag,
  type SecurityQuote,
  type SecurityQuoteSchema,
  TradeSession as WireSession,
  TradeStatus as WireStatus,
} from '../gen/quote_pb.ts';
import type { PushedQuote } from '../message.ts';
import { WireError } from '../wire-error.ts';
import * as value from './values.ts';

export type MergedQuote =
  /** `isPriced`: the price is from the push itself, not from the previous quote. */
  | { readonly kind: 'quote'; readonly quote: Quote; readonly isPriced: boolean }
  /** Corrects the day after its close; not a price to trade on. */
  | { readonly kind: 'correction' }
  /** The first push of a symbol lacks these figures. */
  | { readonly kind: 'incomplete'; readonly missing: readonly string[] };

/** Parses a pulled quote (11) of regular hours; its `volume` is 0. Throws WireError if a figure is missing. */
export function readSecurityQuote(wire: SecurityQuote): Quote {
  return {
    symbol: value.readSymbol(wire.symbol, 'symbol'),
    time: value.readEpoch(wire.timestamp),
    last: value.readPositive(wire.lastDone, 'last_done'),
    dayOpen: value.readPositive(wire.open, 'open'),
    dayHigh: value.readPositive(wire.high, 'high'),
    dayLow: value.readPositive(wire.low, 'low'),
    dayVolume: value.readVolume(wire.volume),
    volume: ZERO,
    status: readTradeStatus(wire.tradeStatus),
    session: 'regular',
  };
}

/**
 * Parses the pulled quote (11) of a session outside regular hours; undefined if its block is missing or empty. The
 * block has no open, so `dayOpen` is that of regular hours.
 */
export function readSessionQuote(
  wire: SecurityQuote,
  session: Exclude<TradeSession, 'regular'>,
): Quote | undefined {
  const blocks = { pre: wire.preMarketQuote, post: wire.postMarketQuote, overnight: wire.overNightQuote };
  const block = blocks[session];
  if (block === undefined || block.lastDone === '') return undefined;
  return {
    ...readSecurityQuote(wire),
    time: value.readEpoch(block.timestamp),
    last: value.readPositive(block.lastDone, 'last_done'),
    dayHigh: value.readPositive(block.high, 'high'),
    dayLow: value.readPositive(block.low, 'low'),
    dayVolume: value.readVolume(block.volume),
    session,
  };
}

/**
 * Merges a push (101) into the previous quote. Empty or zero prices and day volume keep their previous values; time,
 * status, session and `volume` (since the previous push) are those of the push. Throws WireError for an invalid
 * figure.
 * @see docs/wire-protocol.md, "The sockets"
 */
export function mergePushQuote(before: Quote | undefined, push: PushedQuote): MergedQuote {
  if (push.tag === PushQuoteTag.Eod) return { kind: 'correction' };
  const symbol = push.symbol === before?.symbol ? before.symbol : value.readSymbol(push.symbol, 'symbol');
  const stated = readPrice(push.lastDone, 'last_done');
  const last = stated ?? before?.last;
  const dayOpen = readPrice(push.open, 'open') ?? before?.dayOpen;
  const dayHigh = readPrice(push.high, 'high') ?? before?.dayHigh;
  const dayLow = readPrice(push.low, 'low') ?? before?.dayLow;
  if (last === undefined || dayOpen === undefined || dayHigh === undefined || dayLow === undefined) {
    const figures = { last_done: last, open: dayOpen, high: dayHigh, low: dayLow };
    const missing = Object.entries(figures).flatMap(([name, figure]) => (figure === undefined ? [name] : []));
    return { kind: 'incomplete', missing };
  }
  const quote: Quote = {
    symbol,
    time: value.readEpoch(push.timestamp),
    last,
    dayOpen,
    dayHigh,
    dayLow,
    dayVolume: push.volume === 0n ? (before?.dayVolume ?? ZERO) : value.readVolume(push.volume),
    volume: value.readVolume(push.currentVolume),
    status: readTradeStatus(push.tradeStatus),
    session: readTradeSession(push.tradeSession),
  };
  return { kind: 'quote', quote, isPriced: stated !== undefined };
}

/**
 * Facts of a quote on the wire that the model's Quote lacks. `turnover` is the money traded today, in the security's
 * currency.
 */
export interface QuoteFacts {
  readonly previousClose: Price;
  readonly turnover: Decimal;
}

/** Formats a quote as the answer of a pull (11), regular hours. */
export function writeSecurityQuote(
  quote: Quote,
  facts: QuoteFacts,
): MessageInitShape<typeof SecurityQuoteSchema> {
  return {
    ...writeShared(quote),
    prevClose: facts.previousClose.toFixed(),
    turnover: facts.turnover.toFixed(),
  };
}

/**
 * Formats a quote as a push (101). `sequence` increases; `currentTurnover` is the money traded since the previous
 * push.
 */
export function writePushQuote(
  quote: Quote,
  facts: {
    readonly sequence: bigint;
    readonly turnover: Decimal;
    readonly currentTurnover: Decimal;
  },
): MessageInitShape<typeof PushQuoteSchema> {
  return {
    ...writeShared(quote),
    sequence: facts.sequence,
    turnover: facts.turnover.toFixed(),
    tradeSession: SESSIONS[quote.session],
    currentVolume: writeVolume(quote.volume),
    currentTurnover: facts.currentTurnover.toFixed(),
    tag: PushQuoteTag.Normal,
  };
}

function writeShared(quote: Quote) {
  return {
    symbol: quote.symbol,
    lastDone: quote.last.toFixed(),
    open: quote.dayOpen.toFixed(),
    high: quote.dayHigh.toFixed(),
    low: quote.dayLow.toFixed(),
    timestamp: BigInt(Math.floor(quote.time / SECOND_MS)),
    volume: writeVolume(quote.dayVolume),
    tradeStatus: writeTradeStatus(quote.status),
  };
}

const STATUSES: ReadonlyMap<number, TradeStatus> = new Map<number, TradeStatus>([
  [WireStatus.NORMAL, 'normal'],
  [WireStatus.HALTED, 'halted'],
  [WireStatus.DELISTED, 'delisted'],
  [WireStatus.FUSE, 'halted'],
  [WireStatus.PREPARE_LIST, 'not-yet-open'],
  [WireStatus.CODE_MOVED, 'delisted'],
  [WireStatus.TO_BE_OPENED, 'not-yet-open'],
  [WireStatus.SPLIT_STOCK_HALTS, 'halted'],
  [WireStatus.EXPIRED, 'delisted'],
  [WireStatus.WARRANT_PREPARE_LIST, 'not-yet-open'],
  [WireStatus.SUSPEND_TRADE, 'suspended'],
]);

const SESSIONS: Readonly<Record<TradeSession, WireSession>> = {
  regular: WireSession.NORMAL_TRADE,
  pre: WireSession.PRE_TRADE,
  post: WireSession.POST_TRADE,
  overnight: WireSession.OVERNIGHT_TRADE,
};
const SESSION_OF: ReadonlyMap<number, TradeSession> = new Map(
  (Object.keys(SESSIONS) as TradeSession[]).map((session) => [SESSIONS[session], session]),
);

/** An unknown number reads as `unrecognised`, which denies opening orders. */
export function readTradeStatus(wire: number): TradeStatus {
  return STATUSES.get(wire) ?? 'unrecognised';
}

/** Throws WireError (`not-writable`) for `unrecognised`: the venue knows its own securities. */
export function writeTradeStatus(status: TradeStatus): WireStatus {
  switch (status) {
    case 'normal':
      return WireStatus.NORMAL;
    case 'halted':
      return WireStatus.HALTED;
    case 'suspended':
      return WireStatus.SUSPEND_TRADE;
    case 'delisted':
      return WireStatus.DELISTED;
    case 'not-yet-open':
      return WireStatus.TO_BE_OPENED;
    case 'unrecognised':
      throw new WireError('not-writable', 'Cannot write an unrecognised trade status');
  }
}

/** Throws WireError (`unknown-value`) for an unknown session. */
export function readTradeSession(wire: number): TradeSession {
  const session = SESSION_OF.get(wire);
  if (session === undefined) throw new WireError('unknown-value', `Cannot read trade session ${wire}`);
  return session;
}

export function writeTradeSession(session: TradeSession): WireSession {
  return SESSIONS[session];
}

function readPrice(text: string, field: string): Price | undefined {
  const price = value.readNonZero(text, field);
  if (price?.isNegative() === true) {
    throw new WireError('bad-value', `Cannot read ${field}: want a price above 0, saw "${text}"`);
  }
  return price;
}

/** Formats whole shares; a fraction is cut off, as the wire has none. */
function writeVolume(volume: Quantity): bigint {
  return BigInt(volume.toFixed(0, Decimal.ROUND_DOWN));
}
