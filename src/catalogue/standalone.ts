import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { REFUSAL_STATUS, Refusal, refusalBody } from './refusal.ts';
import { BODY_BYTES_MAX, type CatalogueOptions, registerCatalogue } from './server.ts';

/** Timeouts and limits of connections; times in milliseconds. @see docs/reliability.md, S-20 */
export const CONNECTION_LIMITS = {
  headersMsMax: 10_000,
  requestMsMax: 30_000,
  idleMsMax: 5_000,
  connectionsMax: 256,
  connectionsPerAddressMax: 64,
} as const;

/** Interval at which the server checks for slow clients. */
const LOOK_EVERY_MS = 1_000;

/**
 * Creates a server for interface B only, not yet listening. Closing it leaves the store open. It serves plain HTTP:
 * outside loopback, put TLS in front of it.
 */
export function createCatalogueServer(options: CatalogueOptions): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_BYTES_MAX,
    exposeHeadRoutes: false,
    requestTimeout: CONNECTION_LIMITS.requestMsMax,
    keepAliveTimeout: CONNECTION_LIMITS.idleMsMax,
    http: { headersTimeout: CONNECTION_LIMITS.headersMsMax, connectionsCheckingInterval: LOOK_EVERY_MS },
    frameworkErrors: (_error, _request, reply) => answerNotFound(reply),
  });
  app.setNotFoundHandler((_request: FastifyRequest, reply: FastifyReply) => answerNotFound(reply));
  limitConnections(app.server);
  registerCatalogue(app, options);
  return app;
}

function answerNotFound(reply: Pick<FastifyReply, 'code'>): void {
  const refusal = new Refusal('not-found', 'Cannot find this path: the catalogue is below /api/v1/artists');
  reply.code(REFUSAL_STATUS[refusal.code]).type('application/json').send(refusalBody(refusal));
}

function limitConnections(server: Server): void {
  const open = new Map<string, number>();
  server.maxConnections = CONNECTION_LIMITS.connectionsMax;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
    if (count > CONNECTION_LIMITS.connectionsPerAddressMax) socket.destroy();
  });
}
