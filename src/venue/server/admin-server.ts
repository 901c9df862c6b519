import { timingSafeEqual } from 'node:crypto';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { z } from 'zod';
import { parseDecimal } from '../../model/decimal.ts';
import { isCurrency } from '../../model/money.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { millis } from '../../model/time.ts';
import { type AccessTerms, accessTerms } from '../access/account-access.ts';
import { type FaultRequest, faultRequest } from '../faults/fault-specs.ts';
import type { Faults } from '../faults/faults.ts';
import type { Market } from '../market/market.ts';
import { SteppedMarket } from '../market/stepped-market.ts';

/** Operations of the venue's operator, other than moving its clock. */
export interface Operator {
  readonly faults: Pick<Faults, 'records' | 'firings'>;
  /** Activates faults and performs immediate actions. */
  setFaults(wanted: FaultRequest): void;
  access(): readonly object[];
  /** Changes the access of an account, or of all; returns the problem if that fails. */
  setAccess(account: string | undefined, terms: AccessTerms): { readonly problem?: string };
  /** Deposits money; returns the problem if that fails. */
  deposit(deposit: { readonly account?: string; readonly currency: string; readonly amount: string }): {
    readonly problem?: string;
  };
  /** Resets all accounts to their opening state; returns the problem if that fails. */
  reset(): { readonly problem?: string };
  /** Cuts all sockets of one side, or of both, without a close frame; returns their number. */
  cut(side: 'quote' | 'trade' | undefined): number;
}

const stepRequest = z.strictObject({
  timer: z.number().nullable(),
  quotes: z.enum(['each', 'batched']),
});

const depositRequest = z.strictObject({
  account: z.string().optional(),
  currency: z.string().refine(isCurrency, { error: 'want three capital letters' }),
  amount: z
    .string()
    .refine((text) => parseDecimal(text) !== undefined, { error: 'want a decimal in a string' }),
});

const accessRequest = accessTerms.extend({ account: z.string().optional() });

const cutRequest = z.strictObject({ side: z.enum(['quote', 'trade']).optional() });

/** Maximum size of a body in bytes; enough for a hundred faults. */
const BODY_BYTES = 65_536;

/**
 * Creates the admin server: `GET /clock`, `POST /clock/step` (stepped markets only), `POST /reset`, `POST /deposit`,
 * `GET` and `POST /faults`, `GET` and `POST /access`, `POST /cut`. It listens on loopback only. Every request needs
 * the token, because other users of the machine and web pages in a browser also reach loopback.
 */
export function createAdminServer(market: Market, operator: Operator, token: string): FastifyInstance {
  const app = Fastify({ bodyLimit: BODY_BYTES, exposeHeadRoutes: false, forceCloseConnections: true });
  guard(app, token);
  app.get('/clock', () => market.state());
  app.post('/clock/step', (request, reply) => {
    if (!(market instanceof SteppedMarket)) {
      const { mode } = market.state();
      const message = `Cannot step a market that runs "${mode}"; start the venue with a stepped clock`;
      return reply.code(409).send({ code: 'not-stepped', message });
    }
    const read = stepRequest.safeParse(request.body);
    if (!read.success) {
      const message =
        'Cannot step: want {"timer": epoch milliseconds or null, "quotes": "each" or "batched"}';
      return reply.code(400).send({ code: 'bad-step', message });
    }
    const { timer, quotes } = read.data;
    return reply.send(market.step({ timer: timer === null ? undefined : millis(timer), quotes }));
  });
  addOperations(app, market, operator);
  return app;
}

/** Allowed host names: any other is a foreign name that resolves to loopback (DNS rebinding). */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/** Admits only requests with the token, to a loopback name, and not from a web page. Bodies are JSON or empty. */
function guard(app: FastifyInstance, token: string): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { host, origin, authorization } = request.headers;
    if (!LOOPBACK_HOST.test(host ?? ''))
      return sendRefusal(reply, 403, 'foreign-host', 'Host: want 127.0.0.1, localhost or [::1]');
    if (origin !== undefined || request.headers['sec-fetch-site'] !== undefined)
      return sendRefusal(reply, 403, 'foreign-origin', 'Requests from web pages are not served');
    if (!isEqual(authorization ?? '', `Bearer ${token}`)) {
      const message = 'Authorization: want "Bearer" and the admin token that "sluice venue" printed';
      return sendRefusal(reply, 401, 'unauthorized', message);
    }
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, body === '' ? undefined : JSON.parse(String(body)));
    } catch {
      done(Object.assign(new Error('The body is not JSON'), { statusCode: 400 }));
    }
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status === 415)
      return sendRefusal(reply, status, 'not-json', 'Content-Type: want "application/json"');
    if (status < 500) return sendRefusal(reply, status, 'bad-request', error.message);
    throw error;
  });
}

function isEqual(claimed: string, expected: string): boolean {
  const [one, other] = [Buffer.from(claimed), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function addOperations(app: FastifyInstance, market: Market, operator: Operator): void {
  const { faults } = operator;
  const listed = () => ({ knobs: faults.records(), firings: faults.firings() });
  app.post('/reset', (_request, reply) => {
    market.catchUp();
    const { problem } = operator.reset();
    market.reschedule();
    return problem === undefined ? reply.send(market.state()) : sendProblem(reply, 'cannot-reset', problem);
  });
  app.post('/deposit', (request, reply) =>
    onBody(request, reply, depositRequest, ({ currency, amount, account }) => {
      market.catchUp();
      const { problem } = operator.deposit({
        currency,
        amount,
        ...omitUndefined({ account }),
      });
      return problem === undefined ? reply.send({}) : sendProblem(reply, 'cannot-deposit', problem);
    }),
  );
  app.get('/access', () => ({ accounts: operator.access() }));
  app.post('/access', (request, reply) =>
    onBody(request, reply, accessRequest, ({ account, ...terms }) => {
      const { problem } = operator.setAccess(account, terms);
      if (problem !== undefined) return sendProblem(reply, 'cannot-set-access', problem);
      return reply.send({ accounts: operator.access() });
    }),
  );
  app.get('/faults', listed);
  app.post('/faults', (request, reply) =>
    onBody(request, reply, faultRequest, (wanted) => {
      operator.setFaults(wanted);
      return reply.send(listed());
    }),
  );
  app.post('/cut', (request, reply) =>
    onBody(request, reply, cutRequest, ({ side }) => reply.send({ cut: operator.cut(side) })),
  );
}

function onBody<Shape extends z.ZodType>(
  request: FastifyRequest,
  reply: FastifyReply,
  shape: Shape,
  work: (body: z.output<Shape>) => FastifyReply,
): FastifyReply {
  const read = shape.safeParse(request.body ?? {});
  if (read.success) return work(read.data);
  return reply.code(400).send({ code: 'bad-request', message: z.prettifyError(read.error) });
}

function sendRefusal(reply: FastifyReply, status: number, code: string, message: string): void {
  void reply.code(status).send({ code, message });
}

function sendProblem(reply: FastifyReply, code: string, message: string): FastifyReply {
  return reply.code(409).send({ code, message });
}
