import type { z } from 'zod';
import { duplicateKey } from './duplicate-key.ts';
import {
  ENDPOINTS,
  type EndpointName,
  type HttpMethod,
  type RequestOf,
  type ResponseOf,
} from './endpoints.ts';
import { parseLosslessJson } from './lossless-json.ts';
import type { WireProfile } from './profiles.ts';
import type { WireParameters } from './schemas/parameter-fields.ts';
import { WireError } from './wire-error.ts';

/** A request to be signed and sent: `query` without `?`, `body` as serialised; either is '' if empty. */
export interface EncodedRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly query: string;
  readonly body: string;
}

/** Raw query and body of a request, as received by the venue. */
export interface RawParameters {
  readonly query: string;
  readonly body: string;
}

/** Parsed parameters of a request, or the reason for a refusal with 602001. */
export type DecodedRequest<Name extends EndpointName> =
  | { readonly kind: 'ok'; readonly request: RequestOf<Name> }
  | { readonly kind: 'invalid'; readonly code: 602001; readonly message: string };

/** Encodes a request; the profile decides where a DELETE sends its parameters. */
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
 * Parses the parameters of a request at the venue. GET uses only the query, POST and PUT only the body; DELETE may
 * use both, if they agree.
 */
export function decodeRequest<Name extends EndpointName>(
  name: Name,
  raw: RawParameters,
): DecodedRequest<Name> {
  const endpoint = ENDPOINTS[name];
  const parameters = parametersOf(endpoint.method, raw);
  if (typeof parameters === 'string') return { kind: 'invalid', code: 602001, message: parameters };
  const read = endpoint.request.safeParse(parameters);
  if (read.success) return { kind: 'ok', request: read.data as RequestOf<Name> };
  return { kind: 'invalid', code: 602001, message: problemOf(read.error) };
}

/**
 * Parses the form of `data` of a success at that endpoint. Throws WireError (`bad-answer`) that names the first
 * missing or malformed field.
 */
export function readResponse<Name extends EndpointName>(name: Name, data: unknown): ResponseOf<Name> {
  const { response, method, path } = ENDPOINTS[name];
  return parseShape(response, data, `the response of ${method} ${path}`) as ResponseOf<Name>;
}

/** Parses a value by a schema. Throws WireError (`bad-answer`) that names the invalid field of `what`. */
export function parseShape<Shape extends z.ZodType>(
  shape: Shape,
  value: unknown,
  what: string,
): z.output<Shape> {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  throw new WireError('bad-answer', `Cannot read ${what}: ${problemOf(read.error)}`);
}

/** Encodes as forms do, which signatures on the other side expect; repeats the name of a list. */
function encodeQuery(parameters: WireParameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  }
  return query.toString();
}

/** Parses a raw query; a repeated name has a list of values. */
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

function parametersOf(method: HttpMethod, raw: RawParameters): object | string {
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
    const twice = duplicateKey(text);
    return twice === undefined ? body : `body: names ${JSON.stringify(twice)} twice, want each key once`;
  } catch (error) {
    if (error instanceof WireError) return `body: ${error.message}`;
    throw error;
  }
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'parameter verification failed';
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}
