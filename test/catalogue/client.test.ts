import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { createCatalogueClient } from '../../src/catalogue/client.ts';
import { INT64_MAX, INT64_MIN } from '../../src/catalogue/int64.ts';
import { albumId, artistId, type NewAlbum, type NewArtist } from '../../src/catalogue/record.ts';
import { StandingClock, startWorld } from './world.ts';

const AUTH = { kind: 'bearer', token: 'secret-of-the-desk' } as const;

/** A client of a server with given answers. */
async function clientOf(listener: RequestListener, path = '') {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const clock = new StandingClock();
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const client = createCatalogueClient({ baseUrl, auth: AUTH, clock, deadlineMs: 500 });
  onTestFinished(async () => {
    server.closeAllConnections();
    await client.close();
    await new Promise((resolve) => server.close(resolve));
  });
  return { client, clock, server };
}

const answering = (status: number, body: string, headers = {}): RequestListener => {
  return (request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
};

const text = (charsMax: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: charsMax })
    .filter((value) => value.trim() !== '' && !/\p{Cc}/u.test(value) && Array.from(value).length <= charsMax);
const int64 = fc.bigInt(INT64_MIN, INT64_MAX);
const image = fc
  .webUrl({ validSchemes: ['https'], withQueryParameters: true })
  .filter((url) => URL.canParse(url));

const anArtist: fc.Arbitrary<NewArtist> = fc.record(
  { id: int64.map(artistId), name: text(200), description: text(400), image, band: text(200) },
  { requiredKeys: ['name'] },
);
const anAlbum: fc.Arbitrary<NewAlbum> = fc.record(
  { id: int64.map(albumId), name: text(200), year: fc.integer({ min: 1_000, max: 9_999 }), image },
  { requiredKeys: ['name'] },
);

it('stores every record and reads it back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(anArtist, anArtist, anAlbum, async (first, second, album) => {
      const { client, store } = await startWorld();
      const { createArtist, updateArtist, addAlbum } = client();
      const { id: _unused, ...fields } = second;
      const added = await createArtist(first);
      expect(added).toEqual({ id: added.id, ...first });
      expect(await updateArtist(added.id, fields)).toEqual({ id: added.id, ...fields });
      expect(store.artist(added.id)).toEqual({ id: added.id, ...fields });
      const stored = await addAlbum(added.id, album);
      expect(stored).toEqual({ id: stored.id, ...album });
      expect(store.albumsOf(added.id, 10)).toEqual([stored]);
    }),
    { numRuns: 40 },
  );
});

it('sends either scheme, and reads the invalid fields', async () => {
  const { client, mint } = await startWorld();
  const bearer = client({ kind: 'bearer', token: mint() });
  expect((await bearer.createArtist({ name: 'x' })).id).toBe(1n);
  await expect(bearer.createArtist({ name: '', image: 'x' })).rejects.toMatchObject({
    name: 'CatalogueError',
    status: 422,
    code: 'invalid',
    fields: [
      { field: 'name', value: '' },
      { field: 'image', value: 'x' },
    ],
    message: expect.stringMatching(/^Cannot POST \/api\/v1\/artists: 422 invalid: .*name must not be blank/),
  });
});

it('never follows a redirect', async () => {
  let asked = 0;
  const { client } = await clientOf((request, response) => {
    asked += 1;
    answering(307, '', { location: '/elsewhere' })(request, response);
  });
  await expect(client.createArtist({ name: 'x' })).rejects.toMatchObject({ status: 307, code: 'redirected' });
  expect(asked).toBe(1);
});

it('fails at its deadline, also in the middle of an answer, and never repeats a request', async () => {
  let asked = 0;
  const { client, clock, server } = await clientOf((request, response) => {
    asked += 1;
    request.resume();
    if (asked === 2) response.writeHead(201).write('{"id":1,');
    server.emit('asked');
  });
  for (const _half of [1, 2]) {
    const reached = new Promise((resolve) => server.once('asked', resolve));
    const refused = expect(client.createArtist({ name: 'x' })).rejects.toMatchObject({
      status: undefined,
      code: 'deadline',
      message: expect.stringContaining('within 500 ms'),
    });
    await reached;
    clock.advance(500);
    await refused;
  }
  expect(asked).toBe(2);
  expect(clock.waiting).toBe(0);
});

it('reports that no server answers', async () => {
  const { client, clock, server } = await clientOf(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  await expect(client.createArtist({ name: 'x' })).rejects.toMatchObject({ code: 'unreachable', fields: [] });
  expect(clock.waiting).toBe(0);
});

it.each([
  ['no JSON', 201, '<html>'],
  ['no id', 201, '{"name":"x"}'],
  ['an id outside int64', 201, '{"id":1.5,"name":"x"}'],
  ['another success', 200, '{"id":1,"name":"x"}'],
  ['a strange error', 502, 'Bad Gateway\u001b[2J'],
  ['an error without code', 422, '{"error":"no"}'],
])('rejects an answer with %s', async (_name, status, body) => {
  const { client } = await clientOf(answering(status, body));
  const asked = client.createArtist({ name: 'x' });
  await expect(asked).rejects.toMatchObject({ status, code: 'bad-answer' });
  await expect(asked).rejects.not.toThrow('\u001b');
});

it('reads null as no value and ignores unknown fields', async () => {
  const { client } = await clientOf(answering(201, '{"id":5,"name":"x","band":null,"likes":1.5}'));
  expect(await client.createArtist({ name: 'x' })).toEqual({ id: 5n, name: 'x' });
});

it('refuses an answer that is larger than 256 KB', async () => {
  const { client } = await clientOf(answering(201, `{"id":1,"name":"${'x'.repeat(300_000)}"}`));
  await expect(client.createArtist({ name: 'x' })).rejects.toMatchObject({ code: 'bad-answer' });
});

it('keeps the path of its base URL and identifies itself', async () => {
  const seen: unknown[] = [];
  const { client } = await clientOf((request, response) => {
    seen.push(request.url, request.headers.authorization);
    answering(200, '{"id":3,"name":"x"}')(request, response);
  }, '/music/');
  await client.updateArtist(artistId(3n), { name: 'x' });
  expect(seen).toEqual(['/music/api/v1/artists/3', `Bearer ${AUTH.token}`]);
});

it.each([
  'http://catalogue.test',
  'http://127.0.0.1.evil.test',
  'ftp://127.0.0.1',
  'https://me:pw@catalogue.test',
  'https://catalogue.test/?a=1',
  'https://catalogue.test/#a',
  'nonsense',
])('refuses the base URL %s', (baseUrl) => {
  const make = () => createCatalogueClient({ baseUrl, auth: AUTH, clock: new StandingClock() });
  expect(make).toThrow(/Cannot use the base URL/);
  expect(make).not.toThrow(/pw/);
});

it('refuses a secret that no header can carry, without printing it', () => {
  for (const token of ['', 'two words', 'line\r\nX-Evil: 1', 'naïve']) {
    const make = () => {
      createCatalogueClient({
        baseUrl: 'https://c.test',
        auth: { kind: 'bearer', token },
        clock: new StandingClock(),
      });
    };
    expect(make).toThrow(/Cannot use the bearer secret/);
    if (token !== '') expect(make).not.toThrow(token);
  }
});
