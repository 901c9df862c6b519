import fc from 'fast-check';
import { expect, it } from 'vitest';
import { INT64_MAX, INT64_MIN, parseInt64 } from '../../src/catalogue/int64.ts';
import { albumId, artistId } from '../../src/catalogue/record.ts';
import { errorOf, startWorld } from './world.ts';

const EDGES = [9007199254740993n, -9007199254740993n, INT64_MAX, INT64_MAX - 1n, INT64_MIN, -1n, 0n] as const;

it.each(EDGES)('keeps %s exactly in path, body, disk and answer', async (value) => {
  const { send, client, store } = await startWorld();
  const added = await send('POST', '/api/v1/artists', `{"id":${value},"name":"edge"}`);
  expect([added.status, added.text]).toEqual([201, `{"id":${value},"name":"edge"}`]);
  const put = await send('PUT', `/api/v1/artists/${value}`, `{"id":${value},"name":"updated"}`);
  expect([put.status, put.text]).toEqual([200, `{"id":${value},"name":"updated"}`]);
  const album = await client().addAlbum(artistId(value), { id: albumId(value), name: 'edge' });
  expect(album.id).toBe(value);
  expect(store.artist(artistId(value))?.name).toBe('updated');
  expect(store.albumsOf(artistId(value), 10)).toEqual([{ id: value, name: 'edge' }]);
});

it('distinguishes two ids that share one double', async () => {
  const { client, store } = await startWorld();
  const [even, odd] = [artistId(9007199254740992n), artistId(9007199254740993n)];
  await client().createArtist({ id: even, name: 'even' });
  await client().createArtist({ id: odd, name: 'odd' });
  expect([store.artist(even)?.name, store.artist(odd)?.name]).toEqual(['even', 'odd']);
});

const NO_INT64 = [
  '9223372036854775808',
  '-9223372036854775809',
  '1.0',
  '1.5',
  '1e3',
  '-0',
  '1E0',
  '9'.repeat(400),
];

it.each([...NO_INT64, '"1"', 'null', 'true', '[1]', '{}'])('refuses %s as the id in a body', async (id) => {
  const { send } = await startWorld();
  const answer = await send('POST', '/api/v1/artists', `{"id":${id},"name":"x"}`);
  expect(answer.status).toBe(422);
  const [problem] = errorOf(answer).fields;
  expect(problem?.field).toBe('id');
  if (NO_INT64.includes(id) && id.length < 80) expect(problem?.value).toBe(id);
});

it.each([...NO_INT64.slice(0, 7), '01', '+1', 'abc', '%20', '0x1', '1_0', '-', '１'])(
  'refuses %s as the id in a path',
  async (id) => {
    const { send } = await startWorld();
    for (const [method, rest] of [
      ['PUT', ''],
      ['POST', '/albums'],
    ] as const) {
      const answer = await send(
        method,
        `/api/v1/artists/${encodeURI(id).replace('%2520', '%20')}${rest}`,
        '{"name":"x"}',
      );
      expect([answer.status, errorOf(answer).fields[0]?.field]).toEqual([422, 'artistId']);
    }
  },
);

it('reads every int64 from its digits and nothing beyond', () => {
  fc.assert(fc.property(fc.bigInt(INT64_MIN, INT64_MAX), (value) => parseInt64(String(value)) === value));
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 80n }), (beyond) => {
      expect(parseInt64(String(INT64_MAX + beyond))).toBeUndefined();
      expect(parseInt64(String(INT64_MIN - beyond))).toBeUndefined();
    }),
  );
});

it('accepts no id outside int64', () => {
  expect(() => artistId(INT64_MAX + 1n)).toThrow(/9223372036854775808.*int64/);
  expect(() => albumId(INT64_MIN - 1n)).toThrow(RangeError);
});
