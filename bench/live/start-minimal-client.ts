import { fork } from 'node:child_process';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { TRADED } from './bot.ts';

/** The minimal client, with a server that sends it bytes and receives its orders. */
export interface MinimalClient {
  readonly pid: number;
  send(bytes: Buffer): Promise<void>;
  /** Quotes read so far, and the microseconds from tick to order since the last call. */
  state(): Promise<{ readonly quotes: number; readonly measured: readonly number[] }>;
  close(): void;
}

const OPENED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
const TAKEN = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

/** Starts the minimal client in its own process. */
export async function startMinimalClient(): Promise<MinimalClient> {
  let client: Socket | undefined;
  const quotes = await listening((socket) => {
    client = socket.setNoDelay(true);
    socket.once('data', () => socket.write(OPENED));
  });
  const orders = await listening((socket) => socket.on('data', () => socket.write(TAKEN)));
  const child = fork(join(import.meta.dirname, 'minimal-client.ts'), [
    portOf(quotes),
    portOf(orders),
    TRADED,
  ]);
  await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error('The minimal client has ended')));
  });
  return {
    pid: child.pid ?? 0,
    send: (bytes) =>
      new Promise((resolve, reject) => {
        client?.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    state: () =>
      new Promise((resolve) => {
        child.once('message', (state) => resolve(state as Awaited<ReturnType<MinimalClient['state']>>));
        child.send('state');
      }),
    close() {
      child.kill('SIGKILL');
      for (const server of [quotes, orders]) server.close();
      client?.destroy();
    },
  };
}

function listening(take: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    take(socket);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const portOf = (server: Server): string => String((server.address() as AddressInfo).port);
