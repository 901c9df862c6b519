import { type CatalogueAuth, type CatalogueClient, createCatalogueClient } from '../../catalogue/client.ts';
import {
  type Album,
  type AlbumFields,
  type Artist,
  type ArtistFields,
  albumId,
  artistId,
} from '../../catalogue/record.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { EnvironmentError } from './environment-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Address of a catalogue; the environment has the secret, and the address unless one was given. */
export interface CataloguePlace {
  readonly environment: Environment;
  readonly url: string | undefined;
}

/** What the catalogue stored. */
export type StoredRecord = Artist | Album;

/** A record to add under a given id, or the next free one. */
export type Added<Fields> = Fields & { readonly id?: bigint };

/**
 * Adds an artist. This and the other functions throw EnvironmentError before anything is sent, and CatalogueError.
 */
export function addArtist(
  place: CataloguePlace,
  { id, ...fields }: Added<ArtistFields>,
): Promise<StoredRecord> {
  const own = id === undefined ? {} : { id: artistId(id) };
  return withCatalogue(place, (client) => client.createArtist({ ...fields, ...own }));
}

/** Replaces all fields of an artist. */
export function updateArtist(place: CataloguePlace, id: bigint, fields: ArtistFields): Promise<StoredRecord> {
  return withCatalogue(place, (client) => client.updateArtist(artistId(id), fields));
}

/** Adds an album to an artist. */
export function addAlbum(
  place: CataloguePlace,
  artist: bigint,
  { id, ...fields }: Added<AlbumFields>,
): Promise<StoredRecord> {
  const own = id === undefined ? {} : { id: albumId(id) };
  return withCatalogue(place, (client) => client.addAlbum(artistId(artist), { ...fields, ...own }));
}

async function withCatalogue<T>(
  place: CataloguePlace,
  work: (client: CatalogueClient) => Promise<T>,
): Promise<T> {
  const client = clientOf(place);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** The address is `SLUICE_CATALOGUE_URL` or `SLUICE_HTTP_URL`; the secret a token or an API key. */
function clientOf({ environment, url }: CataloguePlace): CatalogueClient {
  const baseUrl = url ?? set(environment, 'SLUICE_CATALOGUE_URL') ?? set(environment, 'SLUICE_HTTP_URL');
  const auth = authOf(environment);
  if (baseUrl === undefined || auth === undefined) {
    const missing = [
      ...(baseUrl === undefined ? ['SLUICE_CATALOGUE_URL (or SLUICE_HTTP_URL)'] : []),
      ...(auth === undefined ? ['SLUICE_CATALOGUE_TOKEN (or SLUICE_CATALOGUE_API_KEY)'] : []),
    ];
    throw new EnvironmentError(
      `Cannot find the address or the credentials of the catalogue: ${missing.join(', ')} not set in the environment\n  "sluice venue --json" names all of them`,
    );
  }
  try {
    return createCatalogueClient({ baseUrl, auth, clock: createSystemClock() });
  } catch (cause) {
    if (cause instanceof RangeError) throw new EnvironmentError(cause.message, { cause });
    throw cause;
  }
}

function authOf(environment: Environment): CatalogueAuth | undefined {
  const token = set(environment, 'SLUICE_CATALOGUE_TOKEN');
  if (token !== undefined) return { kind: 'bearer', token };
  const key = set(environment, 'SLUICE_CATALOGUE_API_KEY');
  return key === undefined ? undefined : { kind: 'api-key', key };
}

function set(environment: Environment, name: string): string | undefined {
  const text = environment[name];
  return text === '' ? undefined : text;
}
