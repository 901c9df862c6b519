import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Both ends of a connection, which name it below TLS and HTTP alike. */
type Ends = Pick<Socket, 'remoteAddress' | 'remotePort'>;

interface Place {
  readonly socket: Socket;
  readonly address: string;
  /** Whether a request with valid credentials came over it. */
  isProven: boolean;
}

/**
 * The connections that a server holds: at most so many in all and from one address. Where there are too many, the oldest that
 * has shown no valid credentials is cut, the new one only where all others have: connections that say nothing, or half a
 * request, cannot keep clients out.
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

  /** Watches over the connections of a server. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#take(socket));
  }

  /** A request with valid credentials came over a connection: it keeps its place. */
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

  /** Cuts the oldest that has proven nothing; the newest is among them. */
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
