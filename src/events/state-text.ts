import { Decimal } from '../model/decimal.ts';

/** What JSON has no word for, under one mark: a Decimal, a Map, a Set, nothing, or a number that is not finite. */
type Marked =
  | readonly ['decimal', string]
  | readonly ['map', readonly (readonly [unknown, unknown])[]]
  | readonly ['set', readonly unknown[]]
  | readonly ['undefined']
  | readonly ['number', string];

const MARK = '$';

/**
 * Writes plain data with Maps, Sets, Decimals and absent values as text; the same data gives the same text. Throws RangeError for
 * anything else, so that nothing is left out unseen.
 */
export function stateText(value: unknown): string {
  return JSON.stringify(plain(value));
}

/** Reads what `stateText` wrote, exactly. Throws SyntaxError or RangeError for other text. */
export function stateOf(text: string): unknown {
  return meant(JSON.parse(text));
}

function plain(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : marked(['number', Object.is(value, -0) ? '-0' : String(value)]);
    case 'undefined':
      return marked(['undefined']);
    case 'object':
      return value === null ? null : plainObject(value);
    default:
      throw new RangeError(`Cannot write a ${typeof value} as part of a state`);
  }
}

function plainObject(value: object): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Decimal) return marked(['decimal', value.toString()]);
  if (value instanceof Map)
    return marked(['map', [...value].map(([key, each]) => [plain(key), plain(each)] as const)]);
  if (value instanceof Set) return marked(['set', [...value].map(plain)]);
  const kind: unknown = Object.getPrototypeOf(value);
  if ((kind !== Object.prototype && kind !== null) || Object.hasOwn(value, MARK))
    throw new RangeError(
      'Cannot write an object of its own class, or with the mark in it, as part of a state',
    );
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

function marked(what: Marked): { readonly [MARK]: Marked } {
  return { [MARK]: what };
}

function meant(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(meant);
  const entries = Object.entries(value);
  const [first] = entries;
  if (first?.[0] === MARK) return unmarked(first[1] as Marked);
  return Object.fromEntries(entries.map(([key, each]) => [key, meant(each)]));
}

function unmarked(what: Marked): unknown {
  switch (what[0]) {
    case 'decimal':
      return new Decimal(what[1]);
    case 'map':
      return new Map(what[1].map(([key, each]) => [meant(key), meant(each)]));
    case 'set':
      return new Set(what[1].map(meant));
    case 'undefined':
      return undefined;
    case 'number':
      return Number(what[1]);
    default:
      throw new RangeError(`Cannot read "${String(what)}" as part of a state`);
  }
}
