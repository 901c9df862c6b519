import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { albumId, artistId } from '../../src/catalogue/record.ts';
import { BODY_BYTES_MAX, registerCatalogue } from '../../src/catalogue/server.ts';
import { CONNECTION_LIMITS } from '../../src/catalogue/standalone.ts';
import { ask, errorOf, startWorld } from './world.ts';

const ARTIST = {
  name: 'Mira Quell',
  description: 'Plays\nthe "hang" 🎶',
  image: 'https://pictures.test/mira.jpg',
  band: 'The Locks',
};

it('answers 201 with the stored artist, under its own id when none is given', async () => {
  const { send, store } = await startWorld();
  const answer = await send('POST', '/api/v1/artists', JSON.stringify(ARTIST));
  expect(answer.status).toBe(201);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(JSON.parse(answer.text)).toEqual({ id: 1, ...ARTIST });
  expect(store.artist(artistId(1n))).toEqual({ id: 1n, ...ARTIST });
});

it('answers the album stored under the artist', async () => {
  const { client, store } = await startWorld();
  const artist = await client().createArtist(ARTIST);
  const album = await client().addAlbum(artist.id, { name: 'Low Water', year: 1999, image: ARTIST.image });
  expect(album).toEqual({ id: 1n, name: 'Low Water', year: 1999, image: ARTIST.image });
  expect(store.albumsOf(artist.id, 10)).toEqual([album]);
});

it('replaces every field on update: a field that is left out is removed', async () => {
  const { client, store } = await startWorld();
  const { id } = await client().createArtist(ARTIST);
  expect(await client().updateArtist(id, { name: 'M. Quell' })).toEqual({ id, name: 'M. Quell' });
  expect(store.artist(id)).toEqual({ id, name: 'M. Quell' });
});

it('accepts an update that repeats the id of the path', async () => {
  const { client } = await startWorld();
  const artist = await client().createArtist(ARTIST);
  expect(await client().updateArtist(artist.id, { ...artist, band: 'Solo' })).toEqual({
    ...artist,
    band: 'Solo',
  });
});

it('assigns the next free id past those that clients chose', async () => {
  const { client } = await startWorld();
  for (const id of [2n, 3n, 5n]) await client().createArtist({ id: artistId(id), name: 'chosen' });
  const assigned = [];
  for (let i = 0; i < 3; i += 1) assigned.push((await client().createArtist({ name: 'assigned' })).id);
  expect(assigned).toEqual([1n, 4n, 6n]);
});

it('refuses a taken artist id with 409 and keeps the first record', async () => {
  const { client, store } = await startWorld();
  const id = artistId(7n);
  await client().createArtist({ id, name: 'first' });
  const again = client().createArtist({ id, name: 'second' });
  await expect(again).rejects.toMatchObject({
    status: 409,
    code: 'conflict',
    fields: [{ field: 'id', value: '7' }],
  });
  expect(store.artist(id)?.name).toBe('first');
});

it('refuses a taken album id, also one of another artist', async () => {
  const { client, store } = await startWorld();
  const [one, two] = [await client().createArtist(ARTIST), await client().createArtist(ARTIST)];
  const album = { id: albumId(9n), name: 'Ninth' };
  await client().addAlbum(one.id, album);
  await expect(client().addAlbum(two.id, album)).rejects.toMatchObject({ status: 409, code: 'conflict' });
  expect(store.albumsOf(two.id, 10)).toEqual([]);
});

it('refuses an unknown artist with 404 on update and on a new album', async () => {
  const { client, store } = await startWorld();
  const id = artistId(404n);
  await expect(client().updateArtist(id, ARTIST)).rejects.toMatchObject({ status: 404, code: 'not-found' });
  await expect(client().addAlbum(id, { name: 'Lost' })).rejects.toMatchObject({ status: 404 });
  expect(store.artist(id)).toBeUndefined();
});

it('refuses an update whose body names another artist', async () => {
  const { client, send, store } = await startWorld();
  const { id } = await client().createArtist(ARTIST);
  const answer = await send('PUT', `/api/v1/artists/${id}`, '{"id":2,"name":"other"}');
  expect(answer.status).toBe(422);
  expect(errorOf(answer).fields).toMatchObject([{ field: 'id', value: '2' }]);
  expect(store.artist(id)?.name).toBe(ARTIST.name);
});

it.each([
  ['/api/v1/artists', 'POST', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']],
  ['/api/v1/artists/1', 'PUT', ['GET', 'POST', 'PATCH', 'DELETE']],
  ['/api/v1/artists/1/albums', 'POST', ['GET', 'PUT', 'DELETE']],
])('answers 405 on %s for all but %s', async (path, allowed, others) => {
  const { send } = await startWorld();
  for (const method of others) {
    const answer = await send(method, path);
    expect([method, answer.status, answer.headers['allow']]).toEqual([method, 405, allowed]);
    if (method !== 'HEAD') expect(errorOf(answer).code).toBe('method-not-allowed');
  }
});

it('answers 404 in the same form for every other path', async () => {
  const { send } = await startWorld();
  for (const path of ['/', '/api/v1', '/api/v1/albums', '/api/v1/artists/1/albums/1', '/%zz']) {
    const answer = await send('POST', path, '{}');
    expect([path, answer.status, errorOf(answer).code]).toEqual([path, 404, 'not-found']);
  }
});

it('shares an address with the routes, parsers and hooks of another service', async () => {
  const { store, clock, mint } = await startWorld();
  const token = mint();
  const app = fastify();
  app.post('/v1/test', (request) => ({ code: 0, data: request.body }));
  app.get('/v1/test', () => ({ code: 0 }));
  registerCatalogue(app, { store, keys: store, clock });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  expect((await ask(`${baseUrl}/v1/test`, 'POST', '{"a":1}')).text).toBe('{"code":0,"data":{"a":1}}');
  expect((await ask(`${baseUrl}/v1/test`, 'POST', '{"a":')).text).not.toContain('bad-json');
  const headers = { authorization: `Bearer ${token}` };
  expect((await ask(`${baseUrl}/api/v1/artists`, 'POST', '{"name":"x"}', headers)).status).toBe(201);
  expect((await ask(`${baseUrl}/api/v1/artists`, 'GET', undefined, headers)).status).toBe(405);
  const large = '{"name":"x"}'.padEnd(BODY_BYTES_MAX + 1, ' ');
  expect((await ask(`${baseUrl}/v1/test`, 'POST', large)).status).toBe(200);
  expect((await ask(`${baseUrl}/api/v1/artists`, 'POST', large, headers)).status).toBe(413);
});

it('answers its own fault with 500 and only logs the cause', async () => {
  const { store, clock } = await startWorld();
  const logged: string[] = [];
  const app = fastify({ logger: { level: 'error', stream: { write: (line) => logged.push(line) } } });
  const keys = () => {
    throw new Error('disk 7 is gone');
  };
  registerCatalogue(app, { store, keys: { keys }, clock });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const answer = await ask(`${baseUrl}/api/v1/artists`, 'POST', '{"name":"x"}', { 'x-api-key': 'canary' });
  expect([answer.status, errorOf(answer).code]).toEqual([500, 'internal']);
  expect(answer.text).not.toContain('disk 7');
  expect(logged.join('')).toContain('disk 7');
  expect(logged.join('')).not.toContain('canary');
});

it('stores one of many artists that arrive at once under one id', async () => {
  const { client, store } = await startWorld();
  const id = artistId(1n);
  const added = await Promise.allSettled(
    Array.from({ length: 24 }, (_, index) => client().createArtist({ id, name: `artist ${index}` })),
  );
  const stored = added.filter((result) => result.status === 'fulfilled');
  expect(stored).toHaveLength(1);
  expect(stored[0]?.value).toEqual(store.artist(id));
  for (const result of added) if (result.status === 'rejected') expect(result.reason.code).toBe('conflict');
});

it('keeps updates that arrive at once complete, and assigns different ids', async () => {
  const { client, store } = await startWorld();
  const { id } = await client().createArtist({ name: 'start' });
  const indexes = Array.from({ length: 24 }, (_, index) => String(index));
  await Promise.all(indexes.map((text) => client().updateArtist(id, { name: text, band: text })));
  expect(store.artist(id)?.name).toBe(store.artist(id)?.band);
  const albums = await Promise.all(indexes.map((name) => client().addAlbum(id, { name })));
  expect(new Set(albums.map((album) => album.id)).size).toBe(albums.length);
});

it('keeps 64 connections of one address and drops the next', async () => {
  const { port, send } = await startWorld();
  const sockets: Socket[] = [];
  onTestFinished(() =>
    sockets.forEach((socket) => {
      socket.destroy();
    }),
  );
  const next = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  while (sockets.length < CONNECTION_LIMITS.connectionsPerAddressMax) await next();
  const [first] = sockets;
  const dropped = await next();
  dropped.resume();
  await once(dropped, 'close');
  expect(sockets.filter((socket) => socket.destroyed)).toEqual([dropped]);
  first?.destroy();
  await expect.poll(async () => (await send('POST', '/api/v1/artists', '{"name":"x"}')).status).toBe(201);
});
