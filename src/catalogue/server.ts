import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { printable } from '../model/printable.ts';
import type { Millis } from '../model/time.ts';
import { authenticate } from './authenticate.ts';
import { ALBUM_BODY, ARTIST_BODY } from './body-schema.ts';
import { writeExactJson } from './exact-json.ts';
import { parseInt64 } from './int64.ts';
import type { KeySource } from './key.ts';
import { readBody } from './read-body.ts';
import { type ArtistId, artistId, type NewArtist } from './record.ts';
import { REFUSAL_STATUS, Refusal, refusalBody } from './refusal.ts';
import type { CatalogueStore, StoreResult } from './store.ts';

/** Maximum size of a body in bytes; larger ones are refused before they are read. @see docs/reliability.md, S-19 */
export const BODY_BYTES_MAX = 65_536;

/** Dependencies of the server of interface B. */
export interface CatalogueOptions {
  readonly store: CatalogueStore;
  /** Keys that may call it; the store is such a source. */
  readonly keys: KeySource;
  /** Machine time, for keys that expire. */
  readonly clock: { now(): Millis };
}

/**
 * Serves the three operations of interface B below `/api/v1` of this server, in a separate scope: its hooks, parsers
 * and error handlers affect no other route. Checks are made in this order: method (405), key (401), permission (403),
 * content type (415), size (413), JSON (400), path and fields (422), the catalogue itself (404, 409). @see
 * docs/catalogue.md
 */
export function registerCatalogue(app: FastifyInstance, options: CatalogueOptions): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    scope.setErrorHandler(answerError);
    for (const operation of operationsOf(options)) {
      scope.route({ ...operation, bodyLimit: BODY_BYTES_MAX, onRequest: guard(options) });
      refuseOtherMethods(scope, operation);
    }
    done();
  });
}

type Operation = Pick<RouteOptions, 'url' | 'handler'> & { readonly method: 'POST' | 'PUT' };

function operationsOf({ store }: CatalogueOptions): readonly Operation[] {
  return [
    {
      method: 'POST',
      url: '/api/v1/artists',
      handler: (request, reply) => send(reply, 201, store.addArtist(readBody(bytesOf(request), ARTIST_BODY))),
    },
    {
      method: 'PUT',
      url: '/api/v1/artists/:artistId',
      handler: (request, reply) => {
        const id = pathId(request);
        const { id: named, ...fields } = readBody(bytesOf(request), ARTIST_BODY);
        requireSameId(id, named);
        send(reply, 200, store.replaceArtist(id, fields));
      },
    },
    {
      method: 'POST',
      url: '/api/v1/artists/:artistId/albums',
      handler: (request, reply) => {
        const artist = pathId(request);
        send(reply, 201, store.addAlbum(artist, readBody(bytesOf(request), ALBUM_BODY)));
      },
    },
  ];
}

/** Checks the headers of a request before its body is read. */
function guard({ keys, clock }: CatalogueOptions) {
  return (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    const verdict = authenticate(request.raw.headersDistinct, keys.keys(), clock.now());
    if (verdict.kind === 'refused') throw new Refusal('unauthorized', UNAUTHORIZED);
    if (!verdict.mayWrite) {
      throw new Refusal('forbidden', 'Cannot change the catalogue: this key has no right to write');
    }
    requireJson(request);
    done();
  };
}

/** The same text for every failure, so that it discloses nothing about existing keys. */
const UNAUTHORIZED =
  'Cannot tell who asks: want "Authorization: Bearer <token>" or "X-API-Key: <key>" of this catalogue, once, valid, and of one owner when both are sent';

const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?;?$/i;

function requireJson({ headers }: FastifyRequest): void {
  const type = headers['content-type'] ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (JSON_TYPE.test(type) && encoding.toLowerCase() === 'identity') return;
  throw new Refusal(
    'unsupported-media-type',
    `Cannot read a body of type "${printable(type)}" and encoding "${printable(encoding)}": want application/json in UTF-8, not compressed`,
  );
}

function refuseOtherMethods(scope: FastifyInstance, { method, url }: Operation): void {
  scope.route({
    method: scope.supportedMethods.filter((other) => other !== method),
    url,
    onRequest: (_request, reply) => {
      reply.header('allow', method);
      throw new Refusal('method-not-allowed', `Cannot do that on this path: it takes ${method} only`);
    },
    handler: () => undefined,
  });
}

function bytesOf({ body }: FastifyRequest): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

function pathId({ params }: FastifyRequest): ArtistId {
  const text =
    typeof params === 'object' && params !== null && 'artistId' in params ? String(params.artistId) : '';
  const id = parseInt64(text);
  if (id !== undefined) return artistId(id);
  const value = printable(text);
  throw new Refusal('invalid', `Cannot read "${value}" in the path as the id of an artist`, [
    { field: 'artistId', problem: 'must be a whole number that int64 holds, in plain digits', value },
  ]);
}

function requireSameId(inPath: ArtistId, inBody: NewArtist['id']): void {
  if (inBody === undefined || inBody === inPath) return;
  throw new Refusal('invalid', `Cannot update artist ${inPath}: the body names artist ${inBody}`, [
    { field: 'id', problem: `must be ${inPath} as in the path, or left out`, value: String(inBody) },
  ]);
}

function send<T extends object>(reply: FastifyReply, status: number, result: StoreResult<T>): void {
  if (result.kind === 'id-taken') {
    throw new Refusal('conflict', `Cannot add a record with id ${result.id}: there is one already`, [
      { field: 'id', problem: 'is taken, leave it out to get a free one', value: String(result.id) },
    ]);
  }
  if (result.kind === 'no-such-artist') {
    throw new Refusal('not-found', 'Cannot find an artist with the id in the path; add the artist first');
  }
  reply.code(status).type('application/json').send(writeExactJson(result.record));
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = error instanceof Refusal ? error : refusalFor(error, request);
  if (refusal.code === 'unauthorized') reply.header('www-authenticate', 'Bearer realm="catalogue"');
  reply.code(REFUSAL_STATUS[refusal.code]).type('application/json').send(refusalBody(refusal));
}

/** Converts an error of the HTTP server about the body to a refusal; any other error is an internal one. */
function refusalFor(error: unknown, request: FastifyRequest): Refusal {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === REFUSAL_STATUS['too-large']) {
    return new Refusal('too-large', `Cannot read the body: it is larger than ${BODY_BYTES_MAX} bytes`);
  }
  if (status >= 400 && status < 500) {
    return new Refusal('bad-json', 'Cannot read the body: it does not arrive as its headers say');
  }
  request.log.error({ err: error }, 'Cannot serve a request of the catalogue');
  return new Refusal('internal', 'Cannot serve the request, for a fault of the catalogue; see its log');
}
