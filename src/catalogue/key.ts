import { createHash } from 'node:crypto';
import type { Millis } from '../model/time.ts';

/** How a secret is sent: `Authorization: Bearer ...` or `X-API-Key: ...`; each secret is valid for one of them. */
export const KEY_SCHEMES = ['bearer', 'api-key'] as const;
export type KeyScheme = (typeof KEY_SCHEMES)[number];

/** The principal of a secret, and its permissions. */
export interface KeyTerms {
  readonly scheme: KeyScheme;
  /** Owner of the key; both schemes of one request must name the same. */
  readonly principal: string;
  /** True if it may add and update records. */
  readonly mayWrite: boolean;
  /** Expiry, machine time; undefined for never. */
  readonly expiresAt: Millis | undefined;
}

/** A key as stored: the SHA-256 of the secret (32 bytes), never the secret. */
export interface CatalogueKey extends KeyTerms {
  readonly digest: Uint8Array;
  readonly revoked: boolean;
}

/** Source of the server's keys; read at every request, so that a revoked key is refused at once. */
export interface KeySource {
  keys(): readonly CatalogueKey[];
}

/** Random bytes in a secret: 256 bits cannot be guessed, so a plain digest is sufficient. */
const SECRET_BYTES = 32;

/**
 * Creates a secret of 43 characters (base64url) and the key to store for it. Only the result contains the secret:
 * show it once.
 */
export function mintKey(
  terms: KeyTerms,
  random: { bytes(count: number): Uint8Array },
): { readonly secret: string; readonly key: CatalogueKey } {
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  return { secret, key: { ...terms, digest: digestOf(secret), revoked: false } };
}

/** SHA-256 of a secret's text, 32 bytes. */
export function digestOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret, 'utf8').digest();
}
