import { WireError } from './wire-error.ts';

/**
 * A JSON value without loss of digits: integers that a double represents exactly are numbers, all other numbers are
 * texts.
 */
export type LosslessJson =
  | null
  | boolean
  | number
  | string
  | readonly LosslessJson[]
  | { readonly [key: string]: LosslessJson };

/** Maximum nesting of objects and arrays. */
export const MAX_JSON_DEPTH = 32;

/**
 * Parses JSON without loss of digits: only an integer within 2^53 becomes a number; any other number (an order id of
 * 19 digits, `412.40`, `1e3`) remains text. Throws WireError (`bad-json`) for text that is not JSON, nests deeper
 * than 32, or has a key `__proto__`, `constructor` or `prototype`.
 * @see docs/wire-protocol.md, "The envelope"
 */
export function parseLosslessJson(text: string): LosslessJson {
  requireDepth(text);
  try {
    return JSON.parse(text, keepDigits as Reviver);
  } catch (cause) {
    if (cause instanceof WireError) throw cause;
    const seen = text.length > 40 ? `${text.slice(0, 40)}...` : text;
    throw new WireError('bad-json', `Cannot read ${text.length} characters as JSON, they begin "${seen}"`, {
      cause,
    });
  }
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

const WHOLE = /^-?\d+$/;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Keeps the source text of numbers, which a plain parse discards. */
function keepDigits(key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (FORBIDDEN_KEYS.has(key)) throw new WireError('bad-json', `Cannot read JSON with a key named "${key}"`);
  if (typeof value !== 'number') return value;
  const source = context.source;
  if (source === undefined) return value;
  return Number.isSafeInteger(value) && WHOLE.test(source) ? value : source;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Checks the nesting of brackets outside of strings; the parser checks that they are balanced. */
function requireDepth(text: string): void {
  let depth = 0;
  let inText = false;
  for (let i = 0; i < text.length; i += 1) {
    const at = text.charCodeAt(i);
    if (at === QUOTE) inText = !inText;
    else if (inText) {
      if (at === BACKSLASH) i += 1;
    } else if (at === 0x7b || at === 0x5b) {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) {
        throw new WireError('bad-json', `Cannot read JSON nested deeper than ${MAX_JSON_DEPTH}`);
      }
    } else if (at === 0x7d || at === 0x5d) depth -= 1;
  }
}
