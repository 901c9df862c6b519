import type { Quote } from '../../model/quote.ts';
import type { Security } from '../../model/security.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import { SECOND_MS } from '../../model/time.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { encodeFrame } from '../../wire/frame.ts';
import {
  PushBrokersSchema,
  PushDepthSchema,
  PushQuoteSchema,
  PushTradeSchema,
} from '../../wire/gen/quote_pb.ts';
import { writePushQuote, writeTradeSession } from '../../wire/mapper/quote.ts';
import { encodeMessage } from '../../wire/message.ts';
import type { QuoteDistortion } from '../faults/faulty-quotes.ts';
import type { SocketConnection } from '../server/socket-connection.ts';
import { type BookStyle, brokersOf, type Depth, depthOf } from './order-book.ts';
import type { MarketTrade, PrintLog } from './print-log.ts';
import type { Subscriptions, SubTypeNumber } from './subscriptions.ts';

const PUSH = { quote: 101, depth: 102, brokers: 103, trade: 104 } as const;
const TYPE = { quote: 1, depth: 2, brokers: 3, trade: 4 } as const satisfies Record<string, SubTypeNumber>;

type MakeFrame = (levels: number) => Uint8Array;

const ALL_LEVELS = 10;

export interface PushParts {
  readonly simulation: Pick<Simulation, 'now' | 'security' | 'quote'>;
  readonly log: PrintLog;
  readonly subscriptions: Subscriptions;
  /** Whether quotes to a slow client are conflated; not in a stepped market, where the bot counts the frames. */
  readonly conflates: boolean;
  readonly book: BookStyle;
  /** True while a fault freezes the symbol. */
  readonly isFrozen?: (symbol: SecuritySymbol) => boolean;
  /** Price levels that a connection may see; all if absent. */
  readonly depthLevels?: (connection: SocketConnection, symbol: SecuritySymbol) => number;
}

/**
 * Pushes market data to subscribers. A congested connection receives only the newest quote and depth of each symbol,
 * with the volume of omitted quotes added up, and no trades.
 */
export class QuotePushes {
  readonly #parts: PushParts;
  readonly #conflated = new Map<SocketConnection, Map<SecuritySymbol, Quote>>();
  /** Trade status of each symbol in its newest pushed quote. */
  readonly #statuses = new Map<SecuritySymbol, Quote['status']>();
  #sequence = 0n;

  constructor(parts: PushParts) {
    this.#parts = parts;
  }

  /** Pushes a print; a fault may distort its frames. */
  publish(quote: Quote, distortion: QuoteDistortion = {}): void {
    const { subscriptions, log } = this.#parts;
    const trade = log.record(quote);
    this.#statuses.set(quote.symbol, quote.status);
    this.#sequence += distortion.jump ?? 0n;
    this.#pushToSubscribers(quote, TYPE.quote, () => this.#quoteFrame(quote, distortion));
    this.#pushToSubscribers(quote, TYPE.depth, (levels) => this.#depthFrame(quote, levels, distortion));
    const traders = subscriptions.subscribers(quote.symbol, TYPE.trade);
    if (trade === undefined || traders === undefined || traders.size === 0) return;
    const frame = this.#tradeFrame(quote.symbol, trade);
    for (const connection of traders) if (!this.#isConflated(connection)) connection.push(frame);
  }

  /** Pushes quote, depth and brokers to a connection that has just subscribed; never trades. */
  pushSnapshot(connection: SocketConnection, quote: Quote, types: readonly SubTypeNumber[]): void {
    if (types.includes(TYPE.quote)) connection.push(this.#quoteFrame(quote));
    if (types.includes(TYPE.depth))
      connection.push(this.#depthFrame(quote, this.#levelsOf(connection, quote.symbol)));
    if (types.includes(TYPE.brokers)) connection.push(this.#brokersFrame(quote));
  }

  /**
   * Pushes current depth and brokers between two prints, and the quote if its trade status has changed. Skips
   * congested connections, which receive the newest state later.
   */
  pushBooks(): void {
    const { subscriptions, simulation } = this.#parts;
    for (const symbol of subscriptions.symbols()) {
      const quote = simulation.quote(symbol);
      if (quote === undefined || this.#parts.isFrozen?.(symbol) === true) continue;
      if (this.#statuses.has(symbol) && this.#statuses.get(symbol) !== quote.status)
        this.#pushToUncongested(symbol, TYPE.quote, () => this.#quoteFrame(quote));
      this.#statuses.set(symbol, quote.status);
      this.#pushToUncongested(symbol, TYPE.depth, (levels) => this.#depthFrame(quote, levels));
      this.#pushToUncongested(symbol, TYPE.brokers, () => this.#brokersFrame(quote));
    }
  }

  /** Called when a congested connection can send again: pushes the newest quote of each symbol that it missed. */
  onDrained(connection: SocketConnection): void {
    const waiting = this.#conflated.get(connection);
    this.#conflated.delete(connection);
    for (const quote of waiting?.values() ?? []) {
      const types = this.#parts.subscriptions.typesOf(connection, quote.symbol);
      if (types.includes(TYPE.quote)) connection.push(this.#quoteFrame(quote));
      if (types.includes(TYPE.depth))
        connection.push(this.#depthFrame(quote, this.#levelsOf(connection, quote.symbol)));
    }
  }

  onClosed(connection: SocketConnection): void {
    this.#conflated.delete(connection);
  }

  #levelsOf(connection: SocketConnection, symbol: SecuritySymbol): number {
    return this.#parts.depthLevels?.(connection, symbol) ?? ALL_LEVELS;
  }

  #pushToSubscribers(quote: Quote, type: SubTypeNumber, makeFrame: MakeFrame): void {
    const connections = this.#parts.subscriptions.subscribers(quote.symbol, type);
    if (connections === undefined || connections.size === 0) return;
    const frameOf = this.#frames(quote.symbol, makeFrame);
    for (const connection of connections) {
      if (this.#isConflated(connection)) this.#conflate(connection, quote, type);
      else connection.push(frameOf(connection));
    }
  }

  /** Caches one frame per number of visible levels. */
  #frames(symbol: SecuritySymbol, makeFrame: MakeFrame): (connection: SocketConnection) => Uint8Array {
    const made = new Map<number, Uint8Array>();
    return (connection) => {
      const levels = this.#levelsOf(connection, symbol);
      const frame = made.get(levels) ?? makeFrame(levels);
      made.set(levels, frame);
      return frame;
    };
  }

  #pushToUncongested(symbol: SecuritySymbol, type: SubTypeNumber, makeFrame: MakeFrame): void {
    const connections = [...(this.#parts.subscriptions.subscribers(symbol, type) ?? [])];
    const free = connections.filter((connection) => !connection.congested);
    if (free.length === 0) return;
    const frameOf = this.#frames(symbol, makeFrame);
    for (const connection of free) connection.push(frameOf(connection));
  }

  #isConflated(connection: SocketConnection): boolean {
    return this.#parts.conflates && connection.congested;
  }

  #conflate(connection: SocketConnection, quote: Quote, type: SubTypeNumber): void {
    const waiting = this.#conflated.get(connection) ?? new Map<SecuritySymbol, Quote>();
    this.#conflated.set(connection, waiting);
    const before = waiting.get(quote.symbol);
    if (before !== undefined && type !== TYPE.quote) return;
    const volume = before === undefined ? quote.volume : before.volume.plus(quote.volume);
    waiting.set(quote.symbol, { ...quote, volume });
  }

  #next(): bigint {
    this.#sequence += 1n;
    return this.#sequence;
  }

  #quoteFrame(quote: Quote, { lastDone }: QuoteDistortion = {}): Uint8Array {
    const facts = {
      sequence: this.#next(),
      turnover: this.#parts.log.turnoverOf(quote),
      currentTurnover: quote.last.times(quote.volume),
    };
    const fields = writePushQuote(quote, facts);
    const body = encodeMessage(PushQuoteSchema, lastDone === undefined ? fields : { ...fields, lastDone });
    return encodeFrame({ kind: 'push', command: PUSH.quote, body });
  }

  #depthFrame(quote: Quote, levels: number, distortion: QuoteDistortion = {}): Uint8Array {
    const { simulation, book } = this.#parts;
    const depth = depthOf(this.#securityOf(quote), quote, book, simulation.now());
    const visibleDepth = distortion.depth === undefined ? depth : crossed(depth, distortion.depth);
    const fields = {
      symbol: quote.symbol,
      sequence: this.#next(),
      ask: visibleDepth.ask.slice(0, levels),
      bid: visibleDepth.bid.slice(0, levels),
    };
    return encodeFrame({ kind: 'push', command: PUSH.depth, body: encodeMessage(PushDepthSchema, fields) });
  }

  #brokersFrame(quote: Quote): Uint8Array {
    const { simulation, book } = this.#parts;
    const queue = brokersOf(this.#securityOf(quote), quote, book, simulation.now());
    const fields = { symbol: quote.symbol, sequence: this.#next(), ...queue };
    return encodeFrame({
      kind: 'push',
      command: PUSH.brokers,
      body: encodeMessage(PushBrokersSchema, fields),
    });
  }

  #securityOf({ symbol }: Quote): Security {
    const security = this.#parts.simulation.security(symbol);
    if (security === undefined) throw new RangeError(`No security "${symbol}" behind its own print`);
    return security;
  }

  #tradeFrame(symbol: SecuritySymbol, trade: MarketTrade): Uint8Array {
    const body = encodeMessage(PushTradeSchema, {
      symbol,
      sequence: this.#next(),
      trade: [writeTrade(trade)],
    });
    return encodeFrame({ kind: 'push', command: PUSH.trade, body });
  }
}

/** Returns a book whose best prices are swapped (`crossed`) or equal (`locked`). */
function crossed({ ask, bid }: Depth, form: 'crossed' | 'locked'): Depth {
  if (form === 'crossed') return { ask: bid, bid: ask };
  const [best] = ask;
  return best === undefined ? { ask, bid } : { ask, bid: [{ ...best }, ...bid.slice(1)] };
}

/** Formats a market trade for the wire, as an ordinary automatic trade. */
export function writeTrade(trade: MarketTrade) {
  return {
    price: trade.price.toFixed(),
    volume: BigInt(trade.volume.toFixed(0)),
    timestamp: BigInt(Math.floor(trade.time / SECOND_MS)),
    direction: trade.direction,
    tradeSession: writeTradeSession(trade.session),
  };
}
