import { z } from 'zod';
import { type AlbumId, type ArtistId, albumId, artistId, type NewAlbum, type NewArtist } from './record.ts';

/**
 * Maximum lengths of texts in Unicode code points, and the accepted years. The source shows no limits; these are
 * ours. @see docs/catalogue.md
 */
const FIELD_LIMITS = {
  nameChars: 200,
  bandChars: 200,
  descriptionChars: 4_000,
  imageChars: 2_048,
  yearMin: 1_000,
  yearMax: 9_999,
} as const;

const CONTROL = /\p{Cc}/u;
const CONTROL_IN_PROSE = /[^\P{Cc}\t\n\r]/u;
const HTTPS = /^https:\/\/[^\s\p{C}]+$/iu;

const { yearMin, yearMax, imageChars, descriptionChars, nameChars, bandChars } = FIELD_LIMITS;

const image = text()
  .refine(isWebAddress, { error: 'must be an https address without user name and password', abort: true })
  .refine(atMost(imageChars), { error: `must have at most ${imageChars} characters` });

const year = z
  .custom<bigint>(
    (value) => typeof value === 'bigint' && value >= BigInt(yearMin) && value <= BigInt(yearMax),
    {
      error: `must be a whole number from ${yearMin} to ${yearMax}`,
    },
  )
  .transform(Number);

const artist = z.strictObject({
  id: int64<ArtistId>().transform(artistId).exactOptional(),
  name: line(nameChars),
  description: prose(descriptionChars).exactOptional(),
  image: image.exactOptional(),
  band: line(bandChars).exactOptional(),
});

const album = z.strictObject({
  id: int64<AlbumId>().transform(albumId).exactOptional(),
  name: line(nameChars),
  year: year.exactOptional(),
  image: image.exactOptional(),
});

/** How to read a body of one kind, and its allowed fields. */
export interface BodySchema<T> {
  readonly kind: 'artist' | 'album';
  readonly fields: readonly string[];
  readonly shape: z.ZodType<T>;
}

/** The body of an artist: `name` is required, other fields are optional, unknown fields are refused. */
export const ARTIST_BODY: BodySchema<NewArtist> = {
  kind: 'artist',
  fields: Object.keys(artist.shape),
  shape: artist,
};

/** The body of an album: `name` is required, other fields are optional, unknown fields are refused. */
export const ALBUM_BODY: BodySchema<NewAlbum> = {
  kind: 'album',
  fields: Object.keys(album.shape),
  shape: album,
};

function int64<T extends bigint>(): z.ZodType<T> {
  return z.custom<T>((value) => typeof value === 'bigint', {
    error: 'must be a whole number that int64 holds, written without fraction and exponent',
  });
}

/** Valid Unicode text: no unpaired surrogates. */
function text(): z.ZodString {
  return z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be text') })
    .refine((value) => value.isWellFormed(), { error: 'must be well-formed Unicode', abort: true });
}

/** One line of text that is not blank. */
function line(charsMax: number): z.ZodString {
  return text()
    .refine((value) => value.trim() !== '', { error: 'must not be blank' })
    .refine((value) => !CONTROL.test(value), { error: 'must not hold control characters' })
    .refine(atMost(charsMax), { error: `must have at most ${charsMax} characters` });
}

/** Free text, including tabs and line breaks. */
function prose(charsMax: number): z.ZodString {
  return text()
    .refine((value) => !CONTROL_IN_PROSE.test(value), {
      error: 'must not hold control characters other than tab and line breaks',
    })
    .refine(atMost(charsMax), { error: `must have at most ${charsMax} characters` });
}

function atMost(charsMax: number): (value: string) => boolean {
  return (value) => value.length <= charsMax || Array.from(value).length <= charsMax;
}

function isWebAddress(value: string): boolean {
  const address = HTTPS.test(value) ? URL.parse(value) : null;
  return address !== null && address.username === '' && address.password === '';
}
