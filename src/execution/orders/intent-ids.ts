import { type IntentId, intentId } from '../../model/order.ts';
import type { Random } from '../../ports/random.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const LENGTH = 16;

/**
 * Mints intent ids of 16 letters from an alphabet of 32: 80 random bits, so that bots of one account do not collide.
 */
export function intentIdMint(random: Random): () => IntentId {
  return () => {
    let text = '';
    for (const byte of random.bytes(LENGTH)) text += LETTERS[byte & 31];
    return intentId(text);
  };
}
