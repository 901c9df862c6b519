/**
 * Numbers in [0, 1) with 53 random bits that follow from a seed alone, the same on every machine.
 * @see Sebastiano Vigna, "SplitMix64" (public domain); Blackman and Vigna, "xoshiro128**"
 */
export function seededRandom(seed: number): () => number {
  let mixed = BigInt(seed);
  const next64 = (): bigint => {
    mixed = (mixed + 0x9e3779b97f4a7c15n) & MASK;
    let value = mixed;
    value = ((value ^ (value >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    value = ((value ^ (value >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return value ^ (value >> 31n);
  };
  const state = new Uint32Array(4);
  for (let at = 0; at < 4; at += 2) {
    const word = next64();
    state[at] = Number(word & 0xffffffffn);
    state[at + 1] = Number(word >> 32n);
  }
  const next32 = (): number => {
    const [, s1 = 0] = state;
    const result = Math.imul(rotated(Math.imul(s1, 5), 7), 9) >>> 0;
    const shifted = s1 << 9;
    state[2] = (state[2] as number) ^ (state[0] as number);
    state[3] = (state[3] as number) ^ (state[1] as number);
    state[1] = (state[1] as number) ^ (state[2] as number);
    state[0] = (state[0] as number) ^ (state[3] as number);
    state[2] = (state[2] as number) ^ shifted;
    state[3] = rotated(state[3] as number, 11);
    return result;
  };
  return () => (next32() * 2 ** 21 + (next32() >>> 11)) / 2 ** 53;
}

const MASK = (1n << 64n) - 1n;

function rotated(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}
