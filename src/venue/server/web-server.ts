import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { ConnectionLimiter } from './connection-limiter.ts';
import * as limits from './limits.ts';

/** Timeouts in milliseconds and connection limits. */
export interface ServerLimits {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
  readonly checkIntervalMs: number;
  readonly connectionsMax: number;
  readonly connectionsPerAddress: number;
}

/** Default limits. @see docs/reliability.md, S-20 */
export const DEFAULT_SERVER_LIMITS: ServerLimits = {
  headersMs: limits.HEADERS_TIMEOUT_MS,
  requestMs: limits.REQUEST_TIMEOUT_MS,
  idleMs: limits.IDLE_TIMEOUT_MS,
  checkIntervalMs: 1_000,
  connectionsMax: limits.CONNECTIONS_MAX,
  connectionsPerAddress: limits.CONNECTIONS_PER_ADDRESS,
};

/** Creates the server for HTTP and sockets, plain or TLS, with limits against slow and numerous clients. */
export function createWebServer(
  listener: RequestListener,
  tls: TlsOption | undefined,
  serverLimits: ServerLimits,
  connectionLimiter: ConnectionLimiter,
): Server {
  const timeouts = {
    headersTimeout: serverLimits.headersMs,
    requestTimeout: serverLimits.requestMs,
    keepAliveTimeout: serverLimits.idleMs,
    connectionsCheckingInterval: serverLimits.checkIntervalMs,
    maxHeaderSize: 2 * limits.TARGET_BYTES,
  };
  const server =
    tls === undefined
      ? createServer(timeouts, listener)
      : createTlsServer({ ...timeouts, cert: tls.cert, key: tls.key }, listener);
  connectionLimiter.watch(server);
  return server;
}

/** Certificate chain and private key, as PEM text. */
export interface TlsOption {
  readonly cert: string;
  readonly key: string;
}
