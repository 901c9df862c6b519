import { Decimal } from '../../model/decimal.ts';

const TAG = '$';

/** Tagged values that JSON cannot represent, and objects with the tag as a key. */
type Tagged =
  | readonly ['decimal', string]
  | readonly ['map', readonly [unknown, unknown][]]
  | readonly ['set', unknown[]]
  | readonly ['undefined']
  | readonly ['object', readonly [string, unknown][]]
  | readonly ['number', string];

/**
 * Writes plain data with Maps, Sets, Decimals and undefined as text; equal data yields equal text. Throws RangeError
 * for anything else. Makes no converted copy, which would double the memory.
 */
export function stateText(value: unknown): string {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value);
    case 'number':
      if (Object.is(value, -0)) return tagged('number', '"-0"');
      return Number.isFinite(value) ? JSON.stringify(value) : tagged('number', `"${value}"`);
    case 'undefined':
      return tagged('undefined');
    case 'object':
      return value === null ? 'null' : objectText(value);
    default:
      throw new RangeError(`Cannot write a ${typeof value} as part of a state`);
  }
}

function objectText(value: object): string {
  if (Array.isArray(value)) return listText(value.map(stateText));
  if (value instanceof Decimal) return tagged('decimal', `"${value}"`);
  if (value instanceof Map)
    return tagged(
      'map',
      listText(Array.from(value, ([key, each]) => `[${stateText(key)},${stateText(each)}]`)),
    );
  if (value instanceof Set) return tagged('set', listText(Array.from(value, stateText)));
  const kind: unknown = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null)
    throw new RangeError('Cannot write an instance of a class as part of a state');
  if (Object.hasOwn(value, TAG)) {
    const pairs = Object.entries(value).map(([key, each]) => `[${JSON.stringify(key)},${stateText(each)}]`);
    return tagged('object', listText(pairs));
  }
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${stateText(each)}`);
  return `{${entries.join(',')}}`;
}

function listText(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}

function tagged(kind: Tagged[0], text?: string): string {
  return `{"${TAG}":["${kind}"${text === undefined ? '' : `,${text}`}]}`;
}

/** Reads a text of `stateText` exactly. Throws SyntaxError or RangeError for other text. */
export function stateOf(text: string): unknown {
  return revive(JSON.parse(text));
}

/** Replaces tagged objects by their values, in place, in freshly parsed data. */
function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value) && Object.hasOwn(value, TAG)) return untagged(Reflect.get(value, TAG) as Tagged);
  for (const [key, each] of Object.entries(value))
    if (typeof each === 'object' && each !== null) Reflect.set(value, key, revive(each));
  return value;
}

function untagged(what: Tagged): unknown {
  switch (what[0]) {
    case 'decimal':
      return new Decimal(what[1]);
    case 'map': {
      const map = new Map<unknown, unknown>();
      for (const [key, each] of what[1]) map.set(revive(key), revive(each));
      return map;
    }
    case 'set':
      return new Set(what[1].map(revive));
    case 'undefined':
      return undefined;
    case 'object':
      return Object.fromEntries(what[1].map(([key, each]) => [key, revive(each)]));
    case 'number':
      return Number(what[1]);
    default:
      throw new RangeError(`Cannot read "${String(what)}" as part of a state`);
  }
}
