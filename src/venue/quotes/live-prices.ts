import type { SecuritySymbol } from '../../model/symbol.ts';
import { type Millis, millis } from '../../model/time.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { Market } from '../market/market.ts';

/** One price of a market elsewhere. */
export interface LivePrice {
  readonly symbol: SecuritySymbol;
  readonly price: number;
  /** Shares that traded with it. */
  readonly volume: number;
}

/** Where prices of a market elsewhere arrive. */
export interface LivePrices {
  take(price: LivePrice): void;
  /** The source of prices is gone: none is valid until the next one. */
  fallSilent(): void;
}

/** Hands prices to the market as they come, each at the next millisecond of market time. */
export function createLivePrices(simulation: Simulation, market: Market): LivePrices {
  const newest = new Map<SecuritySymbol, Millis>();
  return {
    take({ symbol, price, volume }) {
      market.catchUp();
      const time = millis(Math.max(simulation.now(), newest.get(symbol) ?? 0) + 1);
      if (simulation.append({ symbol, time, price, volume })) newest.set(symbol, time);
      market.reschedule();
    },
    fallSilent() {
      market.catchUp();
      simulation.fallSilent();
    },
  };
}
