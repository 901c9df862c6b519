import { Agent, errors } from 'undici';
import { printable } from '../model/printable.ts';
import { type Millis, millis } from '../model/time.ts';
import { CatalogueError } from './client-error.ts';
import { writeExactJson } from './exact-json.ts';
import { type ReceivedAnswer, readAlbum, readArtist, refusalOf } from './read-answer.ts';
import type { Album, Artist, ArtistFields, ArtistId, NewAlbum, NewArtist } from './record.ts';

/** One of the two authentication schemes of interface B, with its secret. */
export type CatalogueAuth =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'api-key'; readonly key: string };

/** The server, the credentials and the deadline. */
export interface CatalogueClientOptions {
  /** Address of the service: `https`, or `http` on loopback. */
  readonly baseUrl: string;
  readonly auth: CatalogueAuth;
  /** Machine time, for the deadline. */
  readonly clock: DeadlineClock;
  /** Maximum duration of one operation in milliseconds, connecting included; default 10,000. */
  readonly deadlineMs?: number;
}

/** The clock functions that the deadline uses. */
export interface DeadlineClock {
  now(): Millis;
  /** Calls `action` once at `at`; the returned function cancels it. */
  at(at: Millis, phase: 'timer', action: () => void): () => void;
}

/**
 * Client of interface B. Every operation returns the stored record or rejects with CatalogueError; none is retried.
 */
export interface CatalogueClient {
  createArtist(artist: NewArtist): Promise<Artist>;
  /** Replaces all fields of the artist; an absent field has no value afterwards. */
  updateArtist(id: ArtistId, fields: ArtistFields): Promise<Artist>;
  addAlbum(artist: ArtistId, album: NewAlbum): Promise<Album>;
  /** Closes its connections after pending requests are answered. */
  close(): Promise<void>;
}

const DEADLINE_MS = 10_000;
const ANSWER_BYTES_MAX = 262_144;
const CONNECTIONS_MAX = 8;

/**
 * Creates a client of interface B. Throws RangeError for an unusable base URL or secret; the message never contains
 * the secret. @see docs/catalogue.md
 */
export function createCatalogueClient(options: CatalogueClientOptions): CatalogueClient {
  const base = readBaseUrl(options.baseUrl);
  const headers = { 'content-type': 'application/json', ...authHeader(options.auth) };
  const { clock, deadlineMs = DEADLINE_MS } = options;
  const agent = new Agent({
    connections: CONNECTIONS_MAX,
    maxResponseSize: ANSWER_BYTES_MAX,
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function send(method: 'POST' | 'PUT', path: string, record: object): Promise<ReceivedAnswer> {
    const operation = `${method} ${path}`;
    const aborter = new AbortController();
    const cancel = clock.at(millis(clock.now() + deadlineMs), 'timer', () => aborter.abort());
    try {
      const { statusCode, body } = await agent.request({
        origin: base.origin,
        path: `${base.path}${path}`,
        method,
        headers,
        body: writeExactJson(record),
        signal: aborter.signal,
      });
      const answer = {
        operation,
        status: statusCode,
        bytes: new Uint8Array(await body.arrayBuffer()),
      };
      if (statusCode === SUCCESS[method]) return answer;
      throw refusalOf(answer);
    } catch (cause) {
      if (cause instanceof CatalogueError) throw cause;
      throw aborter.signal.aborted
        ? late(operation, deadlineMs, cause)
        : unreachable(operation, base.origin, cause);
    } finally {
      cancel();
    }
  }

  return {
    createArtist: async (artist) => readArtist(await send('POST', '/api/v1/artists', artist)),
    updateArtist: async (id, fields) => readArtist(await send('PUT', `/api/v1/artists/${id}`, fields)),
    addAlbum: async (artist, album) =>
      readAlbum(await send('POST', `/api/v1/artists/${artist}/albums`, album)),
    close: () => agent.close(),
  };
}

const SUCCESS = { POST: 201, PUT: 200 } as const;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const SECRET = /^[\x21-\x7e]{1,4096}$/;

function readBaseUrl(text: string): { readonly origin: string; readonly path: string } {
  const url = URL.parse(text);
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  const plain = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (url !== null && safe && plain) return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') };
  throw new RangeError(
    `Cannot use the base URL (${printable(url?.host ?? 'not an address')}): want https://host, or http:// on loopback, without user, query and fragment`,
  );
}

function authHeader(auth: CatalogueAuth): Readonly<Record<string, string>> {
  const secret = auth.kind === 'bearer' ? auth.token : auth.key;
  if (!SECRET.test(secret)) {
    throw new RangeError(
      `Cannot use the ${auth.kind} secret: want printable ASCII without spaces, not empty`,
    );
  }
  return auth.kind === 'bearer' ? { authorization: `Bearer ${secret}` } : { 'x-api-key': secret };
}

function late(operation: string, deadlineMs: number, cause: unknown): CatalogueError {
  const message = `Cannot ${operation}: no whole answer within ${deadlineMs} ms; it is unknown whether it was stored`;
  return new CatalogueError(message, { status: undefined, code: 'deadline', fields: [] }, { cause });
}

/** The error for a missing or unreadable response: the connection failed, or more data came than any record has. */
function unreachable(operation: string, origin: string, cause: unknown): CatalogueError {
  const why = printable(cause instanceof Error ? cause.message : String(cause), 200);
  const code = cause instanceof errors.ResponseExceededMaxSizeError ? 'bad-answer' : 'unreachable';
  return new CatalogueError(
    `Cannot ${operation} at ${origin}: ${why}; see that the service runs, and whether the record was stored`,
    { status: undefined, code, fields: [] },
    { cause },
  );
}
