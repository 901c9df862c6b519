import { type IntentId, intentId } from '../../model/order.ts';
import type { Random } from '../../ports/random.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const LENGTH = 16;

/** Mints intent ids of 16 letters out of 32: 80 bits of chance, so that no two bots of an account meet. */
export function intentIdMint(random: Random): () => IntentId {
  return () => {
    let text = '';
    for (const byte of random.bytes(LENGTH)) text += LETTERS[byte & 31];
    return intentId(text);
  };
}
