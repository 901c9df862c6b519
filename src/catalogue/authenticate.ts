import { timingSafeEqual } from 'node:crypto';
import type { Millis } from '../model/time.ts';
import { type CatalogueKey, digestOf, type KeyScheme } from './key.ts';

/** The values of each header as received, one per line of the request. */
export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>;

/** The caller. `refused` does not state a reason, because the reason why a secret failed must not be disclosed. */
export type AuthVerdict =
  | { readonly kind: 'known'; readonly principal: string; readonly mayWrite: boolean }
  | { readonly kind: 'refused' };

const REFUSED: AuthVerdict = { kind: 'refused' };

/**
 * Checks the two authentication schemes of interface B. Every scheme that a request uses must succeed, and at least
 * one is required; if both are used, they must name the same principal, and only permissions of both apply. A header
 * that is sent twice, empty, or of another scheme is a failure. Every secret is hashed and compared with every key,
 * found or not. @see docs/catalogue.md
 */
export function authenticate(headers: HeaderValues, keys: readonly CatalogueKey[], now: Millis): AuthVerdict {
  const claims = [bearerClaim(headers['authorization']), apiKeyClaim(headers['x-api-key'])].filter(
    (claim) => claim !== undefined,
  );
  const found = claims.map((claim) => findKey(claim, keys, now));
  const [first, second = first] = found;
  if (first === undefined || second === undefined || found.includes(undefined)) return REFUSED;
  if (first.principal !== second.principal) return REFUSED;
  return { kind: 'known', principal: first.principal, mayWrite: first.mayWrite && second.mayWrite };
}

/** A secret in a request; `secret` is undefined if it is malformed. */
interface Claim {
  readonly scheme: KeyScheme;
  readonly secret: string | undefined;
}

/** RFC 9110, section 11.4: the scheme in any case, one or more spaces, one token. */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

function bearerClaim(values: readonly string[] | undefined): Claim | undefined {
  if (values === undefined) return undefined;
  return { scheme: 'bearer', secret: BEARER.exec(only(values))?.[1] };
}

function apiKeyClaim(values: readonly string[] | undefined): Claim | undefined {
  return values === undefined ? undefined : { scheme: 'api-key', secret: only(values) || undefined };
}

function only(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? '') : '';
}

function findKey(claim: Claim, keys: readonly CatalogueKey[], now: Millis): CatalogueKey | undefined {
  const digest = digestOf(claim.secret ?? '');
  let found: CatalogueKey | undefined;
  for (const key of keys) if (timingSafeEqual(key.digest, digest)) found = key;
  if (found === undefined || claim.secret === undefined || found.scheme !== claim.scheme) return undefined;
  if (found.revoked || (found.expiresAt !== undefined && now >= found.expiresAt)) return undefined;
  return found;
}
