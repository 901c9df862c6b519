import { Client, type Dispatcher, Pool } from 'undici';
import type { Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BrokerSettings } from '../settings.ts';

/** A connection for one request that must not be repeated. */
export interface LeasedConnection {
  readonly dispatcher: Dispatcher;
  /** Returns it: `clean` if a complete answer was received, otherwise it is closed. */
  release(clean: boolean): void;
  /** Closes it immediately; a request that still waits for it is never sent. */
  abandon(): void;
}

/** The HTTP connections to one venue. */
export interface Connections {
  /** Shared connections for queries. */
  readonly reads: Dispatcher;
  /** One request at a time, idle for at most `idleMsMax`, otherwise new. */
  lease(): LeasedConnection;
  /** Number of connections that were opened for changes so far. */
  opened(): number;
  close(): Promise<void>;
}

const IDLE_MAX = 4;

/**
 * A venue closes idle connections, and a request that meets such a close is lost without an answer. A change
 * therefore uses a connection that was just used, by machine time, or a new one. @see docs/reliability.md, F-N06
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
      destroy(idleClient.client);
    }
    opened += 1;
    return new Client(origin, shared);
  }

  return {
    reads,
    lease() {
      const client = take();
      busy.add(client);
      return {
        dispatcher: client,
        release(clean) {
          if (!busy.delete(client)) return;
          if (clean && idle.length < IDLE_MAX) idle.push({ client, since: machine.now() });
          else destroy(client);
        },
        abandon() {
          if (busy.delete(client)) destroy(client);
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

/** No caller waits for it, and its result carries no information. */
function destroy(client: Client): void {
  client.destroy(() => undefined);
}
