import { request as httpRequest } from 'node:http';
import { expect, it } from 'vitest';
import { FIELD_PROBLEMS_MAX } from '../../src/catalogue/read-body.ts';
import { BODY_BYTES_MAX } from '../../src/catalogue/server.ts';
import { errorOf, rawExchange, startWorld, type World } from './world.ts';

const add = (world: World, body: string | Uint8Array, headers = {}) =>
  world.send('POST', '/api/v1/artists', body, headers);

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

it.each([
  ['nothing', ''],
  ['half an object', '{"name":'],
  ['an open text', '{"name":"x'],
  ['many escaped quotes that never close', `"${'\\"'.repeat(32_000)}`],
  ['text after the object', '{"name":"x"} {}'],
  ['single quotes', "{'name':'x'}"],
  ['NaN', '{"id":NaN,"name":"x"}'],
  ['a leading zero', '{"id":01,"name":"x"}'],
  ['a byte-order mark', '\ufeff{"name":"x"}'],
  ['__proto__', '{"name":"x","__proto__":{"mayWrite":true}}'],
  ['__proto__ in disguise', '{"name":"x","\\u005f_proto__" : {"mayWrite":true}}'],
  ['constructor', '{"name":"x","constructor":{"prototype":{}}}'],
  ['prototype deeper down', '{"name":"x","band":[{"prototype":1}]}'],
  ['a key given twice', '{"name":"x","name":"y"}'],
  ['a key given twice in disguise', '{"name":"x","n\\u0061me":"y"}'],
  ['nesting of 33', `{"name":${nested(32)}}`],
  ['nesting of 30000', nested(30_000)],
  ['open brackets only', '['.repeat(60_000)],
])('refuses %s as JSON', async (_name, body) => {
  const world = await startWorld();
  const answer = await add(world, body);
  expect([answer.status, errorOf(answer).code]).toEqual([400, 'bad-json']);
  expect(({} as Record<string, unknown>)['mayWrite']).toBeUndefined();
  expect(world.store.artist(1n as never)).toBeUndefined();
});

it.each([
  ['a lone continuation byte', [0x80]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['half a character', [0xe2, 0x82]],
])('refuses %s as UTF-8', async (_name, bytes) => {
  const world = await startWorld();
  const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
  const answer = await add(world, body);
  expect([answer.status, errorOf(answer).message]).toEqual([400, expect.stringContaining('UTF-8')]);
});

it('reads 32 levels of nesting, and refuses their content as the wrong type', async () => {
  const answer = await add(await startWorld(), `{"name":${nested(31)}}`);
  expect([answer.status, errorOf(answer).fields]).toEqual([
    422,
    [{ field: 'name', problem: 'must be text', value: '[...]' }],
  ]);
});

const LONG = 'x'.repeat(201);

it.each([
  ['no name', '{}', ['name']],
  ['a blank name', '{"name":" \\t "}', ['name', 'name']],
  ['a name of 201', `{"name":"${LONG}"}`, ['name']],
  ['a name with a line break', '{"name":"a\\nb"}', ['name']],
  ['a name with NUL', '{"name":"a\\u0000b"}', ['name']],
  ['half a surrogate pair', '{"name":"\\ud83d"}', ['name']],
  ['a null name', '{"name":null}', ['name']],
  ['null for no band', '{"name":"x","band":null}', ['band']],
  ['a description of 4001', `{"name":"x","description":"${'d'.repeat(4_001)}"}`, ['description']],
  ['a description with an escape', '{"name":"x","description":"\\u001b[2J"}', ['description']],
  ['a plain http image', '{"name":"x","image":"http://a.test/x.jpg"}', ['image']],
  ['a file image', '{"name":"x","image":"file:///etc/passwd"}', ['image']],
  ['a script image', '{"name":"x","image":"javascript:alert(1)"}', ['image']],
  ['an image with a password', '{"name":"x","image":"https://me:pw@a.test/x"}', ['image']],
  ['an image with a space', '{"name":"x","image":"https://a.test/ x"}', ['image']],
  ['an image without a host', '{"name":"x","image":"https://"}', ['image']],
  ['an image of 2049', `{"name":"x","image":"https://a.test/${'i'.repeat(2_034)}"}`, ['image']],
  ['an array', '[]', ['(body)']],
  ['a text', '"x"', ['(body)']],
  ['null', 'null', ['(body)']],
  [
    'everything at once',
    '{"id":1.5,"name":"","image":"x","band":7,"nam":1}',
    ['id', 'name', 'image', 'band', 'nam'],
  ],
])('names every invalid field: %s', async (_name, body, fields) => {
  const answer = await add(await startWorld(), body);
  expect([answer.status, errorOf(answer).fields.map(({ field }) => field)]).toEqual([422, fields]);
});

it.each(['999', '10000', '1999.0', '"1999"', '-1999'])('refuses %s as a release year', async (year) => {
  const world = await startWorld();
  await add(world, '{"name":"x"}');
  const answer = await world.send('POST', '/api/v1/artists/1/albums', `{"name":"x","year":${year}}`);
  expect([answer.status, errorOf(answer).fields[0]?.field]).toEqual([422, 'year']);
});

it('accepts values at their limits, counted in visible characters', async () => {
  const world = await startWorld();
  const artist = {
    name: '🎶'.repeat(200),
    description: 'd'.repeat(4_000),
    image: `HTTPS://a.test/${'i'.repeat(2_033)}`,
    band: 'b'.repeat(200),
  };
  const answer = await add(world, JSON.stringify(artist));
  expect(JSON.parse(answer.text)).toEqual({ id: 1, ...artist });
  for (const year of [1_000, 9_999]) {
    const album = await world.send('POST', '/api/v1/artists/1/albums', JSON.stringify({ name: 'x', year }));
    expect(JSON.parse(album.text).year).toBe(year);
  }
});

it('names the field that an unknown one was meant to be, and lists no more than 32', async () => {
  const world = await startWorld();
  await add(world, '{"name":"x"}');
  const near = await world.send('POST', '/api/v1/artists/1/albums', '{"name":"x","yaer":1999}');
  expect(errorOf(near).fields).toEqual([
    { field: 'yaer', problem: 'is not a field of an album, did you mean "year"?' },
  ]);
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`field${index}`, 1]));
  const answer = await add(world, JSON.stringify({ name: 'x', ...many }));
  expect([answer.status, errorOf(answer).fields.length]).toEqual([422, FIELD_PROBLEMS_MAX]);
});

it('accepts a body of 64 KB and refuses one byte more with 413', async () => {
  const world = await startWorld();
  const padded = (bytes: number): string => '{"name":"x"}'.padEnd(bytes, ' ');
  expect((await add(world, padded(BODY_BYTES_MAX))).status).toBe(201);
  const answer = await add(world, padded(BODY_BYTES_MAX + 1));
  expect([answer.status, errorOf(answer).code]).toEqual([413, 'too-large']);
});

it('counts a chunked body while it arrives', async () => {
  const world = await startWorld();
  const key = world.mint({ scheme: 'api-key' });
  const status = await new Promise((resolve, reject) => {
    const sending = httpRequest(`${world.baseUrl}/api/v1/artists`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    });
    sending.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    for (let sent = 0; sent <= BODY_BYTES_MAX; sent += 4_096) sending.write(' '.repeat(4_096));
  });
  expect(status).toBe(413);
});

it('refuses a false content length', async () => {
  const world = await startWorld();
  const head = `POST /api/v1/artists HTTP/1.1\r\nHost: c.test\r\nX-API-Key: ${world.mint({ scheme: 'api-key' })}\r\nContent-Type: application/json\r\n`;
  const both = await rawExchange(
    world.port,
    `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  );
  expect(both).toMatch(/^HTTP\/1\.1 400/);
  const negative = await rawExchange(world.port, `${head}Content-Length: -1\r\n\r\n{}`);
  expect(negative).toMatch(/^HTTP\/1\.1 400/);
});

it.each([
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['application/json; charset=latin1', 415],
  ['application/json-patch+json', 415],
  ['application/jsonx', 415],
  ['', 415],
  ['application/json', 201],
  ['Application/JSON; Charset="UTF-8"', 201],
  ['application/json;charset=utf-8', 201],
])('answers the content type "%s" with %i', async (type, status) => {
  const answer = await add(await startWorld(), '{"name":"x"}', { 'content-type': type });
  expect(answer.status).toBe(status);
});

it('refuses a compressed body', async () => {
  const answer = await add(await startWorld(), '{"name":"x"}', { 'content-encoding': 'gzip' });
  expect([answer.status, errorOf(answer).code]).toEqual([415, 'unsupported-media-type']);
});
