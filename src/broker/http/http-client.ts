import { createHash } from 'node:crypto';
import { concatMap, defer, finalize, map, type Observable, of, tap } from 'rxjs';
import type { WrittenRequest } from '../../model/order.ts';
import type { ChangePurpose, ReadPurpose } from '../../ports/broker.ts';
import { budgeted } from '../../ports/budgeted.ts';
import type { CallBudget, CallKind } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import { ENDPOINTS, type EndpointName, type RequestOf } from '../../wire/endpoints.ts';
import { readEnvelope } from '../../wire/envelope.ts';
import type { LosslessJson } from '../../wire/lossless-json.ts';
import type { WireProfile } from '../../wire/profiles.ts';
import { type EncodedRequest, encodeRequest } from '../../wire/request.ts';
import { signRequest } from '../../wire/signature.ts';
import type { Secrets } from '../secrets.ts';
import type { BrokerSettings } from '../settings.ts';
import type { Connections } from '../socket/connections.ts';
import { type Exchanged, exchange, type OutgoingRequest } from './exchange.ts';
import { createLateAnswers } from './late-answers.ts';
import type { ExchangeTimes } from './skew.ts';
import type { Timestamps } from './timestamps.ts';

/** Result of one request: the venue's answer, proof that no byte was sent, or nothing that proves anything. */
export type CallOutcome =
  | { readonly kind: 'ok'; readonly data: LosslessJson }
  | {
      readonly kind: 'failure';
      readonly code: number;
      readonly status: number;
      readonly message: string;
      /** True if the venue refused a token that was replaced in the meantime: a repeat is signed with the new one. */
      readonly isTokenReplaced?: boolean;
    }
  | { readonly kind: 'not-sent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string; readonly isCut?: boolean };

/** Receives the result of a change that was reported as unknown. */
export type LateOutcomeListener = (outcome: CallOutcome) => void;

/** The purpose of a request, and the hooks of one that changes something. */
export interface CallOptions {
  /** The purpose for which the call budget grants a place; default: that of the endpoint. */
  readonly purpose?: ChangePurpose | ReadPurpose | undefined;
  /** Called before the first byte with what will be sent; an error prevents the sending. */
  readonly beforeSend?: ((written: WrittenRequest) => void) | undefined;
  /** Receives an answer that arrives after the change was recorded as unknown. */
  readonly onLate?: LateOutcomeListener;
  /** Called right before the first byte; a returned reason makes the outcome `not-sent`. */
  readonly blockedReason?: (() => string | undefined) | undefined;
}

/** Calls endpoints of interface A, signed. */
export interface HttpClient {
  /**
   * Sends one request once per subscription. Emits once and completes; unsubscribing aborts. Throws WireError on
   * subscription if the request cannot be encoded.
   */
  call<Name extends EndpointName>(
    name: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ): Observable<CallOutcome>;
  /** External text, made safe for errors and logs. */
  safe(text: string): string;
}

/** Dependencies of an HTTP client. */
export interface HttpClientParts {
  readonly connections: Connections;
  readonly secrets: Secrets;
  readonly timestamps: Timestamps;
  readonly profile: WireProfile;
  readonly machine: Clock;
  readonly settings: BrokerSettings;
  readonly language: string;
  /** Makes the venue refuse us if the token belongs to a real-money account. */
  readonly paperOnly: boolean;
  /** Call limit of the account; absent: calls are not counted. */
  readonly budget?: CallBudget | undefined;
  /** Called with the `Date` header of every answer, '' if there was none. */
  readonly onDate: (date: string, times: ExchangeTimes) => void;
  /** Called after every exchange with whether there was an answer; absent: no listener. */
  readonly onReach?: (isReached: boolean) => void;
  /**
   * Returns a token in place of one that the venue refused; undefined if there is no newer one. Absent: there never
   * is.
   */
  readonly newerToken?: ((refused: string) => string | undefined) | undefined;
  /** Called if no connection can be opened for lack of file descriptors; true if some were released for this call. */
  readonly onStarved?: (name: EndpointName) => boolean;
}

/** @see docs/wire-protocol.md, "The envelope", "A signed request" */
export function createHttpClient(parts: HttpClientParts): HttpClient {
  const { connections, secrets, machine, settings } = parts;

  function sign({ method, path, query, body }: EncodedRequest): SignedRequest {
    const timestamp = parts.timestamps.next();
    const credentials = secrets.current();
    return {
      timestamp,
      accessToken: credentials.accessToken,
      request: {
        method,
        target: query === '' ? path : `${path}?${query}`,
        body,
        headers: {
          ...signRequest({ method, path, query, body, timestamp }, credentials),
          'Accept-Language': parts.language,
          ...(body === '' ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
          ...(parts.paperOnly ? { 'X-Papertrading': 'true' } : {}),
        },
      },
    };
  }

  const lateAnswers = createLateAnswers(settings);

  function send(
    name: EndpointName,
    { request, accessToken }: SignedRequest,
    { onLate, blockedReason }: CallOptions,
  ): Observable<Sent> {
    const sent = map((exchanged: Exchanged): Sent => ({ exchanged, accessToken }));
    if (request.method === 'GET') {
      return exchange(request, {
        dispatcher: connections.reads,
        machine,
        deadlineMs: settings.readDeadlineMs,
      }).pipe(sent);
    }
    const { dispatcher, release, abandon } = connections.lease();
    const late =
      onLate &&
      lateAnswers.listen(abandon, (answered) =>
        onLate(outcomeOf(name, { exchanged: answered, accessToken })),
      );
    return exchange(request, {
      dispatcher,
      machine,
      cancelConnection: abandon,
      blockedReason,
      deadlineMs: settings.submitDeadlineMs,
      ...(late === undefined ? {} : { late: late.listener }),
    }).pipe(
      tap((exchanged) => {
        if (exchanged.kind === 'answered') release(true);
      }),
      finalize(() => {
        if (late?.isKept() !== true) release(false);
      }),
      sent,
    );
  }

  /**
   * Signed when the request has its place, so that waiting does not make it older; then recorded, and counted when it
   * is sent. If it found no descriptor for its connection, it is tried once more after one was released.
   */
  function signAndSend(
    name: EndpointName,
    request: EncodedRequest,
    options: CallOptions,
    countSend: SendThrough,
  ) {
    const { beforeSend } = options;
    const sent = defer((): Observable<Sent> => {
      const signed = sign(request);
      if (beforeSend === undefined) return send(name, signed, options);
      const { body, timestamp } = { ...request, ...signed };
      beforeSend({ body, digest: createHash('sha256').update(body).digest('hex'), timestamp });
      return countSend(send(name, signed, options));
    });
    return sent.pipe(
      concatMap((first) => {
        const { exchanged } = first;
        if (exchanged.kind !== 'not-sent' || exchanged.isStarved !== true) return of(first);
        return parts.onStarved?.(name) === true ? sent : of(first);
      }),
    );
  }

  /** `name`: the endpoint; some answer with a new secret, which must be read as it is. */
  function outcomeOf(name: EndpointName, { exchanged, accessToken }: Sent): CallOutcome {
    parts.onReach?.(exchanged.kind === 'answered');
    if (exchanged.kind === 'not-sent') return { kind: 'not-sent', message: secrets.safe(exchanged.message) };
    if (exchanged.kind === 'unknown') return { ...exchanged, message: secrets.safe(exchanged.message) };
    parts.onDate(exchanged.date, exchanged);
    const text = SECRET_ANSWERS.has(name) ? exchanged.text : secrets.removed(exchanged.text);
    const outcome = readOutcome(exchanged.status, text, secrets.safe);
    if (outcome.kind !== 'failure' || outcome.code !== TOKEN_REFUSED) return outcome;
    return { ...outcome, isTokenReplaced: isReplaced(accessToken) };
  }

  /** True if a token that the venue refused is no longer in use, because it was replaced before or is now. */
  function isReplaced(refused: string): boolean {
    if (secrets.current().accessToken !== refused) return true;
    const newer = parts.newerToken?.(refused);
    if (newer === undefined) return false;
    secrets.renew(newer);
    return true;
  }

  function withinBudget(
    name: EndpointName,
    purpose: CallOptions['purpose'],
    work: (depart: SendThrough) => Observable<CallOutcome>,
  ): Observable<CallOutcome> {
    const { budget } = parts;
    if (budget === undefined || ENDPOINTS[name].limit !== 'trade') return defer(() => work((sent) => sent));
    const refused: CallOutcome = { kind: 'not-sent', message: NO_BUDGET };
    const wasNotSent = (outcome: CallOutcome): boolean => outcome.kind === 'not-sent';
    return defer(() =>
      budgeted(budget, purpose ?? defaultPurpose(name, budget.hasReservation('open')), {
        work,
        refused,
        wasNotSent,
      }),
    );
  }

  return {
    call: (name, request, options = {}) =>
      withinBudget(name, options.purpose, (depart) =>
        signAndSend(name, encodeRequest(name, request, parts.profile), options, depart).pipe(
          map((sent) => outcomeOf(name, sent)),
        ),
      ),
    safe: secrets.safe,
  };
}

/** A request with the timestamp and the token of its signature. */
interface SignedRequest {
  readonly request: OutgoingRequest;
  readonly timestamp: string;
  readonly accessToken: string;
}

/** Result of a request that was signed with a token. */
interface Sent {
  readonly exchanged: Exchanged;
  readonly accessToken: string;
}

type SendThrough = <R>(send: Observable<R>) => Observable<R>;

/** The venue's code for a token that is unknown, replaced or expired. */
const TOKEN_REFUSED = 401003;

/** Endpoints that answer with a new access token or a one-time password. */
const SECRET_ANSWERS: ReadonlySet<EndpointName> = new Set(['refreshToken', 'socketToken', 'socketTokenV2']);

const NO_BUDGET = 'the call budget of the account is used up (30 calls in 30 s)';

/** Default purpose of a call. The account is read for an opening order, and to compare the books. */
function defaultPurpose(name: EndpointName, isForOrder: boolean): CallKind {
  switch (name) {
    case 'cancelOrder':
      return 'kill';
    case 'submitOrder':
    case 'replaceOrder':
    case 'buyLimit':
    case 'marginRatio':
      return 'open';
    case 'orderDetail':
    case 'todayOrders':
    case 'todayExecutions':
      return 'watch';
    case 'account':
    case 'positions':
      return isForOrder ? 'open' : 'read';
    default:
      return 'read';
  }
}

/**
 * Reads an answer. Only an envelope counts, and success only with a 2xx status: a proxy, a login page or a redirect
 * in the venue's place proves nothing.
 */
function readOutcome(status: number, text: string, safe: (text: string) => string): CallOutcome {
  const envelope = readEnvelope(text);
  switch (envelope.kind) {
    case 'ok':
      if (status >= 200 && status < 300) return { kind: 'ok', data: envelope.data };
      return { kind: 'unknown', message: `HTTP ${status}, but code 0, which means success` };
    case 'failure':
      return { kind: 'failure', code: envelope.code, status, message: safe(envelope.message) };
    case 'not-an-envelope':
      return { kind: 'unknown', message: `HTTP ${status} without an envelope: ${safe(envelope.reason)}` };
  }
}
