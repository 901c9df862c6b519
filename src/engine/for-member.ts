import { map, type OperatorFunction } from 'rxjs';
import type { MarketBatch } from '../ports/signal-source.ts';

/** Says in every moment, and in every event of it, which of several strategies it is for; marks are the account's. */
export function forMember(strategy: string): OperatorFunction<MarketBatch, MarketBatch> {
  return map((batch) => ({
    ...batch,
    marks: [],
    strategy,
    events: batch.events.map((event) => ({ ...event, strategy })),
  }));
}
