import { type CipherGCM, createCipheriv, createSecretKey } from 'node:crypto';

export const SUM_BYTES = 16;

const KEY = createSecretKey(new Uint8Array(16));
const START = new Uint8Array(12);

/**
 * Detects accidental changes of bytes, added in pieces of any size: a GMAC with a public key, about ten times as fast
 * as SHA-256 or zlib's CRC-32. Does not prove authorship.
 */
export class Checksum {
  readonly #cipher: CipherGCM = createCipheriv('aes-128-gcm', KEY, START);

  add(piece: Uint8Array): this {
    this.#cipher.setAAD(piece);
    return this;
  }

  /** Returns 32 hex digits; no more bytes can be added afterwards. */
  text(): string {
    return this.bytes().toString('hex');
  }

  /** Returns `SUM_BYTES` bytes; no more bytes can be added afterwards. */
  bytes(): Buffer {
    this.#cipher.final();
    return this.#cipher.getAuthTag();
  }
}
