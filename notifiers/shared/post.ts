import { setTimeout as pause } from 'node:timers/promises';

/** A request to a service. Its address may contain a secret, so no message of an error has it. */
export interface PostRequest {
  /** Name of the service in messages. */
  readonly service: string;
  readonly url: string;
  /** A secret within a part of the address, which a service may repeat alone. */
  readonly token?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Returns why the service did not accept the message; undefined if it did. */
  readonly refusal: (answer: Answer) => Refusal | undefined;
}

/** The answer of a service. */
export interface Answer {
  readonly status: number;
  /** At most 64 KiB. */
  readonly text: string;
  /** Fields of the JSON object in the answer; none if it is something else. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Refusal {
  /** Text of the service, for the error. */
  readonly why: string;
  /** Wait that the service requests, in seconds; undefined if a repetition is of no use. */
  readonly retryAfter?: number | undefined;
}

/** Time for one notice, of the 10 s after which it is aborted: no wait is begun that ends later. */
const MS_MAX = 9_000;
/** Waits after errors that usually pass: the service is not reachable, or has a fault. */
const PAUSES_MS = [1_000, 3_000];
const ATTEMPTS_MAX = PAUSES_MS.length + 1;
/** Shortest wait, also if the service requests 0 s or a time in the past. */
const WAIT_MS_MIN = 1_000;
const BYTES_MAX = 65_536;
const TEXT_CHARS_MAX = 200;
/** Shorter parts of an address are ordinary words. */
const PART_CHARS_MIN = 8;

type Outcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly why: string; readonly waitMs?: number | undefined }
  /** It may work soon. */
  | { readonly kind: 'unavailable'; readonly why: string };

/**
 * Posts JSON. Waits as long as the service requests by `Retry-After`, and repeats a request that failed for a passing
 * reason, both within the time of a notice and with three attempts at most; a message may therefore arrive twice. Throws
 * Error without the address; one for a longer wait has it as `retryAfterMs`.
 */
export async function post(request: PostRequest): Promise<void> {
  const { service, signal } = request;
  const startedAt = performance.now();
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await tried(request);
    if (outcome.kind === 'accepted') return;
    const waitMs = outcome.kind === 'refused' ? outcome.waitMs : PAUSES_MS[attempt];
    if (waitMs === undefined) throw failure(`${service} ${outcome.why}`);
    if (attempt + 1 === ATTEMPTS_MAX || performance.now() - startedAt + waitMs > MS_MAX) {
      const isRequested = outcome.kind === 'refused';
      const words = isRequested ? `; it accepts messages again in ${Math.ceil(waitMs / 1_000)} s` : '';
      throw failure(`${service} ${outcome.why}${words}`, isRequested ? waitMs : undefined);
    }
    await pause(waitMs, undefined, { signal });
  }
}

async function tried({
  service,
  url,
  token,
  body,
  headers = {},
  signal,
  refusal,
}: PostRequest): Promise<Outcome> {
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw failure(`${service} has no address that begins with https:// or http://`);
  const { username, password } = new URL(url);
  if (username !== '' || password !== '')
    throw failure(
      `${service} has an address with a user name or password, which is not supported: remove them`,
    );
  let answer: Answer;
  let retryAfter: number | undefined;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
      body,
      signal,
      // A redirected POST would lose its body.
      redirect: 'manual',
    });
    retryAfter = secondsIn(response.headers.get('retry-after'));
    const text = await textOf(response);
    answer = { status: response.status, text, fields: fieldsIn(text) };
  } catch (error) {
    if (signal.aborted) throw failure(`${service} did not answer in time`);
    return { kind: 'unavailable', why: `could not be reached (${codeOf(error)})` };
  }
  const refused = refusal(answer);
  if (refused === undefined) return { kind: 'accepted' };
  const { status } = answer;
  const why = `answered ${status}${refused.why === '' ? '' : `: ${shown(refused.why, partsOf(url, token))}`}`;
  const wait = refused.retryAfter ?? (status === 429 ? retryAfter : undefined);
  if (wait !== undefined) return { kind: 'refused', why, waitMs: Math.max(WAIT_MS_MIN, wait * 1_000) };
  return status >= 500 ? { kind: 'unavailable', why } : { kind: 'refused', why };
}

/** Reads the beginning of an answer; the rest is dropped. */
async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= BYTES_MAX) break;
  }
  return Buffer.concat(parts).toString('utf8', 0, BYTES_MAX);
}

function fieldsIn(text: string): Answer['fields'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer['fields']) : {};
  } catch {
    return {};
  }
}

/** Reads `Retry-After`: seconds or a date. @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function secondsIn(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : (at - Date.now()) / 1_000;
}

/** Code of a failed connection, such as ECONNREFUSED. Messages of such errors may contain the address. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (typeof cause === 'object' && cause !== null && 'code' in cause) return String(cause.code);
  return cause instanceof Error ? cause.name : 'unknown error';
}

/** The beginning of a text, without the address: a cut inside of a secret would hide it from a later redaction. */
function shown(text: string, secrets: readonly string[]): string {
  const line = secrets
    .reduce((clean, part) => clean.replaceAll(part, '[redacted]'), text)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > TEXT_CHARS_MAX ? `${line.slice(0, TEXT_CHARS_MAX)}...` : line;
}

/** The address, its path, its segments and the values of its query, as written and decoded; longest first. */
function partsOf(url: string, token = ''): readonly string[] {
  const { href, pathname, search, searchParams } = new URL(url);
  const path = `${pathname}${search}`;
  const segments = path.split(/[/?&=]/);
  const parts = [
    token,
    url,
    href,
    path,
    pathname,
    ...segments,
    ...segments.map(decoded),
    ...searchParams.values(),
  ];
  return parts
    .filter((part) => part.length >= PART_CHARS_MIN)
    .toSorted((one, other) => other.length - one.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Makes the `refusal` of a robot whose answer has an `errcode`, which is 0 for an accepted message. `tooMany` is the code
 * of too many messages, and `waitS` the seconds after which the robot accepts some again.
 */
export function refusalByCode(
  robot: string,
  { tooMany, waitS }: { readonly tooMany: number; readonly waitS: number },
): PostRequest['refusal'] {
  return ({ fields: { errcode, errmsg } }) => {
    if (errcode === 0) return undefined;
    const why =
      typeof errmsg === 'string' ? `code ${String(errcode)}, ${errmsg}` : `not an answer of a ${robot}`;
    return { why, retryAfter: errcode === tooMany ? waitS : undefined };
  };
}

/** Seconds in a field of an answer; undefined if it is no number. */
export function secondsOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/**
 * An error without a stack: a place in this file tells the user nothing. With `retryAfterMs` the notice is sent again
 * after that time.
 */
function failure(message: string, retryAfterMs?: number): Error {
  return Object.assign(new Error(message), { stack: '', retryAfterMs });
}
