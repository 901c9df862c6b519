import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { ServerLimits } from '#src/venue/server/web-server.ts';
import type { RunningVenue } from '#src/venue/venue-options.ts';
import { encodeFrame } from '#src/wire/frame.ts';
import { call, SocketClient, signed } from './a-client.ts';
import { aVenue } from './a-venue.ts';

/** Limits so short that a test reaches them on a real clock. */
const SHORT: Partial<ServerLimits> = { headersMs: 50, requestMs: 100, idleMs: 50, checkIntervalMs: 20 };
const MEGABYTE = 2 ** 20;

const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

async function connected(venue: RunningVenue): Promise<Socket> {
  const socket = connect(Number(new URL(venue.http).port), '127.0.0.1');
  socket.on('error', () => {});
  opened.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** All output of the other end until it closes. */
function heardUntilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (data: Buffer) => {
    text += data.toString();
  });
  return new Promise((resolve) => socket.once('close', () => resolve(text)));
}

const isUp = async (venue: RunningVenue): Promise<boolean> =>
  (await call(venue, 'GET', '/v1/asset/account')).code === 0;

describe('a flood', () => {
  it('S-20: headers that never end are disconnected', async () => {
    const { venue } = await aVenue({ serverLimits: SHORT });
    const dripping = await Promise.all(Array.from({ length: 40 }, () => connected(venue)));
    const ends = dripping.map(heardUntilClosed);
    for (const socket of dripping) socket.write('GET /v1/test HTTP/1.1\r\nHost: a\r\nX-Drip: ');
    for (const said of await Promise.all(ends)) expect(said).toMatch(/^(HTTP\/1\.1 408.*602001|$)/s);
    expect(await isUp(venue)).toBe(true);
  });

  it('S-20: clients that never close after the notice that they are too slow lose their connections a second later', async () => {
    const { venue, advance } = await aVenue({ serverLimits: { ...SHORT, connectionsPerAddress: 4 } });
    const port = Number(new URL(venue.http).port);
    const stubborn = Array.from({ length: 4 }, () =>
      connect({ port, host: '127.0.0.1', allowHalfOpen: true }),
    );
    for (const socket of stubborn) {
      opened.push(socket);
      socket.on('error', () => {});
      socket.resume();
      socket.write('GET /v1/test HTTP/1.1\r\nHost: a\r\nX-Drip: ');
    }
    await Promise.all(stubborn.map((socket) => once(socket, 'end')));
    // They occupy every connection of the address; a client gets one nevertheless.
    expect(await isUp(venue)).toBe(true);
    advance(1_000);
    await expect.poll(() => isUp(venue).catch(() => false)).toBe(true);
    expect(stubborn.map((socket) => socket.destroyed)).toEqual([false, false, false, false]);
  });

  it('S-20: half requests from many addresses on every connection block no client, and disconnect no known one', async () => {
    const { venue } = await aVenue({ serverLimits: { connectionsMax: 24, connectionsPerAddress: 4 } });
    const known = await SocketClient.loggedIn(venue, 'quote');
    const port = Number(new URL(venue.http).port);
    const half = (localAddress: string) =>
      new Promise<Socket>((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1', localAddress }, () => resolve(socket)).once(
          'error',
          reject,
        );
        opened.push(socket);
      });
    for (let round = 0; round < 3; round += 1)
      for (const address of [2, 3, 4, 5, 6, 7].map((last) => `127.0.0.${last}`))
        for (let place = 0; place < 6; place += 1) {
          const socket = await half(address);
          socket.on('error', () => {});
          socket.write('GET /v1/test HTTP/1.1\r\nHost: a\r\nX-Drip: ');
        }
    expect(await isUp(venue)).toBe(true);
    (await SocketClient.loggedIn(venue, 'trade')).close();
    expect((await known.exchange(10, new Uint8Array())).status).toBe(0);
    known.close();
  });

  it('S-21: sockets that do not log in yield to clients, and are closed 6 s after they opened', async () => {
    const limits = { connectionsMax: 8, connectionsPerAddress: 8 };
    const { venue, advance } = await aVenue({ serverLimits: limits });
    const url = `${venue.quoteWs}?version=1&codec=1&platform=9`;
    const strangers = Array.from({ length: 20 }, () => new WebSocket(url).on('error', () => {}));
    await Promise.all(strangers.map((socket) => Promise.race([once(socket, 'open'), once(socket, 'close')])));
    expect(await isUp(venue)).toBe(true);
    (await SocketClient.loggedIn(venue, 'trade')).close();
    // Clients that never answer the close.
    for (const socket of strangers) if (socket.readyState === WebSocket.OPEN) socket.pause();
    const ends = strangers.map((socket) =>
      socket.readyState === WebSocket.CLOSED ? undefined : once(socket, 'close'),
    );
    advance(5_000);
    advance(1_000);
    for (const socket of strangers) if (socket.isPaused) socket.resume();
    await Promise.all(ends);
    expect(await isUp(venue)).toBe(true);
  });

  it('S-20: a body that never arrives is disconnected', async () => {
    const { venue } = await aVenue({ serverLimits: SHORT });
    const slow = await connected(venue);
    const end = heardUntilClosed(slow);
    slow.write('POST /v1/trade/order HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{');
    expect(await end).toMatch(/^(HTTP\/1\.1 408|$)/);
    expect(await isUp(venue)).toBe(true);
  });

  it('S-20: an idle connection is closed, and an unexpected one is not accepted', async () => {
    const limits = { ...SHORT, connectionsMax: 8, connectionsPerAddress: 4 };
    const { venue } = await aVenue({ serverLimits: limits });
    const idle = await connected(venue);
    const end = heardUntilClosed(idle);
    idle.write('GET /v1/nowhere HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await end).toContain('404');
    const many = await Promise.all(Array.from({ length: 30 }, () => connected(venue)));
    await Promise.all(many.map(heardUntilClosed));
    await expect.poll(() => isUp(venue).catch(() => false)).toBe(true);
  });

  it('S-19: bodies of 16 MB are refused with 413 before they are read, with a true length, chunked, or with a false length', async () => {
    const { venue } = await aVenue();
    const length = 16 * MEGABYTE;
    const heads = [`Content-Length: ${length}`, 'Transfer-Encoding: chunked'];
    for (const head of heads) {
      const flood = await connected(venue);
      const end = heardUntilClosed(flood);
      flood.write(`POST /v1/trade/order HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${head}\r\n\r\n`);
      const piece = head.startsWith('Content') ? '' : `${(MEGABYTE / 16).toString(16)}\r\n`;
      const tail = piece === '' ? '' : '\r\n';
      const chunk = Buffer.from(`${piece}${'x'.repeat(MEGABYTE / 16)}${tail}`);
      for (let sent = 0; sent < 4 && !flood.destroyed; sent += 1) flood.write(chunk);
      expect(await end).toContain('HTTP/1.1 413');
    }
    const body = 'x'.repeat(20_000);
    const liar = await connected(venue);
    const end = heardUntilClosed(liar);
    liar.write(
      `POST /v1/trade/order HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 10\r\n\r\n${body}`,
    );
    expect(await end).toContain('Cannot read the request: the bytes are no HTTP/1.1 request');
    expect(await isUp(venue)).toBe(true);
  });

  it('S-21: a socket message beyond a megabyte, and one whose header declares 16, end only that socket', async () => {
    const { venue } = await aVenue();
    const honest = await SocketClient.loggedIn(venue, 'quote');
    const large = await SocketClient.loggedIn(venue, 'quote');
    large.raw(new Uint8Array(MEGABYTE + 1));
    expect(await large.closed).toBe(1009);
    const liar = await SocketClient.loggedIn(venue, 'quote');
    const frame = encodeFrame({
      kind: 'request',
      command: 1,
      requestId: 1,
      timeoutMs: 9,
      body: new Uint8Array(),
    });
    frame.set([0xff, 0xff, 0xff], 8);
    liar.raw(frame);
    expect(await liar.closed).toBe(1002);
    honest.close();
    expect(await honest.closed).toBe(1005);
    expect(await isUp(venue)).toBe(true);
  });

  it('S-21: a client that opens sockets without end gets ten per account, and the others are refused with a reason', async () => {
    const { venue } = await aVenue();
    const clients: SocketClient[] = [];
    for (let each = 0; each < 10; each += 1) clients.push(await SocketClient.loggedIn(venue, 'trade'));
    await expect(SocketClient.loggedIn(venue, 'trade')).rejects.toThrow(/connections limitation is hit/);
    expect(await isUp(venue)).toBe(true);
    for (const client of clients) client.close();
    await Promise.all(clients.map(({ closed }) => closed));
    await expect.poll(async () => (await call(venue, 'GET', '/v1/socket/token')).data.online).toBe(0);
    (await SocketClient.loggedIn(venue, 'trade')).close();
  });

  it('S-21: a message in a million fragments of one byte ends its socket, and memory stays constant', async () => {
    const { venue } = await aVenue();
    const client = await SocketClient.loggedIn(venue, 'quote');
    const before = process.memoryUsage().rss;
    let isOpen = true;
    void client.closed.then(() => {
      isOpen = false;
    });
    for (let sent = 0; sent < 1_000_000 && isOpen; sent += 1_000) {
      client.fragments(1_000);
      await new Promise(setImmediate);
    }
    expect([1006, 1008]).toContain(await client.closed);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MEGABYTE);
    expect(await isUp(venue)).toBe(true);
  });

  it('S-21: a storm of pings ends only its socket', async () => {
    const { venue } = await aVenue({ marketClock: { kind: 'wall' } });
    const client = await SocketClient.loggedIn(venue, 'quote');
    for (let each = 0; each < 200; each += 1) client.ping();
    expect([1006, 1008]).toContain(await client.closed);
    expect(await isUp(venue)).toBe(true);
  });

  it('of pipelined requests is answered one by one, each separately', async () => {
    const { venue } = await aVenue();
    const headers = Object.entries(signed('GET', '/v1/test')).map(([name, value]) => `${name}: ${value}\r\n`);
    const one = `GET /v1/test HTTP/1.1\r\nHost: a\r\n${headers.join('')}\r\n`;
    const flood = await connected(venue);
    let answers = 0;
    const all = new Promise<void>((resolve) => {
      flood.on('data', (data: Buffer) => {
        answers += data.toString().split('"message":"success"').length - 1;
        if (answers === 200) resolve();
      });
    });
    flood.write(one.repeat(200));
    await all;
    expect(await isUp(venue)).toBe(true);
  });
});
