import { timingSafeEqual } from 'node:crypto';
import { type Millis, millis } from '../model/time.ts';
import { ALGORITHM, SIGNED_HEADERS, signatureOf } from './signature.ts';

/** A request as received: raw target, raw body, raw header texts ('' if absent). */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string | Uint8Array;
  readonly apiKey: string;
  readonly authorization: string;
  readonly timestamp: string;
  readonly signature: string;
}

export interface KnownApp {
  readonly appSecret: string;
  /** True if the access token belongs to this app and has not expired. */
  readonly acceptsToken: (accessToken: string) => boolean;
}

export interface VerifyOptions {
  readonly appOf: (apiKey: string) => KnownApp | undefined;
  /** Machine time of the venue. */
  readonly now: Millis;
  /** Maximum difference between X-Timestamp and `now`; 0 disables the check. */
  readonly skewMs: number;
  /** True if a request with this replay key was already served; if absent, repeats are accepted. */
  readonly seen?: (replayKey: string) => boolean;
}

/** The decision, with the business code of a refusal. `ok` has the key to remember. */
export type SignatureVerdict =
  | { readonly kind: 'ok'; readonly timestamp: Millis; readonly replayKey: string }
  | { readonly kind: 'unknown-key'; readonly code: 403203 }
  | { readonly kind: 'token-refused'; readonly code: 401003 }
  | { readonly kind: 'skewed'; readonly code: 403201; readonly byMs: number }
  | { readonly kind: 'signature-invalid'; readonly code: 403201 }
  | { readonly kind: 'duplicate'; readonly code: 403202 };

/**
 * As long as the broker's secrets, so that an unknown key takes the same time; a longer secret would be hashed first.
 */
const NO_SECRET = 'no such app, and yet as much work'.padEnd(64, '.');

/**
 * Verifies key, token, clock, signature and repetition of a request, in this order. The digest is always computed,
 * and compared in constant time, even if the key is unknown.
 * @see docs/wire-protocol.md, "A signed request" (check order)
 */
export function verifySignature(request: ReceivedRequest, options: VerifyOptions): SignatureVerdict {
  const app = options.appOf(request.apiKey);
  const expected = signatureOf(
    { ...request, appKey: request.apiKey, accessToken: request.authorization },
    app?.appSecret ?? NO_SECRET,
  );
  const matches = sameDigest(expected, claimedSignature(request.signature));
  if (request.apiKey === '' || app === undefined) return { kind: 'unknown-key', code: 403203 };
  if (!app.acceptsToken(request.authorization)) return { kind: 'token-refused', code: 401003 };
  const timestamp = readTimestamp(request.timestamp);
  if (timestamp === undefined) return { kind: 'signature-invalid', code: 403201 };
  const byMs = timestamp - options.now;
  if (options.skewMs > 0 && Math.abs(byMs) > options.skewMs) return { kind: 'skewed', code: 403201, byMs };
  if (!matches) return { kind: 'signature-invalid', code: 403201 };
  const replayKey = `${request.apiKey}|${request.timestamp}|${expected}`;
  if (options.seen?.(replayKey) === true) return { kind: 'duplicate', code: 403202 };
  return { kind: 'ok', timestamp, replayKey };
}

const TIMESTAMP = /^(\d{1,16})(\.\d{1,9})?$/;
const MILLISECOND_DIGITS = 13;

/**
 * Parses X-Timestamp: seconds with or without a fraction; 13 digits or more are milliseconds. Undefined for other
 * texts.
 */
export function readTimestamp(text: string): Millis | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const whole = match[1] ?? '';
  const value = Number(text);
  return millis(whole.length >= MILLISECOND_DIGITS ? value : value * 1000);
}

const SIGNATURE_HEADER = /^(\S+) +SignedHeaders=([^,]*), *Signature=([0-9a-f]{64})$/;

/** Returns the digest in the header; '' if the header has another form, algorithm or set of headers. */
function claimedSignature(header: string): string {
  const match = SIGNATURE_HEADER.exec(header.trim());
  if (match === null || match[1] !== ALGORITHM || match[2]?.trim() !== SIGNED_HEADERS) return '';
  return match[3] ?? '';
}

const DIGEST_LENGTH = 64;

function sameDigest(expected: string, claimed: string): boolean {
  const padded = claimed.padEnd(DIGEST_LENGTH, '0').slice(0, DIGEST_LENGTH);
  const equal = timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(padded, 'latin1'));
  return equal && claimed.length === DIGEST_LENGTH;
}
