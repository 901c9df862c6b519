import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseDecimal } from '../model/decimal.ts';
import { isCurrency } from '../model/money.ts';
import { millis } from '../model/time.ts';
import { type AccessTerms, accessTerms } from './account-access.ts';
import { type FaultRequest, faultRequest } from './fault-knobs.ts';
import type { Faults } from './faults.ts';
import type { Market } from './market.ts';
import { SteppedMarket } from './stepped-market.ts';

/** What the operator of a venue can do to it besides moving its clock. */
export interface Operator {
  readonly faults: Pick<Faults, 'records' | 'firings'>;
  /** Switches knobs on, and does at once what is to be done at once. */
  setFaults(wanted: FaultRequest): void;
  /** What is enabled, account by account. */
  access(): readonly object[];
  /** Enables and disables services and quote levels of an account, or of all; gives back the reason when that cannot be. */
  setAccess(account: string | undefined, terms: AccessTerms): { readonly problem?: string };
  /** Pays money into an account; gives back the reason when that cannot be. */
  deposit(deposit: { readonly account?: string; readonly currency: string; readonly amount: string }): {
    readonly problem?: string;
  };
  /** Puts all accounts back to their opening; gives back the reason when that cannot be. */
  reset(): { readonly problem?: string };
  /** Cuts all sockets of one side, or of both, without a word; returns how many. */
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

/** Bytes of a body; a hundred knobs fit in. */
const BODY_BYTES = 65_536;

/**
 * The admin port: the market's clock (`GET /clock`, and `POST /clock/step` where it is stepped), `POST /reset`,
 * `POST /deposit`, `GET` and `POST /faults`, `GET` and `POST /access`, `POST /cut`. Loopback only, never on the public port.
 */
export function createAdminServer(market: Market, operator: Operator): FastifyInstance {
  const app = Fastify({ bodyLimit: BODY_BYTES, exposeHeadRoutes: false, forceCloseConnections: true });
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

function addOperations(app: FastifyInstance, market: Market, operator: Operator): void {
  const { faults } = operator;
  const listed = () => ({ knobs: faults.records(), firings: faults.firings() });
  app.post('/reset', (_request, reply) => {
    market.catchUp();
    const { problem } = operator.reset();
    market.rearrange();
    return problem === undefined ? reply.send(market.state()) : sendProblem(reply, 'cannot-reset', problem);
  });
  app.post('/deposit', (request, reply) =>
    onBody(request, reply, depositRequest, ({ currency, amount, account }) => {
      market.catchUp();
      const { problem } = operator.deposit({
        ...{ currency, amount },
        ...(account === undefined ? {} : { account }),
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

function sendProblem(reply: FastifyReply, code: string, message: string): FastifyReply {
  return reply.code(409).send({ code, message });
}
