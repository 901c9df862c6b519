import type { z } from 'zod';
import { type AnswerOf, ENDPOINTS, type EndpointName, type HttpMethod, type RequestOf } from './endpoints.ts';
import { parseLosslessJson } from './lossless-json.ts';
import type { WireProfile } from './profiles.ts';
import { repeatedKey } from './repeated-key.ts';
import type { WireParameters } from './schemas/parameter-fields.ts';
import { WireError } from './wire-error.ts';

/** A request ready to be signed and sent: `query` without `?`, `body` serialised once; either is '' when empty. */
export interface EncodedRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly query: string;
  readonly body: string;
}

/** A request as the venue got it: the raw query and the raw body. */
export interface RawParameters {
  readonly query: string;
  readonly body: string;
}

/** The parameters of a request, or why it is refused with 602001. */
export type ReadRequest<Name extends EndpointName> =
  | { readonly kind: 'ok'; readonly request: RequestOf<Name> }
  | { readonly kind: 'invalid'; readonly code: 602001; readonly message: string };

/** Writes one request; the profile decides where a DELETE carries its parameters. */
export function encodeRequest<Name extends EndpointName>(
  name: Name,
  request: RequestOf<Name>,
  profile: WireProfile,
): EncodedRequest {
  const endpoint = ENDPOINTS[name];
  const { method, path } = endpoint;
  const write = endpoint.write as (request: RequestOf<Name>) => WireParameters;
  const parameters = write(request);
  const inQuery = method === 'GET' || (method === 'DELETE' && profile.deleteParameters === 'query');
  if (inQuery) return { method, path, query: encodeQuery(parameters), body: '' };
  return { method, path, query: '', body: JSON.stringify(parameters) };
}

/**
 * Reads the parameters of a request at the venue. GET reads only the query, POST and PUT only the body;
 * a DELETE may use either or both, as long as they agree.
 */
export function decodeRequest<Name extends EndpointName>(name: Name, raw: RawParameters): ReadRequest<Name> {
  const endpoint = ENDPOINTS[name];
  const parameters = gather(endpoint.method, raw);
  if (typeof parameters === 'string') return { kind: 'invalid', code: 602001, message: parameters };
  const read = endpoint.request.safeParse(parameters);
  if (read.success) return { kind: 'ok', request: read.data as RequestOf<Name> };
  return { kind: 'invalid', code: 602001, message: problemOf(read.error) };
}

/**
 * Reads `data` of a success as that endpoint's answer, form only.
 * Throws WireError (`bad-answer`) naming the first field that is missing or of the wrong kind.
 */
export function readAnswer<Name extends EndpointName>(name: Name, data: unknown): AnswerOf<Name> {
  const { answer, method, path } = ENDPOINTS[name];
  return readShape(answer, data, `the answer of ${method} ${path}`) as AnswerOf<Name>;
}

/** Reads a value as a shape; throws WireError (`bad-answer`) saying which field of `what` is wrong. */
export function readShape<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  what: string,
): z.output<Shape> {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  throw new WireError('bad-answer', `Cannot read ${what}: ${problemOf(read.error)}`);
}

/** Repeats the name of a list; encodes as forms do, which is what signatures on the other end expect. */
function encodeQuery(parameters: WireParameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  return query.toString();
}

/** Reads a raw query; a name that comes more than once holds the list of its values. */
export function decodeQuery(raw: string): Readonly<Record<string, string | readonly string[]>> {
  const parameters = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(raw)) {
    const before = parameters.get(name);
    if (before === undefined) parameters.set(name, value);
    else if (typeof before === 'string') parameters.set(name, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(parameters);
}

function gather(method: HttpMethod, raw: RawParameters): object | string {
  if (method === 'GET') return decodeQuery(raw.query);
  const body = readBody(raw.body);
  if (method !== 'DELETE' || typeof body === 'string') return body;
  const query = decodeQuery(raw.query);
  for (const [name, value] of Object.entries(query)) {
    const other = (body as Readonly<Record<string, unknown>>)[name];
    if (other !== undefined && String(other) !== String(value)) {
      return `${name}: differs between query ("${value}") and body ("${String(other)}")`;
    }
  }
  return { ...body, ...query };
}

function readBody(text: string): object | string {
  if (text === '') return {};
  try {
    const body = parseLosslessJson(text);
    if (body === null || typeof body !== 'object' || Array.isArray(body)) return 'body: want a JSON object';
    const twice = repeatedKey(text);
    return twice === undefined ? body : `body: names ${JSON.stringify(twice)} twice, want each key once`;
  } catch (error) {
    if (error instanceof WireError) return `body: ${error.message}`;
    throw error;
  }
}

/** The first problem, with the path of the field in front. */
function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'parameter verification failed';
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}
