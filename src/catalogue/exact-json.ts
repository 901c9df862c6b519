import { parseInt64 } from './int64.ts';

declare const oddBrand: unique symbol;

/** Key of the text of a number that cannot be an id; no key of a JSON object can equal it. */
const ODD: typeof oddBrand = Symbol('odd number') as typeof oddBrand;

/** A number with a fraction or an exponent, or beyond int64, as written. */
export interface OddNumber {
  readonly [oddBrand]: string;
}

/** JSON whose whole numbers are exact. */
export type ExactJson =
  | null
  | boolean
  | string
  | bigint
  | OddNumber
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson };

/** Maximum depth of nested objects and arrays. */
const JSON_DEPTH_MAX = 32;

/**
 * Parses UTF-8 JSON without losing digits: an int64 becomes a bigint from its text, never through a double; any other
 * number keeps its text. Throws SyntaxError for invalid UTF-8 (a byte-order mark included), invalid JSON, nesting
 * deeper than 32, a duplicate key, and the keys `__proto__`, `constructor` and `prototype`.
 */
export function readExactJson(bytes: Uint8Array): ExactJson {
  const text = decode(bytes);
  inspectKeys(text);
  return JSON.parse(text, keepDigits as Reviver);
}

/** Returns the text of a number that is not an int64; undefined for other values. */
export function oddNumberText(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && ODD in value ? String(value[ODD]) : undefined;
}

/**
 * Writes a flat record as a JSON object, each bigint as a JSON number with all its digits; undefined fields are
 * omitted.
 */
export function writeExactJson(record: object): string {
  const members = Object.entries(record)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) => `${JSON.stringify(key)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
    );
  return `{${members.join(',')}}`;
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function keepDigits(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  return parseInt64(context.source) ?? { [ODD]: context.source };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new SyntaxError('the bytes are not UTF-8', { cause });
  }
}

/**
 * Strings (with the colon that makes them keys) and brackets; a single quote mark starts a string that never ends.
 */
const TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"(?:\s*:)?|["{}[\]]/g;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Checks what a plain parser would accept silently or fail on; the parser checks that brackets are balanced. */
function inspectKeys(text: string): void {
  const open: Set<string>[] = [];
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '"') throw new SyntaxError('a text is not closed');
    if (token === '{' || token === '[') {
      open.push(new Set());
      if (open.length > JSON_DEPTH_MAX) throw new SyntaxError(`it nests deeper than ${JSON_DEPTH_MAX}`);
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token.endsWith(':')) {
      inspectKey(JSON.parse(token.slice(0, -1)), open.at(-1));
    }
  }
}

function inspectKey(key: string, siblings: Set<string> | undefined): void {
  if (FORBIDDEN_KEYS.has(key)) throw new SyntaxError(`"${key}" is not allowed as a key`);
  if (siblings?.has(key)) throw new SyntaxError(`one object names a key twice: ${JSON.stringify(key)}`);
  siblings?.add(key);
}
