import { seededRandom } from '../model/seeded-random.ts';
import { type Millis, millis } from '../model/time.ts';
import type { LatencyModel } from './models.ts';

/** Returns a generator of request latencies in whole milliseconds, reproducible by seed. */
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

/** Returns the arrival time of a request; an account's requests never overtake each other. */
export function arrivals(nextDelay: () => number): (sent: Millis) => Millis {
  let last = Number.NEGATIVE_INFINITY;
  return (sent) => {
    last = Math.max(last, sent + nextDelay());
    return millis(last);
  };
}
