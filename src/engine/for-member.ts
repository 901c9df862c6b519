import { map, type OperatorFunction } from 'rxjs';
import type { MarketBatch } from '../ports/signal-source.ts';

/** Marks every batch and each of its events with the strategy that it is for; marks are the account's. */
export function forMember(strategy: string): OperatorFunction<MarketBatch, MarketBatch> {
  return map((batch) => ({
    ...batch,
    marks: [],
    strategy,
    events: batch.events.map((event) => ({ ...event, strategy })),
  }));
}
