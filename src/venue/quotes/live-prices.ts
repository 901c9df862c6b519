import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { Market } from '../market/market.ts';

/** A price from an external market. */
export interface LivePrice {
  readonly symbol: SecuritySymbol;
  readonly price: number;
  /** Shares traded at this price. */
  readonly volume: number;
}

export interface LivePrices {
  append(price: LivePrice): void;
  /** The source of prices has failed: no price is valid until the next one. */
  invalidate(): void;
}

/** Appends external prices to the market as they arrive, each at the next millisecond of market time. */
export function createLivePrices(simulation: Simulation, market: Market): LivePrices {
  const newest = new Map<SecuritySymbol, Millis>();
  return {
    append({ symbol, price, volume }) {
      market.catchUp();
      const time = millis(Math.max(simulation.now(), newest.get(symbol) ?? 0) + 1);
      if (simulation.append({ symbol, time, price, volume })) newest.set(symbol, time);
      market.reschedule();
    },
    invalidate() {
      market.catchUp();
      simulation.invalidatePrices();
    },
  };
}
