/** A random source with the same sequence for the same seed on every machine. */
export interface SeededRandom {
  /** Returns an integer from 0 to 2^32 - 1. */
  uint32(): number;
  /** Returns a multiple of 2^-32 from 0 (inclusive) to 1 (exclusive). */
  uniform(): number;
  /**
   * Returns an approximately normal value, mean 0 and deviation 1, within ±6. Uses sums only, so it is exact on every
   * machine.
   */
  normal(): number;
}

/** Generator state: four integers from 0 to 2^32 - 1, not all zero. */
export type RandomState = readonly [number, number, number, number];

export function seededRandom(seed: number): SeededRandom {
  const next = splitMix(seed);
  return randomFrom([next(), next(), next(), next()]);
}

/**
 * Creates a random source from a full state. @see Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", xoshiro128**
 */
export function randomFrom(state: RandomState): SeededRandom {
  // As signed 32-bit integers: only the bits matter.
  let [a, b, c, d] = [state[0] | 0, state[1] | 0, state[2] | 0, state[3] | 0];
  const uint32 = (): number => {
    const result = Math.imul(rotated(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotated(d, 11);
    return result;
  };
  const uniform = (): number => uint32() / 4_294_967_296;
  /** Adds up twelve `uint32` values, inlined because a simulated market draws millions of them. */
  const normal = (): number => {
    let [e, f, g, h] = [a, b, c, d];
    let sum = 0;
    for (let count = 0; count < 12; count++) {
      sum += Math.imul(rotated(Math.imul(f, 5), 7), 9) >>> 0;
      const shifted = f << 9;
      g ^= e;
      h ^= f;
      f ^= g;
      e ^= h;
      g ^= shifted;
      h = rotated(h, 11);
    }
    [a, b, c, d] = [e, f, g, h];
    return sum / 4_294_967_296 - 6;
  };
  return { uint32, uniform, normal };
}

function rotated(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

/** Derives well-mixed states from one seed: a Weyl sequence with the 32-bit finalizer of MurmurHash3. */
function splitMix(seed: number): () => number {
  let weyl = seed | 0;
  return () => {
    weyl = (weyl + 0x9e3779b9) | 0;
    let mixed = Math.imul(weyl ^ (weyl >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
}
