import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import * as limits from './limits.ts';
import type { TlsOption } from './venue-options.ts';

/** How patient the server is with slow clients, in milliseconds, and how many connections it takes. */
export interface ServerLimits {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
  /** How often slow clients are looked for. */
  readonly lookEveryMs: number;
  readonly connectionsMax: number;
  readonly connectionsPerAddress: number;
}

/** The house's own limits. @see reliability, S-20 */
export const HOUSE_LIMITS: ServerLimits = {
  headersMs: limits.HEADERS_MS,
  requestMs: limits.REQUEST_MS,
  idleMs: limits.IDLE_MS,
  lookEveryMs: 1_000,
  connectionsMax: limits.CONNECTIONS_MAX,
  connectionsPerAddress: limits.CONNECTIONS_PER_ADDRESS,
};

/** The server below HTTP and sockets: plain or TLS, with the limits that keep slow and many clients from filling it. */
export function createWebServer(
  listener: RequestListener,
  tls: TlsOption | undefined,
  house: ServerLimits,
): Server {
  const patience = {
    headersTimeout: house.headersMs,
    requestTimeout: house.requestMs,
    keepAliveTimeout: house.idleMs,
    connectionsCheckingInterval: house.lookEveryMs,
    maxHeaderSize: 2 * limits.TARGET_BYTES,
  };
  const server =
    tls === undefined
      ? createServer(patience, listener)
      : createTlsServer({ ...patience, cert: tls.cert, key: tls.key }, listener);
  limitConnections(server, house);
  return server;
}

/** At most so many connections in all and from one address; what is too many is cut at once. */
function limitConnections(server: Server, house: ServerLimits): void {
  const byAddress = new Map<string, number>();
  server.maxConnections = house.connectionsMax;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (byAddress.get(address) ?? 0) + 1;
    byAddress.set(address, count);
    socket.once('close', () => {
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left === 0) byAddress.delete(address);
      else byAddress.set(address, left);
    });
    if (count > house.connectionsPerAddress) socket.destroy();
  });
}
