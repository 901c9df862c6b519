import type { Millis } from '../../model/time.ts';
import type { SimulationEvent } from '../../simulation/simulation.ts';

export interface MarketState {
  /** Epoch milliseconds, market time. */
  readonly time: Millis;
  readonly mode: 'stepped' | 'scaled' | 'wall';
  /** Market seconds per machine second; absent if stepped. */
  readonly speed?: number;
}

export interface Market {
  state(): MarketState;
  /** Processes all events due by now; called before a request is served. */
  catchUp(): void;
  /** Schedules the next event again; called after a request that may have changed it. */
  reschedule(): void;
  stop(): void;
}

export type PublishEvents = (events: readonly SimulationEvent[]) => void;
