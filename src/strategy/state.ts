/**
 * Data that JSON represents without loss; the state of a strategy. Numbers are finite; times are numbers, money is
 * text.
 */
export type PlainData =
  | null
  | boolean
  | number
  | string
  | readonly PlainData[]
  | { readonly [name: string]: PlainData };

/** Deeply immutable data. */
export type Frozen<T> = [PlainData] extends [T]
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [K in keyof T]: Frozen<T[K]> };

/** State that a strategy keeps from one event to the next, also across restarts. */
export interface StateTerms<S> {
  /** The state before the first event; its type is the type of the state. */
  readonly initial: S;
  /** Increase it whenever the shape changes; default 1. */
  readonly version?: number;
  /** Maximum number of characters of the state as JSON; default 16,384, at most 262,144. */
  readonly charsMax?: number;
  /** Converts the state of an earlier version; without it, the state of an earlier version is refused. */
  upgrade?(kept: PlainData, version: number): S;
}

/** Default maximum number of characters of a state. Every change writes the whole state to disk. */
export const STATE_CHARS = 16_384;
/** Largest `charsMax`. */
export const STATE_CHARS_MAX = 262_144;
/** Maximum depth of nested lists and records. */
const DEPTH_MAX = 32;

/** A state as text, or the reason why it is invalid. */
export type ReadState =
  | { readonly kind: 'state'; readonly text: string }
  | { readonly kind: 'odd'; readonly what: string };

/** Serializes a value to JSON text that restores exactly the same data; reads each field once. */
export function readState(value: unknown, charsMax: number): ReadState {
  const read = copyOf(value, 'state', 0);
  if (typeof read === 'string') return { kind: 'odd', what: read };
  const text = JSON.stringify(read.data);
  if (text.length <= charsMax) return { kind: 'state', text };
  return { kind: 'odd', what: `state is ${text.length} characters of JSON, most is ${charsMax}` };
}

/** Parses stored text to immutable data. */
export function stateOf(text: string): PlainData {
  return frozen(JSON.parse(text) as PlainData);
}

/** Describes what is wrong with a declaration of state; undefined if it is valid. */
export function stateTermsProblem(terms: StateTerms<unknown> | undefined): string | undefined {
  if (terms === undefined) return undefined;
  if (typeof terms !== 'object' || terms === null || terms.initial === undefined)
    return 'its state has no "initial", want state: { initial: ... } with the state before the first event (null for nothing)';
  const { version = 1, charsMax = STATE_CHARS, initial } = terms;
  if (!Number.isSafeInteger(version) || version < 1)
    return `its state's version is ${String(version)}, want a whole number from 1`;
  if (!Number.isSafeInteger(charsMax) || charsMax < 2 || charsMax > STATE_CHARS_MAX)
    return `its state's charsMax is ${String(charsMax)}, want 2 to ${STATE_CHARS_MAX}`;
  const read = readState(initial, charsMax);
  return read.kind === 'odd' ? `its initial ${read.what}` : undefined;
}

/** The copy, or the reason why the value is invalid. */
type Copied = { readonly data: PlainData } | string;

function copyOf(value: unknown, path: string, depth: number): Copied {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return { data: value };
    case 'number':
      // JSON has no negative zero.
      return Number.isFinite(value)
        ? { data: value === 0 ? 0 : value }
        : `${path} is ${value}, want a finite number`;
    case 'object':
      if (value === null) return { data: null };
      return depth < DEPTH_MAX
        ? copyOfObject(value, path, depth)
        : `${path} is deeper than ${DEPTH_MAX} levels`;
    default:
      return `${path} is ${value === undefined ? 'undefined' : `a ${typeof value}`}, want plain data (null for nothing)`;
  }
}

function copyOfObject(value: object, path: string, depth: number): Copied {
  if (Array.isArray(value)) {
    const items: PlainData[] = [];
    for (let index = 0; index < value.length; index += 1) {
      const item = copyOf(value[index], `${path}[${index}]`, depth + 1);
      if (typeof item === 'string') return item;
      items.push(item.data);
    }
    return { data: items };
  }
  const kind: unknown = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null)
    return `${path} is a ${nameOf(kind)}, want plain data (an object, a list, a number, a text)`;
  const fields: [string, PlainData][] = [];
  for (const [name, field] of Object.entries(value)) {
    if (name === '__proto__') return `${path} has a field "__proto__"`;
    const read = copyOf(field, `${path}.${name.slice(0, 80)}`, depth + 1);
    if (typeof read === 'string') return read;
    fields.push([name, read.data]);
  }
  return { data: Object.fromEntries(fields) };
}

function nameOf(kind: unknown): string {
  const made: unknown =
    typeof kind === 'object' && kind !== null ? Reflect.get(kind, 'constructor') : undefined;
  return typeof made === 'function' ? made.name.slice(0, 80) : 'value of an unnamed class';
}

function frozen<T extends PlainData>(data: T): T {
  if (typeof data !== 'object' || data === null) return data;
  for (const field of Object.values(data)) frozen(field as PlainData);
  return Object.freeze(data);
}
