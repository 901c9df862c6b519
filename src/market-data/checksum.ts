import { type CipherGCM, createCipheriv, createSecretKey } from 'node:crypto';

export const SUM_BYTES = 16;

const KEY = createSecretKey(new Uint8Array(16));
const START = new Uint8Array(12);

/**
 * A sum over bytes, in pieces of any size, that shows damage and change: GMAC under a key that is no secret. It proves no
 * author, and misses nothing that a disk or an editor would do; processors compute it some ten times as fast as SHA-256
 * or zlib's CRC-32.
 */
export class Checksum {
  readonly #cipher: CipherGCM = createCipheriv('aes-128-gcm', KEY, START);

  add(piece: Uint8Array): this {
    this.#cipher.setAAD(piece);
    return this;
  }

  /** 32 hex digits; nothing can be added afterwards. */
  text(): string {
    return this.bytes().toString('hex');
  }

  /** The same as `SUM_BYTES` bytes. */
  bytes(): Buffer {
    this.#cipher.final();
    return this.#cipher.getAuthTag();
  }
}
