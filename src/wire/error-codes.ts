/** How a client must treat a code. @see docs/wire-protocol.md, "Codes" */
export type FailureClass =
  | 'auth-fatal'
  | 're-sign'
  | 'throttled'
  | 'invalid'
  | 'not-now'
  | 'already-closed'
  | 'unknown-id'
  | 'ambiguous';

export interface ErrorCode {
  readonly code: number;
  /** HTTP status of the envelope. */
  readonly status: number;
  /** Default text that our venue sends. */
  readonly message: string;
  readonly meaning: string;
  readonly failureClass: FailureClass;
}

type Row = readonly [
  code: number,
  status: number,
  message: string,
  failureClass: FailureClass,
  meaning: string,
];

const ROWS: readonly Row[] = [
  [403201, 403, 'signature invalid', 'auth-fatal', 'Signature or clock does not match'],
  [403202, 403, 'duplicate request', 're-sign', 'The same signed request was received before'],
  [403203, 403, 'apikey illegal', 'auth-fatal', 'The app key is absent or unknown'],
  [403205, 403, 'ip is not allowed', 'auth-fatal', 'The address is not on the allow-list'],
  [403206, 403, 'not a paper account', 'auth-fatal', 'x-papertrading was sent with a real-money token'],
  [401003, 401, 'token expired', 'auth-fatal', 'The access token is unknown, replaced or expired'],
  [429001, 429, 'ip request ratelimit', 'throttled', 'Too many requests from one address'],
  [429002, 429, 'api request is limited', 'throttled', 'Too many requests on this endpoint'],
  [500000, 500, 'internal error', 'ambiguous', 'A fault inside the venue; the request may have taken effect'],
  [404000, 404, 'path not found', 'invalid', 'No endpoint has this path'],
  [405000, 405, 'method not allowed', 'invalid', 'The path exists, but not with this method'],
  [413000, 413, 'request too large', 'invalid', 'The body is longer than the venue reads'],
  [601011, 400, 'Order has been cancelled.', 'already-closed', 'Cancel or replace of a cancelled order'],
  [601012, 400, 'Order has been filled', 'already-closed', 'Cancel or replace of a filled order'],
  [601013, 400, 'Order has been rejected', 'already-closed', 'Cancel or replace of a rejected order'],
  [602001, 400, 'parameter verification failed', 'invalid', 'Bad or unsupported parameters'],
  [
    602012,
    400,
    'Order amendment is not supported for this order type',
    'invalid',
    'Replace of an order type that has nothing to replace',
  ],
  [
    602013,
    400,
    'order status does not allow amendment',
    'not-now',
    'Replace while another change is pending',
  ],
  [602315, 400, 'not available in your region', 'invalid', 'Regulation bars the order in this region'],
  [603001, 400, 'Order not found', 'unknown-id', 'No order has this id'],
  [310010, 400, 'invalid request', 'invalid', 'Security list: bad parameters'],
  [310011, 500, 'internal error', 'ambiguous', 'Security list: a fault inside the venue'],
  [2601500, 500, 'internal error', 'ambiguous', 'Market temperature: a fault inside the venue'],
];

/**
 * Every HTTP code of interface A: published, observed or our own.
 * @see docs/wire-protocol.md, "Codes"
 */
export const ERROR_CODES: ReadonlyMap<number, ErrorCode> = new Map(
  ROWS.map(([code, status, message, failureClass, meaning]) => [
    code,
    { code, status, message, meaning, failureClass },
  ]),
);

export interface Refusal {
  readonly code: number;
  readonly status: number;
}

/** Returns the HTTP status and default text of a code. Throws RangeError for a code that is not in the table. */
export function errorCode(code: number): ErrorCode {
  const known = ERROR_CODES.get(code);
  if (known === undefined) throw new RangeError(`Cannot answer with code ${code}: it is not in the table`);
  return known;
}

/**
 * Classifies a refusal. An unknown code is `invalid` with HTTP 400, `throttled` with 429 and otherwise `ambiguous`:
 * the request may have taken effect.
 */
export function classifyRefusal(refusal: Refusal): FailureClass {
  const known = ERROR_CODES.get(refusal.code);
  if (known !== undefined) return known.failureClass;
  if (refusal.status === 400) return 'invalid';
  return refusal.status === 429 ? 'throttled' : 'ambiguous';
}

const PROOF_OUTSIDE_400: ReadonlySet<number> = new Set([401003, 403201, 403203, 403205, 429001, 429002]);

/**
 * True if the refusal proves that the first copy of a submit created nothing: HTTP 400 with a code that is not a
 * server fault, or one of six other codes. 403202 means that an earlier copy *was* received, and a 5xx may follow an
 * accepted order, so neither is proof.
 * @see docs/reliability.md, "Submits and unknown orders"
 */
export function isProofOfRefusal(refusal: Refusal): boolean {
  if (refusal.code === 0 || refusal.status < 400 || refusal.status >= 500) return false;
  if (PROOF_OUTSIDE_400.has(refusal.code)) return true;
  if (refusal.status !== 400 || refusal.code === 403202) return false;
  return !isServerFault(refusal.code);
}

/** True for codes of the table with a 5xx status, and unknown codes from 500000 to 599999. */
function isServerFault(code: number): boolean {
  const known = ERROR_CODES.get(code);
  return known === undefined ? Math.floor(code / 100_000) === 5 : known.status >= 500;
}
