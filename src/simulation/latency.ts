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
      const fraction = fractions(seed);
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

/** Uniform fractions in [0, 1) from a 32-bit seed. @see Tommy Ettinger, mulberry32 (public domain) */
function fractions(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
