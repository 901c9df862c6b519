import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a server that records the server's answers as latin1. */
export interface TappedLine {
  /** The server's address with the port of this proxy. */
  readonly url: string;
  said(): string;
  close(): Promise<void>;
}

/** Opens a proxy on loopback that passes every byte on in both directions. */
export async function tapped(url: string): Promise<TappedLine> {
  const target = new URL(url);
  const heard: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) });
    far.on('data', (bytes) => heard.push(bytes.toString('latin1')));
    near.pipe(far).pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.once('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = new URL(url);
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href.replace(/\/$/, ''),
    said: () => heard.join(''),
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
