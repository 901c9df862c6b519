import { createHmac, hash } from 'node:crypto';
import { WireError } from './wire-error.ts';

/** A request of interface A before signing: exactly the bytes to be sent. */
export interface UnsignedRequest {
  /** Any case; signed in upper case. */
  readonly method: string;
  /** Begins with `/`; no host, no `?`. */
  readonly path: string;
  /** Raw text after `?`, as sent; '' if there is none. */
  readonly query: string;
  /** The body as sent; empty if there is none. */
  readonly body: string | Uint8Array;
  /** The literal text of X-Timestamp. */
  readonly timestamp: string;
}

/** Credentials from the developer console. Secret: never log them. */
export interface Credentials {
  readonly appKey: string;
  readonly appSecret: string;
  readonly accessToken: string;
}

export interface SignedHeaders {
  readonly 'X-Api-Key': string;
  readonly Authorization: string;
  readonly 'X-Timestamp': string;
  readonly 'X-Api-Signature': string;
}

/** The request and the two header values in its canonical text. */
export interface CanonicalParts extends UnsignedRequest {
  readonly appKey: string;
  readonly accessToken: string;
}

export const ALGORITHM = 'HMAC-SHA256';
export const SIGNED_HEADERS = 'authorization;x-api-key;x-timestamp';

/**
 * Returns the four headers that sign a request of interface A. Throws WireError (`bad-header`) if a value is not
 * valid in a header line, or the path is invalid. The inner digests are SHA-1 and the outer HMAC is SHA-256, as the
 * venue verifies them.
 * @see docs/wire-protocol.md, "A signed request" "Signature construction"
 */
export function signRequest(request: UnsignedRequest, credentials: Credentials): SignedHeaders {
  const { appKey, appSecret, accessToken } = credentials;
  const { method, path, query, body, timestamp } = request;
  requireHeaderValue('app key', appKey);
  requireHeaderValue('access token', accessToken);
  requireHeaderValue('timestamp', timestamp);
  requirePath(path);
  const signature = signatureOf({ method, path, query, body, timestamp, appKey, accessToken }, appSecret);
  return {
    'X-Api-Key': appKey,
    Authorization: accessToken,
    'X-Timestamp': timestamp,
    'X-Api-Signature': `${ALGORITHM} SignedHeaders=${SIGNED_HEADERS}, Signature=${signature}`,
  };
}

/**
 * Returns the text whose digest is signed. The query is used unchanged: sorting or re-encoding would change the
 * request.
 */
export function canonicalText(parts: CanonicalParts): string {
  const { method, path, query, accessToken, appKey, timestamp, body } = parts;
  const headers = `authorization:${accessToken}\nx-api-key:${appKey}\nx-timestamp:${timestamp}\n`;
  const digest = body.length === 0 ? '' : hash('sha1', body);
  return `${method.toUpperCase()}|${path}|${query}|${headers}|${SIGNED_HEADERS}|${digest}`;
}

/** Returns the signature in lower-case hexadecimal. */
export function signatureOf(parts: CanonicalParts, appSecret: string): string {
  const signString = `${ALGORITHM}|${hash('sha1', canonicalText(parts))}`;
  return createHmac('sha256', appSecret).update(signString).digest('hex');
}

const MICROS_PER_SECOND = 1_000_000;

/**
 * Formats whole microseconds since the epoch for X-Timestamp: seconds with six decimals. The caller must use strictly
 * increasing instants per app key, because equal requests may be rejected as duplicates.
 */
export function timestampText(epochMicros: number): string {
  if (!Number.isSafeInteger(epochMicros) || epochMicros < 0) {
    throw new RangeError(
      `Cannot stamp a request at "${epochMicros}", want whole microseconds since the epoch`,
    );
  }
  const seconds = Math.floor(epochMicros / MICROS_PER_SECOND);
  const fraction = String(epochMicros % MICROS_PER_SECOND).padStart(6, '0');
  return `${seconds}.${fraction}`;
}

const HEADER_VALUE = /^[\x21-\x7e]+$/;

function requireHeaderValue(what: string, value: string): void {
  if (HEADER_VALUE.test(value)) return;
  const found = value === '' ? 'it is empty' : 'it contains a space, a line break or a non-ASCII character';
  throw new WireError(
    'bad-header',
    `Cannot sign a request: the ${what} is not a valid header value, ${found}`,
  );
}

function requirePath(path: string): void {
  if (/^\/[^?#|\s]*$/.test(path)) return;
  throw new WireError(
    'bad-header',
    `Cannot sign a request to "${path}", want a path that begins with "/" and contains no "?", "#", "|" or space`,
  );
}
