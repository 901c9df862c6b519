import { createHash } from 'node:crypto';
import type { Millis } from '../model/time.ts';

/** How a secret travels: `Authorization: Bearer ...` or `X-API-Key: ...`; a secret is good for one of the two. */
export const KEY_SCHEMES = ['bearer', 'api-key'] as const;
export type KeyScheme = (typeof KEY_SCHEMES)[number];

/** The principal of a secret, and its permissions. */
export interface KeyTerms {
  readonly scheme: KeyScheme;
  /** Whose key it is; both schemes of one request must name the same. */
  readonly principal: string;
  /** True when it may add and update records. */
  readonly mayWrite: boolean;
  /** First instant at which it is no longer good, machine time; undefined for never. */
  readonly expiresAt: Millis | undefined;
}

/** A key as the catalogue keeps it: the SHA-256 of the secret (32 bytes), never the secret. */
export interface CatalogueKey extends KeyTerms {
  readonly digest: Uint8Array;
  readonly revoked: boolean;
}

/** Where the server finds its keys; asked at every request, so that a revoked key is refused at once. */
export interface KeySource {
  keys(): readonly CatalogueKey[];
}

/** Bytes of chance in a secret: 256 bits, too many to guess, so that a plain digest protects them. */
const SECRET_BYTES = 32;

/**
 * Makes a new secret of 43 characters (base64url) and the key to store for it. The secret exists only in what is
 * returned: show it once.
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
