import type { BrokerQueue, MarketTrade, PriceLevel } from '../../model/market-depth.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { Brokers, Depth, Trade } from '../gen/quote_pb.ts';
import { WireError } from '../wire-error.ts';
import { readTradeSession } from './quote.ts';
import { readEpoch, readOptionalDecimal, readPositive, readVolume } from './values.ts';

/** Parses one level of a pushed book. Throws WireError. @see docs/wire-protocol.md, "The sockets" */
export function readLevel({ position, price, volume, orderNum }: Depth): PriceLevel {
  return {
    level: readPosition(position),
    price: readOptionalDecimal(price, 'price'),
    volume: readVolume(volume),
    orders: Number(orderNum),
  };
}

/** Parses one pushed broker queue. Throws WireError. @see docs/wire-protocol.md, "The sockets" */
export function readBrokerQueue({ position, brokerIds }: Brokers): BrokerQueue {
  return { level: readPosition(position), brokers: [...brokerIds] };
}

/** Parses one market trade. Throws WireError. @see docs/wire-protocol.md, "The sockets" */
export function readMarketTrade(symbol: SecuritySymbol, wire: Trade): MarketTrade {
  return {
    symbol,
    time: readEpoch(wire.timestamp),
    price: readPositive(wire.price, 'price'),
    volume: readVolume(wire.volume),
    direction: wire.direction === 1 ? 'down' : wire.direction === 2 ? 'up' : 'neutral',
    condition: wire.tradeType,
    session: readTradeSession(wire.tradeSession),
  };
}

/** No book has more levels. */
const LEVELS_MAX = 1_000;

function readPosition(position: number): number {
  if (position >= 1 && position <= LEVELS_MAX) return position;
  throw new WireError('bad-value', `Cannot read "position": level ${position}, want 1 to ${LEVELS_MAX}`);
}
