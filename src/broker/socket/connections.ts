import { Client, type Dispatcher, Pool } from 'undici';
import type { Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BrokerSettings } from '../settings.ts';

/** A connection lent for one request that must not be repeated. */
export interface LeasedConnection {
  readonly dispatcher: Dispatcher;
  /** Gives it back: `clean` when a whole answer came over it, else it is thrown away. */
  release(clean: boolean): void;
  /** Throws it away at once; a request that still waits on it is never written. */
  abandon(): void;
}

/** The HTTP connections to one venue. */
export interface Connections {
  /** Shared and kept warm, for questions. */
  readonly reads: Dispatcher;
  /** One request at a time, idle for `idleMsMax` at most, else new. */
  lend(): LeasedConnection;
  /** How many connections were opened for changes so far. */
  opened(): number;
  close(): Promise<void>;
}

const IDLE_KEPT_MAX = 4;

/**
 * A venue closes connections that rest too long, and a request that meets such a close is lost without an answer. So what
 * changes something uses a connection that was just used, by machine time, or a new one.
 * @see docs/reliability.md, F-N06
 */
export function createConnections(
  origin: URL,
  machine: Pick<Clock, 'now'>,
  settings: BrokerSettings,
): Connections {
  const shared: Client.Options = {
    pipelining: 1,
    allowH2: false,
    connectTimeout: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: settings.answerBytesMax,
  };
  const reads = new Pool(origin, {
    ...shared,
    maxResponseSize: settings.listBytesMax,
    connections: settings.readConnectionsMax,
  });
  const idle: { readonly client: Client; readonly since: Millis }[] = [];
  const busy = new Set<Client>();
  let opened = 0;

  function take(): Client {
    for (let idleClient = idle.pop(); idleClient !== undefined; idleClient = idle.pop()) {
      if (machine.now() - idleClient.since <= settings.idleMsMax) return idleClient.client;
      drop(idleClient.client);
    }
    opened += 1;
    return new Client(origin, shared);
  }

  return {
    reads,
    lend() {
      const client = take();
      busy.add(client);
      return {
        dispatcher: client,
        release(clean) {
          if (!busy.delete(client)) return;
          if (clean && idle.length < IDLE_KEPT_MAX) idle.push({ client, since: machine.now() });
          else drop(client);
        },
        abandon() {
          if (busy.delete(client)) drop(client);
        },
      };
    },
    opened: () => opened,
    async close() {
      const all = [reads, ...busy, ...idle.splice(0).map((idleClient) => idleClient.client)];
      busy.clear();
      await Promise.all(all.map((each) => each.destroy()));
    },
  };
}

/** No caller waits for it, and its end carries no information. */
function drop(client: Client): void {
  client.destroy(() => undefined);
}
