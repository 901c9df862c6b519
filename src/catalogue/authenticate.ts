import { timingSafeEqual } from 'node:crypto';
import type { Millis } from '../model/time.ts';
import { type CatalogueKey, digestOf, type KeyScheme } from './key.ts';

/** Each header's values as they came, one per line of the request. */
export type HeaderValues = Readonly<Record<string, readonly string[] | undefined>>;

/** The caller. `refused` is one verdict on purpose: the reason why a secret failed is not disclosed. */
export type AuthVerdict =
  | { readonly kind: 'known'; readonly principal: string; readonly mayWrite: boolean }
  | { readonly kind: 'refused' };

const REFUSED: AuthVerdict = { kind: 'refused' };

/**
 * Judges the two schemes of interface B. One that is carried must succeed, and one must be carried; when both are, they
 * must speak for the same principal, and may do only what both may. A header sent twice, empty, or of another scheme
 * is a failure, not an absence. Every claim is hashed and held against every key, found or not.
 * @see docs/catalogue.md
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

/** A secret as a request presents it; `secret` is undefined when the header cannot carry one. */
interface Claim {
  readonly scheme: KeyScheme;
  readonly secret: string | undefined;
}

/** RFC 9110, section 11.4: the scheme word in any case, one or more spaces, one token. */
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
