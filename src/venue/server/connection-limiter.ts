import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Remote address and port, which identify a connection below TLS and HTTP alike. */
type RemoteEndpoint = Pick<Socket, 'remoteAddress' | 'remotePort'>;

interface TrackedConnection {
  readonly socket: Socket;
  readonly address: string;
  /** Whether the connection has carried a request with valid credentials. */
  isAuthenticated: boolean;
}

/**
 * Limits a server's connections in total and per address. Above a limit, the oldest connection without valid
 * credentials is cut; that is the new one only if all others have proven theirs. Idle connections therefore cannot
 * lock clients out.
 * @see docs/reliability.md, S-20
 */
export class ConnectionLimiter {
  readonly #connections = new Map<string, TrackedConnection>();
  readonly #max: number;
  readonly #perAddress: number;

  constructor(limits: { readonly connectionsMax: number; readonly connectionsPerAddress: number }) {
    this.#max = limits.connectionsMax;
    this.#perAddress = limits.connectionsPerAddress;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** Marks a connection as proven: it carried a request with valid credentials. */
  markAuthenticated(ends: RemoteEndpoint): void {
    const connection = this.#connections.get(keyOf(ends));
    if (connection !== undefined) connection.isAuthenticated = true;
  }

  #add(socket: Socket): void {
    const key = keyOf(socket);
    const address = socket.remoteAddress ?? '';
    const connection: TrackedConnection = { socket, address, isAuthenticated: false };
    this.#connections.set(key, connection);
    socket.once('close', () => {
      if (this.#connections.get(key) === connection) this.#connections.delete(key);
    });
    const sameAddress = [...this.#connections.values()].filter((each) => each.address === address);
    if (sameAddress.length > this.#perAddress) this.#evictOldest(sameAddress);
    else if (this.#connections.size > this.#max) this.#evictOldest([...this.#connections.values()]);
  }

  /** Cuts the oldest unproven connection; the newest is always unproven. */
  #evictOldest(connectionLimiter: readonly TrackedConnection[]): void {
    const [oldest] = connectionLimiter.filter(({ isAuthenticated }) => !isAuthenticated);
    if (oldest === undefined) return;
    this.#connections.delete(keyOf(oldest.socket));
    oldest.socket.destroy();
  }
}

function keyOf({ remoteAddress, remotePort }: RemoteEndpoint): string {
  return `${remoteAddress} ${remotePort}`;
}
