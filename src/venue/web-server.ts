import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import * as limits from './limits.ts';
import type { TlsOption } from './venue-options.ts';

/** How often slow clients are looked for, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** The server below HTTP and sockets: plain or TLS, with the limits that keep slow and many clients from filling it. */
export function createWebServer(listener: RequestListener, tls: TlsOption | undefined): Server {
  const patience = {
    headersTimeout: limits.HEADERS_MS,
    requestTimeout: limits.REQUEST_MS,
    keepAliveTimeout: limits.IDLE_MS,
    connectionsCheckingInterval: LOOK_EVERY_MS,
    maxHeaderSize: 2 * limits.TARGET_BYTES,
  };
  const server =
    tls === undefined
      ? createServer(patience, listener)
      : createTlsServer({ ...patience, cert: tls.cert, key: tls.key }, listener);
  limitConnections(server);
  return server;
}

/** At most so many connections in all and from one address; what is too many is cut at once. */
function limitConnections(server: Server): void {
  const byAddress = new Map<string, number>();
  server.maxConnections = limits.CONNECTIONS_MAX;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (byAddress.get(address) ?? 0) + 1;
    byAddress.set(address, count);
    socket.once('close', () => {
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left === 0) byAddress.delete(address);
      else byAddress.set(address, left);
    });
    if (count > limits.CONNECTIONS_PER_ADDRESS) socket.destroy();
  });
}
