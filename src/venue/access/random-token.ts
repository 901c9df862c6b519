import type { Random } from '../../ports/random.ts';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Returns `bytes` random bytes in lower-case hexadecimal. */
export function randomToken(random: Random, bytes: number): string {
  let text = '';
  for (const byte of random.bytes(bytes)) text += HEX[byte] ?? '';
  return text;
}
