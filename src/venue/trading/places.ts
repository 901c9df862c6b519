import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Remote address and port, which identify a connection below TLS and HTTP alike. */
type Ends = Pick<Socket, 'remoteAddress' | 'remotePort'>;

interface Place {
  readonly socket: Socket;
  readonly address: string;
  /** Whether the connection has carried a request with valid credentials. */
  isProven: boolean;
}

/**
 * Limits a server's connections in total and per address. Above a limit, the oldest connection without valid
 * credentials is cut; that is the new one only if all others have proven theirs. Idle connections therefore cannot
 * lock clients out.
 * @see docs/reliability.md, S-20
 */
export class Places {
  readonly #places = new Map<string, Place>();
  readonly #max: number;
  readonly #perAddress: number;

  constructor(limits: { readonly connectionsMax: number; readonly connectionsPerAddress: number }) {
    this.#max = limits.connectionsMax;
    this.#perAddress = limits.connectionsPerAddress;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#take(socket));
  }

  /** Marks a connection as proven: it carried a request with valid credentials. */
  prove(ends: Ends): void {
    const place = this.#places.get(keyOf(ends));
    if (place !== undefined) place.isProven = true;
  }

  #take(socket: Socket): void {
    const key = keyOf(socket);
    const address = socket.remoteAddress ?? '';
    const place: Place = { socket, address, isProven: false };
    this.#places.set(key, place);
    socket.once('close', () => {
      if (this.#places.get(key) === place) this.#places.delete(key);
    });
    const neighbours = [...this.#places.values()].filter((each) => each.address === address);
    if (neighbours.length > this.#perAddress) this.#free(neighbours);
    else if (this.#places.size > this.#max) this.#free([...this.#places.values()]);
  }

  /** Cuts the oldest unproven connection; the newest is always unproven. */
  #free(places: readonly Place[]): void {
    const [oldest] = places.filter(({ isProven }) => !isProven);
    if (oldest === undefined) return;
    this.#places.delete(keyOf(oldest.socket));
    oldest.socket.destroy();
  }
}

function keyOf({ remoteAddress, remotePort }: Ends): string {
  return `${remoteAddress} ${remotePort}`;
}
