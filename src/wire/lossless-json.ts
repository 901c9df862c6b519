import { WireError } from './wire-error.ts';

/** A value read without loss: whole numbers that a double holds exactly are numbers, all others keep their text. */
export type LosslessJson =
  | null
  | boolean
  | number
  | string
  | readonly LosslessJson[]
  | { readonly [key: string]: LosslessJson };

/** Objects and arrays within each other that we are willing to read. */
export const MAX_JSON_DEPTH = 32;

/**
 * Reads JSON so that no digit is lost: a number becomes a JavaScript number only when it is written as a whole
 * number within 2^53; any other (an order id of 19 digits, `412.40`, `1e3`) stays the text it was.
 * Throws WireError (`bad-json`) for text that is not JSON, nests deeper than 32, or names `__proto__`,
 * `constructor` or `prototype` as a key.
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

/** The source text of a number is the one thing a plain parse throws away. */
function keepDigits(key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (FORBIDDEN_KEYS.has(key)) throw new WireError('bad-json', `Cannot read JSON with a key named "${key}"`);
  if (typeof value !== 'number') return value;
  const source = context.source;
  if (source === undefined) return value;
  return Number.isSafeInteger(value) && WHOLE.test(source) ? value : source;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Checks only brackets outside of texts; the parser checks that they are balanced. */
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
