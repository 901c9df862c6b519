import { concatMap, map, type Observable, of } from 'rxjs';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { unreachable } from '../../model/unreachable.ts';
import type { Answer, ReadPurpose } from '../../ports/broker.ts';
import type { EndpointName, RequestOf } from '../../wire/endpoints.ts';
import { classifyRefusal } from '../../wire/error-codes.ts';
import { WireError } from '../../wire/wire-error.ts';
import type { CallOutcome, HttpClient } from './http-client.ts';

/** Code of a failure without one from the venue: no answer, or an unreadable one. */
const NO_CODE = 0 as const;

/** Reads `data` of a success; may throw WireError. */
export type Reader<T> = (data: unknown) => T;

const DUPLICATE_REQUEST = 403202;

/**
 * Asks a question that changes nothing. When the venue holds it for a repeat of an earlier request, refuses a token that was replaced
 * since, or had closed the connection that it went out on, it is signed again and sent once more; a caller may repeat every failure
 * that is marked as repeatable.
 * @see docs/reliability.md, F-B04, F-B06, F-N06
 */
export function callEndpoint<Name extends EndpointName, T>(
  http: HttpClient,
  name: Name,
  request: RequestOf<Name>,
  read: Reader<T>,
  purpose?: ReadPurpose,
): Observable<Answer<T>> {
  const call = http.call(name, request, omitUndefined({ purpose }));
  return call.pipe(
    concatMap((outcome) => (shouldRepeat(outcome) ? call : of(outcome))),
    map((outcome) => answerOf(outcome, read, http.safe)),
  );
}

/** Sends a request that must not be sent twice, because it changes more than it answers. */
export function callEndpointOnce<Name extends EndpointName, T>(
  http: HttpClient,
  name: Name,
  request: RequestOf<Name>,
  read: Reader<T>,
): Observable<Answer<T>> {
  return http.call(name, request).pipe(map((outcome) => answerOf(outcome, read, http.safe)));
}

function shouldRepeat(outcome: CallOutcome): boolean {
  if (outcome.kind === 'failure')
    return outcome.code === DUPLICATE_REQUEST || outcome.isTokenReplaced === true;
  return outcome.kind === 'unknown' && outcome.isCut === true;
}

function answerOf<T>(outcome: CallOutcome, read: Reader<T>, safe: HttpClient['safe']): Answer<T> {
  switch (outcome.kind) {
    case 'ok':
      return readOrFail(outcome.data, read, safe);
    case 'failure': {
      const { code, message } = outcome;
      return { kind: 'failed', code, message, retryable: isRetryable(outcome) };
    }
    case 'not-sent':
      return { kind: 'not-sent', code: NO_CODE, message: outcome.message, retryable: true };
    case 'unknown':
      return { kind: 'failed', code: NO_CODE, message: outcome.message, retryable: true };
    default:
      return unreachable(outcome);
  }
}

function readOrFail<T>(data: unknown, read: Reader<T>, safe: HttpClient['safe']): Answer<T> {
  try {
    return { kind: 'ok', value: read(data) };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return { kind: 'failed', code: NO_CODE, message: safe(error.message), retryable: false };
  }
}

function isRetryable(failure: Extract<CallOutcome, { kind: 'failure' }>): boolean {
  switch (classifyRefusal(failure)) {
    case 're-sign':
    case 'throttled':
    case 'not-now':
    case 'ambiguous':
      return true;
    case 'auth-fatal':
    case 'invalid':
    case 'already-closed':
    case 'unknown-id':
      return false;
  }
}
