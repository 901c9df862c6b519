import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { albumId, artistId } from '../../src/catalogue/record.ts';
import { type CatalogueStore, openCatalogueStore } from '../../src/catalogue/store.ts';
import { startWorld, temporaryFile } from './world.ts';

function open(path: string): CatalogueStore {
  const store = openCatalogueStore(path);
  onTestFinished(() => store.close());
  return store;
}

it('still holds records, keys and the next ids when it is opened again', () => {
  const path = temporaryFile();
  const first = openCatalogueStore(path);
  first.addArtist({ name: 'one', band: 'b' });
  first.addArtist({ id: artistId(9007199254740993n), name: 'far' });
  first.addAlbum(artistId(1n), { name: 'album', year: 2_001 });
  const key = { scheme: 'bearer', principal: 'p', mayWrite: false, expiresAt: 5, revoked: false } as const;
  first.addKey({ ...key, expiresAt: 5 as never, digest: new Uint8Array(32).fill(1) });
  first.close();
  const again = open(path);
  expect(again.artist(artistId(1n))).toEqual({ id: 1n, name: 'one', band: 'b' });
  expect(again.artist(artistId(9007199254740993n))?.name).toBe('far');
  expect(again.albumsOf(artistId(1n), 10)).toEqual([{ id: 1n, name: 'album', year: 2_001 }]);
  expect(again.keys()).toEqual([{ ...key, digest: new Uint8Array(32).fill(1) }]);
  expect(again.addArtist({ name: 'two' })).toMatchObject({ kind: 'stored', record: { id: 2n } });
});

it.each([0o600, 0o644, 0o666])(
  'is readable only by its owner, also when it existed in mode %o (S-12)',
  (mode) => {
    const path = temporaryFile();
    writeFileSync(path, '');
    chmodSync(path, mode);
    open(path).addArtist({ name: 'one' });
    expect([path, `${path}-wal`].map((file) => (statSync(file).mode & 0o777).toString(8))).toEqual([
      '600',
      '600',
    ]);
  },
);

it('is no link to another file (S-12, S-15)', () => {
  const path = temporaryFile();
  writeFileSync(`${path}.other`, '');
  symlinkSync(`${path}.other`, path);
  expect(() => open(path)).toThrow(/Cannot open the catalogue.*ELOOP/);
});

it('serves after a restart what was stored before it', async () => {
  const path = temporaryFile();
  const before = openCatalogueStore(path);
  before.addArtist({ name: 'kept' });
  before.close();
  const { client } = await startWorld(path);
  expect(await client().addAlbum(artistId(1n), { name: 'later' })).toEqual({ id: 1n, name: 'later' });
  await expect(client().createArtist({ id: artistId(1n), name: 'again' })).rejects.toMatchObject({
    status: 409,
  });
});

it('is shared by two programs, each of which sees what the other stored', () => {
  const path = temporaryFile();
  const [one, two] = [open(path), open(path)];
  const ids = [one, two, one, two].map((store) => store.addArtist({ name: 'x' }));
  expect(ids.map((result) => result.kind === 'stored' && result.record.id)).toEqual([1n, 2n, 3n, 4n]);
  expect(two.addArtist({ id: artistId(1n), name: 'y' })).toEqual({ kind: 'id-taken', id: 1n });
});

it('lists no more albums than requested, ascending by id', () => {
  const store = open(':memory:');
  store.addArtist({ name: 'x' });
  for (const id of [5n, -3n, 9n]) store.addAlbum(artistId(1n), { id: albumId(id), name: 'a' });
  expect(store.albumsOf(artistId(1n), 2).map(({ id }) => id)).toEqual([-3n, 5n]);
});

it('refuses a file of a newer program, and leaves it as it is', () => {
  const path = temporaryFile();
  openCatalogueStore(path).close();
  const raw = new DatabaseSync(path);
  raw.exec('PRAGMA user_version = 2');
  raw.close();
  expect(() => openCatalogueStore(path)).toThrow(/version 2, this program reads version 1/);
  const after = new DatabaseSync(path);
  onTestFinished(() => after.close());
  expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: 2 });
});

it('refuses a file that is no database, and a missing folder', () => {
  const path = temporaryFile();
  writeFileSync(path, 'this is a letter, not a database, and it is long enough to tell'.repeat(20));
  expect(() => openCatalogueStore(path)).toThrow(expect.objectContaining({ code: 'store-open' }));
  expect(() => openCatalogueStore(`${path}/none/x.db`)).toThrow(/Cannot open the catalogue/);
});

it('never assigns an id twice, whatever ids clients choose in between', () => {
  const chosen = fc.option(fc.bigInt(-3n, 12n), { nil: undefined });
  fc.assert(
    fc.property(fc.array(chosen, { maxLength: 30 }), (ids) => {
      const store = openCatalogueStore(':memory:');
      const taken = new Set<bigint>();
      for (const id of ids) {
        const result = store.addArtist({ name: 'x', ...(id === undefined ? {} : { id: artistId(id) }) });
        if (result.kind === 'stored') {
          expect(taken.has(result.record.id)).toBe(false);
          taken.add(result.record.id);
        } else expect(id !== undefined && taken.has(id)).toBe(true);
      }
      store.close();
    }),
    { numRuns: 60 },
  );
});
