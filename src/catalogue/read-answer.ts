import { z } from 'zod';
import { printable } from '../model/printable.ts';
import { CatalogueError } from './client-error.ts';
import { readExactJson } from './exact-json.ts';
import { type Album, type Artist, albumId, artistId } from './record.ts';

/** A response of interface B as received, and the request, such as `POST /api/v1/artists`. */
export interface ReceivedAnswer {
  readonly operation: string;
  readonly status: number;
  readonly bytes: Uint8Array;
}

const id = z.custom<bigint>((value) => typeof value === 'bigint', { error: 'must be an int64' });
const text = optional(z.string());

/** Other servers may have other limits, more fields, and `null` for no value; all of these are accepted. */
const artist = z.object({
  id: id.transform(artistId),
  name: z.string(),
  description: text,
  image: text,
  band: text,
});
const album = z.object({
  id: id.transform(albumId),
  name: z.string(),
  year: optional(id.transform(Number)),
  image: text,
});

const refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    fields: z.array(z.object({ field: z.string(), problem: z.string(), value: z.string().exactOptional() })),
  }),
});

/** Reads the artist of a response; throws CatalogueError if it contains none. */
export function readArtist(answer: ReceivedAnswer): Artist {
  return withoutAbsent(readRecord(answer, artist)) as Artist;
}

/** Reads the album of a response; throws CatalogueError if it contains none. */
export function readAlbum(answer: ReceivedAnswer): Album {
  return withoutAbsent(readRecord(answer, album)) as Album;
}

/** Creates the error for a response with another status than the expected one. */
export function refusalOf({ operation, status, bytes }: ReceivedAnswer): CatalogueError {
  if (status >= 300 && status < 400) {
    const message = `Cannot ${operation}: the server redirects (${status}), which is never followed; correct the base URL`;
    return new CatalogueError(message, { status, code: 'redirected', fields: [] });
  }
  const read = refusal.safeParse(parse(bytes));
  if (!read.success) return badAnswer({ operation, status, bytes }, read.error);
  const { code, message, fields } = read.data.error;
  const details = fields
    .map(({ field, problem }) => `; ${printable(field)} ${printable(problem, 200)}`)
    .join('');
  return new CatalogueError(
    `Cannot ${operation}: ${status} ${printable(code)}: ${printable(message, 300)}${details}`,
    { status, code, fields },
  );
}

function readRecord<T>(answer: ReceivedAnswer, shape: z.ZodType<T>): T {
  const read = shape.safeParse(parse(answer.bytes));
  if (!read.success) throw badAnswer(answer, read.error);
  return read.data;
}

/** Parses the JSON of a response; undefined, which no schema accepts, if it is invalid. */
function parse(bytes: Uint8Array): unknown {
  try {
    return readExactJson(bytes);
  } catch {
    return undefined;
  }
}

function badAnswer({ operation, status, bytes }: ReceivedAnswer, cause: unknown): CatalogueError {
  const begins = printable(new TextDecoder().decode(bytes.subarray(0, 200)));
  return new CatalogueError(
    `Cannot ${operation}: ${status} with ${bytes.length} bytes that interface B does not answer, they begin "${begins}"`,
    { status, code: 'bad-answer', fields: [] },
    { cause },
  );
}

function optional<T extends z.ZodType>(shape: T) {
  return shape.nullish().transform((value) => value ?? undefined);
}

function withoutAbsent(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
