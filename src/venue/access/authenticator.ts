import type { FastifyRequest } from 'fastify';
import { type Millis, SECOND_MS } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { EndpointName } from '../../wire/endpoints.ts';
import { errorCode } from '../../wire/error-codes.ts';
import { type SignatureVerdict, verifySignature } from '../../wire/verify-signature.ts';
import { type Call, type CallResult, refused } from '../calls/call.ts';
import { languageOf } from '../calls/language.ts';
import { ExpiringMap } from '../server/expiring-map.ts';
import { targetOf } from '../server/http-target.ts';
import { REPLAY_MEMORY_MS } from '../server/limits.ts';
import type { AccountAccess } from './account-access.ts';
import type { CredentialStore } from './credential-store.ts';

export interface AuthenticatorParts {
  readonly access: CredentialStore;
  readonly simulation: Pick<Simulation, 'account'>;
  readonly machine: Pick<Clock, 'now'>;
  readonly skewToleranceMs: number;
  /** Served signed requests, see `servedRequests`. */
  readonly served: ExpiringMap<Millis>;
  readonly accountAccess: AccountAccess;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly call: Call; readonly replayKey: string }
  | Extract<CallResult, { kind: 'refused' }>;

/** Endpoints that change nothing although their method is not GET. */
const CHANGES_NOTHING: ReadonlySet<EndpointName> = new Set(['signatureSelfTest']);

/** A stamp in whole seconds; one with milliseconds has 13 digits. */
const WHOLE_SECONDS = /^\d{1,12}$/;

/** How long requests of the same second are accepted after the first: that second, plus as much for transmission. */
const SAME_SECOND_MS = 2 * SECOND_MS;

const REPLAYS_MAX = 100_000;

/**
 * Creates the record of when each state-changing signed request was first served, kept for as long as its stamp is
 * accepted.
 */
export function servedRequests(skewToleranceMs: number): ExpiringMap<Millis> {
  return new ExpiringMap(2 * skewToleranceMs || REPLAY_MEMORY_MS, REPLAYS_MAX);
}

/**
 * Verifies the signature of every request on its raw bytes. A state-changing request is served once; reads may
 * repeat. The official SDKs stamp whole seconds and sign no nonce, so equal requests within a second (two equal
 * orders, a repeated cancel) have the same signature: they are served within `SAME_SECOND_MS`, and refused later.
 * @see docs/reliability.md, S-16; docs/wire-protocol.md, "A signed request"
 */
export function createAuthenticator(
  parts: AuthenticatorParts,
): (name: EndpointName | undefined, request: FastifyRequest) => Admission {
  const { access, machine, simulation, skewToleranceMs, served, accountAccess } = parts;

  const accessError = (
    name: EndpointName | undefined,
    request: FastifyRequest,
    { account: { id } }: Call,
  ) => {
    if (!accountAccess.mayCallFrom(id, request.ip)) return refused(403205, errorCode(403205).message);
    if (accountAccess.isLive(id) && headerOf(request, 'x-papertrading').toLowerCase() === 'true')
      return refused(403206, errorCode(403206).message);
    const missing = name === undefined ? undefined : accountAccess.missingService(id, name);
    if (missing === undefined) return undefined;
    return refused(602001, `User authentication failed: "${missing}" is not enabled for this account`);
  };

  return (name, request) => {
    const now = machine.now();
    const changes = name !== undefined && request.method !== 'GET' && !CHANGES_NOTHING.has(name);
    const isSeen = (key: string): boolean => {
      const first = served.get(key, now);
      const sameSecond = WHOLE_SECONDS.test(headerOf(request, 'x-timestamp'));
      return first !== undefined && !(sameSecond && now - first < SAME_SECOND_MS);
    };
    const seen = changes ? { seen: isSeen } : {};
    const appOf = (key: string) => access.appOf(key);
    const verdict = verifySignature(receivedOf(request), { appOf, now, skewMs: skewToleranceMs, ...seen });
    if (verdict.kind !== 'ok') return refused(verdict.code, refusalText(verdict));
    if (changes && served.get(verdict.replayKey, now) === undefined) served.set(verdict.replayKey, now, now);
    const call = callOf(request, access, simulation);
    if (call === undefined) return refused(401003, errorCode(401003).message);
    return accessError(name, request, call) ?? { kind: 'admitted', call, replayKey: verdict.replayKey };
  };
}

function receivedOf(request: FastifyRequest) {
  return {
    method: request.method,
    ...targetOf(request),
    body: Buffer.isBuffer(request.body) ? request.body : '',
    apiKey: headerOf(request, 'x-api-key'),
    authorization: headerOf(request, 'authorization'),
    timestamp: headerOf(request, 'x-timestamp'),
    signature: headerOf(request, 'x-api-signature'),
  };
}

function callOf(
  request: FastifyRequest,
  access: CredentialStore,
  simulation: Pick<Simulation, 'account'>,
): Call | undefined {
  const appKey = headerOf(request, 'x-api-key');
  const accessToken = headerOf(request, 'authorization');
  const account = simulation.account(access.accountOf(appKey, accessToken) ?? '');
  if (account === undefined) return undefined;
  return { account, appKey, accessToken, language: languageOf(request.headers['accept-language']) };
}

function headerOf(request: FastifyRequest, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

function refusalText(verdict: Exclude<SignatureVerdict, { kind: 'ok' }>): string {
  const { message } = errorCode(verdict.code);
  if (verdict.kind !== 'skewed') return message;
  const seconds = Math.round(verdict.byMs / 1_000);
  return `${message}: X-Timestamp is ${seconds} s off the venue's clock, set yours or widen the tolerance`;
}
