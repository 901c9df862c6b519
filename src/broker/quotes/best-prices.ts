import type { Price } from '../../model/decimal.ts';
import type { SecuritySymbol } from '../../model/symbol.ts';
import type { BestPrices } from '../../ports/quote-feed.ts';
import type { Depth, PushDepth } from '../../wire/gen/quote_pb.ts';
import { readOptionalDecimal, readSymbol } from '../../wire/mapper/values.ts';

/** The best bid and ask of every symbol whose depth is pushed. */
export interface BestPricesBook {
  /** Undefined before the first push, and if a side is empty. */
  of(symbol: SecuritySymbol): BestPrices | undefined;
  /** Applies a push, unless a later one was received. Throws WireError if it is invalid. */
  push(push: PushDepth): void;
  /** Clears the prices, because a broken connection has no current ones. */
  clear(): void;
}

/** @see docs/wire-protocol.md, "The sockets"; docs/reliability.md, F-D04, F-D05 */
export function createBestPrices(): BestPricesBook {
  const sides = new Map<SecuritySymbol, Sides>();
  return {
    of(symbol) {
      const { bid, ask } = sides.get(symbol) ?? NO_SIDES;
      return bid === undefined || ask === undefined ? undefined : { bid, ask };
    },
    push(push) {
      const symbol = readSymbol(push.symbol, 'symbol');
      const before = sides.get(symbol) ?? NO_SIDES;
      if (push.sequence !== 0n && push.sequence <= before.sequence) return;
      const bid = bestOf(push.bid, before.bid);
      const ask = bestOf(push.ask, before.ask);
      sides.set(symbol, { bid, ask, sequence: push.sequence });
    },
    clear: () => sides.clear(),
  };
}

interface Sides {
  readonly bid: Price | undefined;
  readonly ask: Price | undefined;
  readonly sequence: bigint;
}

const NO_SIDES: Sides = { bid: undefined, ask: undefined, sequence: 0n };

/** A push without the best level leaves it unchanged; one without a price means that the level is empty. */
function bestOf(levels: readonly Depth[], before: Price | undefined): Price | undefined {
  const first = levels.find(({ position }) => position === 1);
  return first === undefined ? before : readOptionalDecimal(first.price, 'price');
}
