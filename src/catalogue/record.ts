import { isInt64 } from './int64.ts';

declare const artistBrand: unique symbol;
declare const albumBrand: unique symbol;

/** Identifier of an artist, int64. */
export type ArtistId = bigint & { readonly [artistBrand]: true };

/** Identifier of an album; the source specifies an integer, we use int64 as for artists. */
export type AlbumId = bigint & { readonly [albumBrand]: true };

/** Brands the id of an artist; throws RangeError when int64 cannot hold it. */
export function artistId(value: bigint): ArtistId {
  return checked(value, 'artist') as ArtistId;
}

/** Brands the id of an album; throws RangeError when int64 cannot hold it. */
export function albumId(value: bigint): AlbumId {
  return checked(value, 'album') as AlbumId;
}

/** Fields of an artist without its id; an absent field has no value. */
export interface ArtistFields {
  readonly name: string;
  /** Free text. */
  readonly description?: string;
  /** `https` address of a photo; stored as text, never fetched. */
  readonly image?: string;
  /** Band name. */
  readonly band?: string;
}

/** An artist as stored and returned. @see docs/catalogue.md */
export interface Artist extends ArtistFields {
  readonly id: ArtistId;
}

/** An artist to add; without an id the server assigns one. */
export interface NewArtist extends ArtistFields {
  readonly id?: ArtistId;
}

/** Fields of an album without its id. */
export interface AlbumFields {
  readonly name: string;
  /** Release year, 1000 to 9999. */
  readonly year?: number;
  /** `https` address of a cover; stored as text, never fetched. */
  readonly image?: string;
}

/** An album as stored and returned. @see docs/catalogue.md */
export interface Album extends AlbumFields {
  readonly id: AlbumId;
}

/** An album to add; without an id the server assigns one. */
export interface NewAlbum extends AlbumFields {
  readonly id?: AlbumId;
}

function checked(value: bigint, kind: string): bigint {
  if (!isInt64(value))
    throw new RangeError(`Cannot use ${value} as the id of an ${kind}: int64 cannot hold it`);
  return value;
}
