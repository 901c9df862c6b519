import { seededRandom } from '../model/seeded-random.ts';
import { type Millis, millis } from '../model/time.ts';
import type { LatencyModel } from './models.ts';

/** Draws how long the next request travels, in whole milliseconds; the same seed draws the same. */
export function latencies(model: LatencyModel, seed: number): () => number {
  switch (model.kind) {
    case 'none':
      return () => 0;
    case 'fixed':
      return () => model.ms;
    case 'uniform': {
      const fraction = seededRandom(seed);
      return () => Math.floor(model.minMs + fraction() * (model.maxMs - model.minMs + 1));
    }
  }
}

/** When requests arrive that travel so long: none before one that was sent earlier, as all that an account sends goes one way. */
export function arrivals(nextDelay: () => number): (sent: Millis) => Millis {
  let last = Number.NEGATIVE_INFINITY;
  return (sent) => {
    last = Math.max(last, sent + nextDelay());
    return millis(last);
  };
}
