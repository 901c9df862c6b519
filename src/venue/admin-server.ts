import Fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { millis } from '../model/time.ts';
import type { Market } from './market.ts';
import { SteppedMarket } from './stepped-market.ts';

const stepRequest = z.strictObject({
  timer: z.number().nullable(),
  quotes: z.enum(['each', 'batched']),
});

/**
 * The admin port: the market's clock. `GET /clock` tells where it stands; `POST /clock/step` (stepped only) says that the
 * bot is done with this instant, and answers with what came next. Loopback only, never on the public port.
 */
export function createAdminServer(market: Market): FastifyInstance {
  const app = Fastify({ bodyLimit: 4_096, exposeHeadRoutes: false, forceCloseConnections: true });
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
  return app;
}
