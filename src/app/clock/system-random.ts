import { randomBytes } from 'node:crypto';
import type { Random } from '../../ports/random.ts';

/** The machine's own randomness, suitable for keys. */
export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  fraction: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
};
