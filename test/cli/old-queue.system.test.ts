import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { sluice } from './run-sluice.ts';

it('names the version of a server that is too old, and where to get a newer one', async () => {
  // The first lines of the NATS protocol, as the server of Debian 12 sends them.
  const server = createServer((socket) => {
    const info = {
      server_id: 'OLD',
      version: '2.9.10',
      proto: 1,
      headers: true,
      max_payload: 1_048_576,
      jetstream: true,
    };
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on('data', (data) => {
      if (data.includes('PING')) socket.write('PONG\r\n');
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, out, err } = await sluice(['worker', '--queue', `nats://${address}`], { cwd: tmpdir() });
    expect([code, out]).toEqual([4, '']);
    expect(err).toContain(`The server at "nats://${address}" runs NATS 2.9.10, want 2.10 or newer`);
    expect(err).toContain(
      'take one from https://github.com/nats-io/nats-server/releases, or run "go install',
    );
  } finally {
    server.close();
  }
});
