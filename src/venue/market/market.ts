import type { Millis } from '../../model/time.ts';
import type { SimulationEvent } from '../../simulation/simulation.ts';

/** State of the market as the admin port reports it. */
export interface MarketState {
  /** Epoch milliseconds, market time. */
  readonly time: Millis;
  readonly mode: 'stepped' | 'scaled' | 'wall';
  /** Market seconds in one machine second; absent when stepped. */
  readonly speed?: number;
}

/** What lets the simulation happen in time. */
export interface Market {
  state(): MarketState;
  /** Lets everything happen that is due by now; called before a request is answered. */
  catchUp(): void;
  /** Looks again at when something happens next; called after a request that may have changed it. */
  reschedule(): void;
  stop(): void;
}

/** Listeners of the market's events. */
export type Announce = (events: readonly SimulationEvent[]) => void;
