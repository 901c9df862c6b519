import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Places } from '../trading/places.ts';
import * as limits from './limits.ts';

/** How long the server waits for slow clients, in milliseconds, and how many connections it takes. */
export interface ServerLimits {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
  /** How often slow clients are looked for. */
  readonly lookEveryMs: number;
  readonly connectionsMax: number;
  readonly connectionsPerAddress: number;
}

/** The server's limits. @see docs/reliability.md, S-20 */
export const DEFAULT_SERVER_LIMITS: ServerLimits = {
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
  places: Places,
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
  places.watch(server);
  return server;
}

/** Certificate chain and private key, both as PEM text. */
export interface TlsOption {
  readonly cert: string;
  readonly key: string;
}
