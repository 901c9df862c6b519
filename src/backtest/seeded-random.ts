import { seededRandom as seededNumbers } from '../market-data/seeded-random.ts';
import type { Random } from '../ports/random.ts';

/** Creates a random source from a seed, with the same sequence on every machine. */
export function seededRandom(seed: number): Random {
  const numbers = seededNumbers(seed);
  return {
    bytes: (count) => {
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count; at += 1) bytes[at] = numbers.uint32() >>> 24;
      return bytes;
    },
    fraction: () => numbers.uniform(),
  };
}
