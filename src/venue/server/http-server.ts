import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { ENDPOINTS, type EndpointName, findEndpoint } from '../../wire/endpoints.ts';
import { errorCode } from '../../wire/error-codes.ts';
import { type AuthenticatorParts, createAuthenticator } from '../access/authenticator.ts';
import { randomToken } from '../access/random-token.ts';
import { type CallResult, refused } from '../calls/call.ts';
import type { CallLimiter } from '../calls/call-limiter.ts';
import type { Handlers } from '../calls/handlers.ts';
import { rejectMalformedRequest } from '../calls/malformed-request.ts';
import { type RawRequest, serveCall } from '../calls/serve-call.ts';
import type { FaultActions } from '../faults/fault-actions.ts';
import type { Faults } from '../faults/faults.ts';
import { answerWithFault } from '../faults/faulty-answers.ts';
import { isCutOnReuse, resetDuringRequest } from '../faults/faulty-transport.ts';
import type { Market } from '../market/market.ts';
import { PULL_PATHS } from '../quotes/http-pulls.ts';
import type { FaultReport } from '../venue-options.ts';
import type { ConnectionLimiter } from './connection-limiter.ts';
import { httpResponseOf } from './http-response.ts';
import { targetOf } from './http-target.ts';
import * as limits from './limits.ts';
import { createWebServer, type ServerLimits, type TlsOption } from './web-server.ts';

/** A state-changing request, with raw query and body. */
export interface StateChangingCall extends RawRequest {
  readonly name: EndpointName;
  readonly account: string;
  readonly replayKey: string;
  readonly isKeyless: boolean;
}

export interface HttpParts extends AuthenticatorParts {
  readonly simulation: Simulation;
  readonly market: Market;
  readonly handlers: Handlers;
  /** Answers a quote request of an account, by path and body. */
  readonly pull: (path: string, body: string, accountId: string) => CallResult;
  readonly callLimiter: CallLimiter;
  readonly random: Random;
  readonly machine: Clock;
  readonly faults: Faults;
  readonly faultActions: FaultActions;
  /** Called with every successful state-changing request before its answer is sent. */
  readonly onChange: (change: StateChangingCall) => void;
  readonly tls: TlsOption | undefined;
  readonly limits: ServerLimits;
  readonly connectionLimiter: ConnectionLimiter;
  readonly onFault: FaultReport;
}

const BAD_PARAMETERS = 602001;
const TOO_MANY_CALLS = 429002;
const TOO_MANY_FROM_ADDRESS = 429001;
const TOO_LARGE = 413000;
const INTERNAL_ERROR = 500000;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Creates the HTTP server of interface A. The signature of a request is verified on raw bytes before parsing; every
 * error is answered in an envelope.
 */
export function createHttpServer(parts: HttpParts): FastifyInstance {
  const sendError = errorSender(parts.onFault);
  const app = Fastify({
    bodyLimit: limits.BODY_BYTES,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    serverFactory: (listener) => createWebServer(listener, parts.tls, parts.limits, parts.connectionLimiter),
    clientErrorHandler: (error, socket) => rejectMalformedRequest(error, socket, parts.machine),
    frameworkErrors: (error, _request, reply) => {
      sendError(error, reply);
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('date', new Date(parts.machine.now()).toUTCString());
    reply.header('x-trace-id', randomToken(parts.random, 16));
    if ((request.raw.url?.length ?? 0) <= limits.TARGET_BYTES) return done();
    send(reply, refused(BAD_PARAMETERS, `want a request target of at most ${limits.TARGET_BYTES} bytes`));
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => sendError(error, reply));
  app.setNotFoundHandler((request, reply) => send(reply, notFound(request)));
  const answer = createCallHandler(parts);
  for (const { name, method, path } of Object.values(ENDPOINTS)) {
    const bodyLimit = path === ENDPOINTS.submitOrder.path ? limits.ORDER_BODY_BYTES : limits.BODY_BYTES;
    const { faults } = parts;
    const handler = faultyHandler(name, parts, (request) =>
      faults.lacksEndpoint(name) ? notFound(request) : answer(name, request),
    );
    const onRequest = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
      const fault = faults.onArrival(name);
      if (isCutOnReuse(request.raw.socket)) request.raw.socket.destroy();
      else if (fault !== undefined) resetDuringRequest(fault, request);
      else done();
    };
    app.route({ method, url: path, bodyLimit, handler, onRequest });
  }
  // The source document serves quotes over the socket only.
  for (const path of parts.faults.onlyDocumented ? [] : PULL_PATHS)
    app.post(path, (request, reply) => send(reply, handlePull(parts, path, request)));
  return app;
}

/** Answers quotes over HTTP, with the same verification as other requests. */
function handlePull(parts: HttpParts, path: string, request: FastifyRequest): CallResult {
  const { callLimiter, machine, market, pull } = parts;
  if (!callLimiter.admitsAddress(request.ip, machine.now()))
    return refused(TOO_MANY_FROM_ADDRESS, errorCode(TOO_MANY_FROM_ADDRESS).message);
  const admission = createAuthenticator(parts)(undefined, request);
  if (admission.kind === 'refused') return admission;
  parts.connectionLimiter.markAuthenticated(request.raw.socket);
  market.catchUp();
  const body = textOf(request.body);
  if (body === undefined) return refused(BAD_PARAMETERS, 'body: want text in UTF-8');
  return pull(path, body, admission.call.account.id);
}

/** Serves a call with `answer`, unless a fault fires. */
function faultyHandler(
  name: EndpointName,
  { faults, faultActions, machine, simulation }: HttpParts,
  answer: (request: FastifyRequest) => CallResult,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const marketNow = () => simulation.now();
  const afterOrder = faultActions.afterCall.bind(faultActions);
  return (request, reply) => {
    for (const action of faults.actionsOn(name)) faultActions.perform(action);
    const fault = faults.onCall(name);
    const serve = (): CallResult => answer(request);
    if (fault === undefined) return send(reply, serve());
    return answerWithFault({ fault, request, reply, serve, send, machine, marketNow, afterOrder });
  };
}

/** Verifies, counts, parses and handles a request, in this order, after the market has caught up. */
function createCallHandler(parts: HttpParts): (name: EndpointName, request: FastifyRequest) => CallResult {
  const { simulation, market, callLimiter, handlers, machine } = parts;
  const admit = createAuthenticator(parts);
  return (name, request) => {
    if (!callLimiter.admitsAddress(request.ip, machine.now()))
      return refused(TOO_MANY_FROM_ADDRESS, errorCode(TOO_MANY_FROM_ADDRESS).message);
    const admission = admit(name, request);
    if (admission.kind === 'refused') return admission;
    parts.connectionLimiter.markAuthenticated(request.raw.socket);
    const { call, replayKey } = admission;
    market.catchUp();
    if (!callLimiter.admits(call.account.id, name, simulation.now())) {
      return refused(TOO_MANY_CALLS, errorCode(TOO_MANY_CALLS).message);
    }
    const body = textOf(request.body);
    if (body === undefined) return refused(BAD_PARAMETERS, 'body: want text in UTF-8');
    const raw = { query: targetOf(request).query, body };
    const isKeyless = parts.faults.lacks('submit.requestKey');
    const outcome = serveCall(handlers, name, raw, { ...call, isKeyless });
    if (outcome.kind === 'ok' && changesSomething(name))
      parts.onChange({ name, account: call.account.id, replayKey, isKeyless, ...raw });
    market.reschedule();
    return outcome;
  };
}

function changesSomething(name: EndpointName): boolean {
  return ENDPOINTS[name].method !== 'GET' && name !== 'signatureSelfTest';
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the body as text, '' if there is none; undefined if it is not UTF-8. */
function textOf(body: unknown): string | undefined {
  if (!Buffer.isBuffer(body)) return '';
  try {
    return UTF8.decode(body);
  } catch {
    return undefined;
  }
}

function notFound(request: FastifyRequest): CallResult {
  const { path } = targetOf(request);
  const found = findEndpoint(request.method, path);
  const code = found.kind === 'wrong-method' ? found.code : 404000;
  return refused(code, `${errorCode(code).message}: ${request.method} ${path.slice(0, 100)}`);
}

function send(reply: FastifyReply, outcome: CallResult): FastifyReply {
  reply.header('content-type', JSON_TYPE);
  const { status, text } = httpResponseOf(outcome);
  return reply.code(status).send(text);
}

/** Answers a client's error to the client; reports an internal error to the operator, too. */
function errorSender(onFault: FaultReport): (error: FastifyError, reply: FastifyReply) => FastifyReply {
  return (error, reply) => {
    const status = error.statusCode ?? 500;
    if (status === 413) return send(reply, refused(TOO_LARGE, errorCode(TOO_LARGE).message));
    if (status < 500) return send(reply, refused(BAD_PARAMETERS, error.message));
    onFault(error);
    return send(reply, refused(INTERNAL_ERROR, errorCode(INTERNAL_ERROR).message));
  };
}
