import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { INT64_MAX } from './int64.ts';
import {
  type Album,
  type Artist,
  type ArtistFields,
  type ArtistId,
  albumId,
  artistId,
  type NewAlbum,
  type NewArtist,
} from './record.ts';
import { openCatalogueDatabase, transact } from './store-database.ts';
import { createKeyStore, type KeyStore } from './store-keys.ts';

/** Result of an addition or update; only `stored` changed the store. */
export type StoreResult<T> =
  | { readonly kind: 'stored'; readonly record: T }
  | { readonly kind: 'id-taken'; readonly id: bigint }
  | { readonly kind: 'no-such-artist' };

/** Artists, albums and keys in one SQLite file. Each change is one transaction and is on disk when it returns. */
export interface CatalogueStore extends KeyStore {
  /** Adds an artist under its id, or under the next free positive one. */
  addArtist(artist: NewArtist): StoreResult<Artist>;
  /** Replaces all fields of an artist; an absent field has no value afterwards. */
  replaceArtist(id: ArtistId, fields: ArtistFields): StoreResult<Artist>;
  /** Adds an album to an artist, under its id, or under the next free positive one among all albums. */
  addAlbum(artist: ArtistId, album: NewAlbum): StoreResult<Album>;
  /** The artist with this id; undefined when there is none. */
  artist(id: ArtistId): Artist | undefined;
  /** The first `limit` albums of an artist, ascending by id. */
  albumsOf(artist: ArtistId, limit: number): readonly Album[];
  close(): void;
}

/** Opens the catalogue in this file, or creates one; `:memory:` keeps it until it is closed. */
export function openCatalogueStore(path: string): CatalogueStore {
  const database = openCatalogueDatabase(path);
  const records = createRecords(database);
  return {
    ...createKeyStore(database),
    addArtist: (artist) => transact(database, () => records.addArtist(artist)),
    replaceArtist: (id, fields) => transact(database, () => records.replaceArtist(id, fields)),
    addAlbum: (artist, album) => transact(database, () => records.addAlbum(artist, album)),
    artist: records.artist,
    albumsOf: records.albumsOf,
    close: () => database.close(),
  };
}

type Records = Omit<CatalogueStore, keyof KeyStore | 'close'>;

function createRecords(database: DatabaseSync): Records {
  const artistIds = createIds(database, 'artists');
  const albumIds = createIds(database, 'albums');
  const oneArtist = database.prepare('SELECT * FROM artists WHERE id = ?');
  const insertArtist = database.prepare(
    'INSERT INTO artists (id, name, description, image, band) VALUES (?, ?, ?, ?, ?)',
  );
  const updateArtist = database.prepare(
    'UPDATE artists SET name = ?, description = ?, image = ?, band = ? WHERE id = ?',
  );
  const insertAlbum = database.prepare(
    'INSERT INTO albums (id, artist_id, name, year, image) VALUES (?, ?, ?, ?, ?)',
  );
  const someAlbums = database.prepare(
    'SELECT id, name, year, image FROM albums WHERE artist_id = ? ORDER BY id LIMIT ?',
  );

  return {
    addArtist({ id: wanted, ...fields }) {
      if (wanted !== undefined && artistIds.isTaken(wanted)) return { kind: 'id-taken', id: wanted };
      const id = artistId(wanted ?? artistIds.assign());
      insertArtist.run(id, ...artistColumns(fields));
      return { kind: 'stored', record: { id, ...fields } };
    },
    replaceArtist(id, fields) {
      const { changes } = updateArtist.run(...artistColumns(fields), id);
      return Number(changes) === 0
        ? { kind: 'no-such-artist' }
        : { kind: 'stored', record: { id, ...fields } };
    },
    addAlbum(artist, { id: wanted, ...fields }) {
      if (!artistIds.isTaken(artist)) return { kind: 'no-such-artist' };
      if (wanted !== undefined && albumIds.isTaken(wanted)) return { kind: 'id-taken', id: wanted };
      const id = albumId(wanted ?? albumIds.assign());
      insertAlbum.run(id, artist, fields.name, fields.year ?? null, fields.image ?? null);
      return { kind: 'stored', record: { id, ...fields } };
    },
    artist(id) {
      const row = oneArtist.get(id);
      return row === undefined ? undefined : artistOf(row);
    },
    albumsOf: (artist, limit) => someAlbums.all(artist, limit).map(albumOf),
  };
}

/** Ids of one table: 1, 2, 3, ... beyond those that clients chose. Nothing is ever removed, so no id is reused. */
function createIds(database: DatabaseSync, table: 'artists' | 'albums') {
  const one = database.prepare(`SELECT 1 FROM ${table} WHERE id = ?`);
  const next = database.prepare('SELECT next FROM ids WHERE kind = ?');
  const remember = database.prepare('INSERT OR REPLACE INTO ids (kind, next) VALUES (?, ?)');
  const endOfRun = database.prepare(
    `SELECT id + 1 AS free FROM ${table} AS taken WHERE id >= ? AND id < ${INT64_MAX}
     AND NOT EXISTS (SELECT 1 FROM ${table} WHERE id = taken.id + 1) ORDER BY id LIMIT 1`,
  );
  const isTaken = (id: bigint): boolean => one.get(id) !== undefined;

  function assign(): bigint {
    const from = wholeOf(next.get(table)?.['next'] ?? 1n);
    const id = isTaken(from) ? wholeOf(endOfRun.get(from)?.['free']) : from;
    remember.run(table, id + 1n);
    return id;
  }

  return { isTaken, assign };
}

type Row = Readonly<Record<string, SQLOutputValue>>;

function artistColumns({ name, description, image, band }: ArtistFields) {
  return [name, description ?? null, image ?? null, band ?? null] as const;
}

function artistOf(row: Row): Artist {
  return {
    id: artistId(wholeOf(row['id'])),
    name: String(row['name']),
    ...present('description', row),
    ...present('image', row),
    ...present('band', row),
  };
}

function albumOf(row: Row): Album {
  return {
    id: albumId(wholeOf(row['id'])),
    name: String(row['name']),
    ...(row['year'] === null ? {} : { year: Number(row['year']) }),
    ...present('image', row),
  };
}

/** Converts an integer of the database, which returns bigints. */
function wholeOf(value: SQLOutputValue | undefined): bigint {
  if (typeof value !== 'bigint')
    throw new TypeError(`Cannot read ${String(value)} of the catalogue as a whole number`);
  return value;
}

function present<K extends string>(column: K, row: Row): { readonly [key in K]?: string } {
  const value = row[column];
  return typeof value === 'string' ? ({ [column]: value } as { [key in K]: string }) : {};
}
