import type { FastifyInstance } from 'fastify';
import { VenueError } from '../venue-error.ts';

/**
 * Listens and returns the port. Throws VenueError: `port-busy` if another process uses the port,
 * `address-unavailable` if the address does not exist on this machine or the port is not permitted.
 */
export async function listen(
  app: FastifyInstance,
  { host, port, option }: { readonly host: string; readonly port: number; readonly option: string },
): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    throw listenError(cause, { host, port, option });
  }
  const address = app.server.address();
  return address !== null && typeof address === 'object' ? address.port : port;
}

function listenError(
  cause: unknown,
  { host, port, option }: { host: string; port: number; option: string },
): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const where = `Cannot start the venue on ${host}:${port}`;
  if (code === 'EADDRINUSE') {
    const message = `${where}: another program listens there; stop it, or set ${option} to another port (0 takes a free one)`;
    return new VenueError('port-busy', message, { cause });
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EACCES') {
    const message = `${where}: ${String(code)}, this machine has no such address or may not use the port; set host or ${option}`;
    return new VenueError('address-unavailable', message, { cause });
  }
  return cause;
}
